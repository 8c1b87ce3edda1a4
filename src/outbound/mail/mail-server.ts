import type { MailServer } from './mailer.ts'

/**
 * Reads `smtps://user:password@host:465` (TLS from the first byte), `smtp://user:password@host:587` (STARTTLS, required), or
 * `smtp://host:25?tls=off` for a relay that speaks no TLS, which gets no password. Undefined for anything else.
 */
export function parseMailServer(text: string): MailServer | undefined {
  const url = /^smtps?:\/\/[^/]/i.test(text) ? URL.parse(text) : undefined
  if (!url?.hostname || url.port === '0' || !/^\/?$/.test(url.pathname) || url.hash) return undefined
  if (!['', '?tls=off'].includes(url.search)) return undefined
  const implicit = url.protocol === 'smtps:'
  const isOff = url.search !== ''
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === undefined || password === undefined || (user === '') !== (password === '')) return undefined
  if (isOff && (implicit || user !== '')) return undefined
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const tls = implicit ? 'implicit' : isOff ? 'off' : 'starttls'
  return { host, port: url.port === '' ? (implicit ? 465 : 587) : Number(url.port), tls, user, password }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
