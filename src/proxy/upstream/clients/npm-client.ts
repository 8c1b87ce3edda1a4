import { apart, type DefaultUpstream } from '../default-upstream.ts'
import { isWebAddress, outputOf } from './run-client.ts'

export const publicRegistry = 'https://registry.npmjs.org/'

/** The registry that npm uses on this machine: its address, not what npm signs in to it with. */
export async function npmClientUpstream(): Promise<DefaultUpstream> {
  const registry = (await outputOf('npm', ['config', 'get', 'registry']))?.trim()
  if (!isWebAddress(registry)) {
    return { url: publicRegistry, authorization: undefined, artifactHosts: [], source: 'npm is not installed here' }
  }
  return { url: apart(registry).url, authorization: undefined, artifactHosts: [], source: 'npm config get registry' }
}
