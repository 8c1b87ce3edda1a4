import { OutboundError } from '../outbound-error.ts'

/**
 * Any port is let through: registries and trackers listen where they like, and the address rules keep the inside out of
 * reach. The parser has already turned odd spellings of an address (0x7f.1, 2130706433, 127.1) into the usual one.
 */
export function checkedUrl(text: string | URL, base?: URL): URL {
  const url = URL.parse(String(text), base?.href)
  if (!url) throw new OutboundError('bad_url', 'The URL cannot be read.')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundError('bad_url', 'Only http and https URLs can be reached.')
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('bad_url', 'A URL must not carry a user name or password; store them as credentials.')
  }
  if (url.port === '0') throw new OutboundError('bad_url', 'Port 0 cannot be reached.')
  url.hash = ''
  return url
}

/** The host as an address or name, without the brackets that IPv6 has in a URL. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}
