import { OutboundError } from '../outbound-error.ts'

/** Ours to set, since they decide where a request goes or how it is framed (RFC 9110 §7.6.1). */
const reserved = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Header names in lower case, each once, with what may be sent. Values are never quoted. */
export function checkedHeaders(headers: Record<string, string>): Record<string, string> {
  const checked: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) throw new OutboundError('bad_request', 'A header name is not a token.')
    if (reserved.has(key)) throw new OutboundError('bad_request', `The header '${key}' cannot be set.`)
    if (key in checked) throw new OutboundError('bad_request', `The header '${key}' is given twice.`)
    checkValue(key, value)
    checked[key] = value
  }
  return checked
}

/** RFC 9110 §5.5: visible characters, space, tab; a line break would start a header of somebody else's choice. */
function checkValue(name: string, value: string): void {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw new OutboundError('bad_request', `The value of the header '${name}' has characters that cannot be sent.`)
  }
}
