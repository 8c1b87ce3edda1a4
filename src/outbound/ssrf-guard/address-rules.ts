import { OutboundError } from '../outbound-error.ts'
import { addressBytes, contains, hasHostBits, parseRange, type Range } from './address.ts'

/** What is wrong with reaching an address, in a word for the message; undefined: nothing. */
export type AddressRules = (address: string) => string | undefined

/**
 * Ranges that are not the public internet (IANA special-purpose address registries, RFC 6890). The first that matches gives
 * the word. Single hosts that hand out a machine's credentials come first: they must be allowed by their very address.
 */
const forbidden: [word: string, ranges: string][] = [
  ['metadata', '169.254.169.254 169.254.170.2 169.254.170.23 168.63.129.16 100.100.100.200 192.0.0.192'],
  ['metadata', 'fd00:ec2::254 fd00:ec2::23 fd20:ce::254'],
  ['unspecified', '0.0.0.0/8 ::/128'],
  ['loopback', '127.0.0.0/8 ::1/128'],
  ['private', '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10'],
  ['carrier-grade NAT', '100.64.0.0/10'],
  ['link-local', '169.254.0.0/16 fe80::/10'],
  ['documentation', '192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20'],
  ['benchmarking', '198.18.0.0/15'],
  ['multicast', '224.0.0.0/4 ff00::/8'],
  ['broadcast', '255.255.255.255'],
  // 2001::/23 has Teredo in it, which hides an IPv4 address; ::/96 is the abandoned "IPv4-compatible" spelling.
  ['reserved', '192.0.0.0/24 192.88.99.0/24 240.0.0.0/4 ::/96 64:ff9b:1::/48 100::/64 2001::/23'],
]

const table = forbidden.flatMap(([word, ranges]) =>
  ranges.split(' ').map((text) => ({ word, range: parseRange(text)! })),
)
const globalUnicast = parseRange('2000::/3')!

/** IPv6 ranges that lead to the IPv4 address found at `at`: mapped (RFC 4291), NAT64 (RFC 6052), 6to4 (RFC 3056). */
const embeddings = [
  { range: parseRange('::ffff:0:0/96')!, at: 12 },
  { range: parseRange('64:ff9b::/96')!, at: 12 },
  { range: parseRange('2002::/16')!, at: 2 },
]

/** `allow` is a list of addresses and CIDR ranges, separated by commas; a mistake in it is thrown, never skipped. */
export function createAddressRules(allow: string): AddressRules {
  const allowed = parseAllow(allow)

  function wordFor(address: Uint8Array): string | undefined {
    const word = classify(address)
    const single = word === 'metadata'
    const named = allowed.some((range) => contains(range, address) && (!single || range.bits === address.length * 8))
    return named ? undefined : word
  }

  return function check(text) {
    const address = addressBytes(text)
    if (!address) return 'unreadable'
    const hidden = embedded(address)
    const word = wordFor(address)
    return hidden ? (wordFor(hidden) ?? word) : word
  }
}

function classify(address: Uint8Array): string | undefined {
  const match = table.find(({ range }) => contains(range, address))
  if (match) return match.word
  // IPv6 outside the one block that is in public use is refused unseen, unless it only wraps an IPv4 address.
  const isStrange = address.length === 16 && !contains(globalUnicast, address) && !embedded(address)
  return isStrange ? 'reserved' : undefined
}

function embedded(address: Uint8Array): Uint8Array | undefined {
  if (address.length === 4) return undefined
  for (const { range, at } of embeddings) if (contains(range, address)) return address.subarray(at, at + 4)
  // ISATAP (RFC 5214 §6.1): any prefix, then 0:5efe or 200:5efe, then IPv4.
  const isIsatap = (address[8]! & 0xfd) === 0 && address[9] === 0 && address[10] === 0x5e && address[11] === 0xfe
  return isIsatap ? address.subarray(12, 16) : undefined
}

function parseAllow(allow: string): Range[] {
  const entries = allow.split(',').map((entry) => entry.trim())
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => {
      const refuse = (why: string) =>
        new OutboundError(
          'bad_setting',
          `GATEHOUSE_EGRESS_ALLOW: '${entry}' ${why}, for example 10.20.0.0/16 or 10.20.0.5.`,
        )
      const range = parseRange(entry)
      if (!range) throw refuse('is not an address or an address range')
      if (hasHostBits(range)) throw refuse('has bits set beyond its prefix; write the first address of the range')
      if (contains(embeddings[0]!.range, range.bytes)) throw refuse('must be written as IPv4')
      return range
    })
}
