import { isIPv4, isIPv6 } from 'node:net'

/** The 4 or 16 bytes of an address, or undefined for what is not one; an address with a zone (fe80::1%eth0) is not. */
export function addressBytes(text: string): Uint8Array | undefined {
  if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number)
  if (isIPv6(text) && !text.includes('%')) return sixteenBytes(text)
  return undefined
}

export type Range = { bytes: Uint8Array; bits: number }

/** A CIDR range or a single address. */
export function parseRange(text: string): Range | undefined {
  const [, address = '', length] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const bytes = addressBytes(address)
  if (!bytes) return undefined
  const bits = length === undefined ? bytes.length * 8 : Number(length)
  return bits <= bytes.length * 8 ? { bytes, bits } : undefined
}

export function contains({ bytes, bits }: Range, address: Uint8Array): boolean {
  if (bytes.length !== address.length) return false
  const whole = bits >> 3
  for (let at = 0; at < whole; at++) if (bytes[at] !== address[at]) return false
  const rest = bits & 7
  return rest === 0 || (bytes[whole]! ^ address[whole]!) >> (8 - rest) === 0
}

/** True where bits beyond the prefix are set, as in 10.1.2.3/8. */
export function hasHostBits({ bytes, bits }: Range): boolean {
  return bytes.some((byte, at) => {
    const kept = Math.min(8, Math.max(0, bits - at * 8))
    return (byte & (0xff >> kept)) !== 0
  })
}

function sixteenBytes(text: string): Uint8Array {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text)
  const hex = (high: string, low: string) => ((Number(high) << 8) | Number(low)).toString(16)
  const plain = dotted
    ? `${text.slice(0, dotted.index)}${hex(dotted[1]!, dotted[2]!)}:${hex(dotted[3]!, dotted[4]!)}`
    : text
  const [head = '', tail] = plain.split('::')
  const words = (part: string | undefined) => (part ? part.split(':') : [])
  const gap = tail === undefined ? 0 : 8 - words(head).length - words(tail).length
  const all = [...words(head), ...Array<string>(gap).fill('0'), ...words(tail)].map((word) => Number.parseInt(word, 16))
  return Uint8Array.from(all.flatMap((word) => [word >> 8, word & 0xff]))
}
