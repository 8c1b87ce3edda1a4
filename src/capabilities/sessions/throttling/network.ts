import { addressBytes } from '../../../outbound/ssrf-guard/address.ts'

/**
 * What counts as one place that sign-ins come from: an IPv4 address, or the /64 of an IPv6 address, because whoever has one
 * address of it has all of them. An IPv4 address in IPv6 clothes (::ffff:192.0.2.1) is the IPv4 address.
 */
export function networkOf(address: string): string {
  const bytes = addressBytes(address.replace(/%.*$/, ''))
  if (!bytes) return address
  if (bytes.length === 4) return bytes.join('.')
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  if (mapped) return bytes.slice(12).join('.')
  const words = [0, 2, 4, 6].map((at) => ((bytes[at]! << 8) | bytes[at + 1]!).toString(16))
  return `${words.join(':')}::/64`
}
