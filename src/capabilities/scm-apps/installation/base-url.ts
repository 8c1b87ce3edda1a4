import { Fault } from '../../../kernel/contract/fault.ts'
import { trimEnd } from '../../../kernel/text/trim.ts'

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * The address of a DevOps service, without a slash at its end. Tokens are sent there, so it is encrypted; except on this
 * machine, which the operator also has to allow.
 */
export function checkedBaseUrl(text: string): string {
  const url = URL.parse(text)
  const problem = url ? problemOf(url) : 'must be an address like https://dev.azure.com'
  if (problem) {
    throw new Fault('validation_failed', `baseUrl ${problem}.`, { errors: [{ pointer: '/baseUrl', detail: problem }] })
  }
  return url!.origin + trimEnd(url!.pathname, '/')
}

function problemOf(url: URL): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an address like https://dev.azure.com'
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) return 'must begin with https://'
  if (url.username || url.password) return 'must not carry a user name or password'
  if (url.search || url.hash) return 'must not have a query or fragment'
  return undefined
}
