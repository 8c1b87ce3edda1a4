import { OAuthFault } from './oauth-fault.ts'

/** Where a browser is sent with a code: to a program on the same computer, to an app that has a scheme of its own, or to a site. */
export type RedirectKind = 'computer' | 'app' | 'site'

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])
// Those of editors that have no dot, as RFC 8252 §7.1 wants one. A list of what may, since browsers run some schemes as script.
const editorSchemes = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:'])
const maxLength = 500

export function redirectKindOf(uri: string): RedirectKind | undefined {
  if (uri.length > maxLength || !/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return undefined
  const { protocol, hostname, hash, username, password } = new URL(uri)
  // RFC 6749 §3.1.2: no fragment, also not an empty one.
  if (hash !== '' || uri.includes('#') || username !== '' || password !== '') return undefined
  if (protocol === 'https:') return loopback.has(hostname) ? 'computer' : 'site'
  if (protocol === 'http:') return loopback.has(hostname) ? 'computer' : undefined
  return editorSchemes.has(protocol) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(protocol) ? 'app' : undefined
}

export function requireRedirectUri(uri: string): void {
  if (redirectKindOf(uri)) return
  throw new OAuthFault(
    'invalid_redirect_uri',
    `'${uri.slice(0, 100)}' cannot be a redirect URI: it is https, http on this computer (127.0.0.1, [::1], localhost), or the scheme of an app, without a fragment.`,
  )
}

/** Whether it is one of those that the client registered. Programs listen on a port that happens to be free (RFC 8252 §7.3). */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  return registered.some(
    (one) => one === uri || (isLoopback(one) && isLoopback(uri) && atAnyPort(one) === atAnyPort(uri)),
  )
}

function isLoopback(uri: string): boolean {
  return uri.startsWith('http:') && redirectKindOf(uri) === 'computer'
}

function atAnyPort(uri: string): string {
  const url = new URL(uri)
  url.port = ''
  return url.href
}
