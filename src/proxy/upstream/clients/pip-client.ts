import { apart, artifactHostsOf, type DefaultUpstream } from '../default-upstream.ts'
import { isWebAddress, outputOf } from './run-client.ts'

export const publicIndex = 'https://pypi.org/simple/'

/** The index that pip uses on this machine, without the login in its address. What else it uses, files and further indexes, is not asked. */
export async function pipClientUpstream(): Promise<DefaultUpstream> {
  const listed =
    (await outputOf('python3', ['-m', 'pip', 'config', 'list'])) ?? (await outputOf('pip', ['config', 'list']))
  const index = indexIn(listed ?? '')
  const { url } = apart(index ?? publicIndex)
  const source = index ? 'pip config list' : listed === undefined ? 'pip is not installed here' : "pip's own default"
  return { url, authorization: undefined, artifactHosts: artifactHostsOf(url), source }
}

/** Lines like `global.index-url='https://…'`; the environment outranks `install`, that outranks `global`. */
export function indexIn(listing: string): string | undefined {
  for (const section of [':env:', 'install', 'global']) {
    const line = listing.split('\n').find((each) => each.startsWith(`${section}.index-url=`))
    const value = line
      ?.slice(line.indexOf('=') + 1)
      .trim()
      .replace(/^(['"])(.*)\1$/, '$2')
    if (isWebAddress(value)) return value
  }
  return undefined
}
