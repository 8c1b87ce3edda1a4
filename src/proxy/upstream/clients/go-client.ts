import { apart, type DefaultUpstream } from '../default-upstream.ts'
import { isWebAddress, outputOf } from './run-client.ts'

export const publicProxy = 'https://proxy.golang.org/'

/** The module proxy that Go uses on this machine: the first address in GOPROXY, without a login in it. */
export async function goClientUpstream(): Promise<DefaultUpstream> {
  const setting = await outputOf('go', ['env', 'GOPROXY'])
  const proxy = proxyIn(setting ?? '')
  const { url } = apart(proxy ?? publicProxy)
  const source = proxy ? 'go env GOPROXY' : setting === undefined ? 'Go is not installed here' : "Go's own default"
  return { url, authorization: undefined, artifactHosts: [], source }
}

/** Addresses, `direct` and `off`, separated by commas or bars. */
export function proxyIn(setting: string): string | undefined {
  return setting
    .trim()
    .split(/[,|]/)
    .find((each) => isWebAddress(each))
}
