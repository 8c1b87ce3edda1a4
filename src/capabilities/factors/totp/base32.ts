const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 §6, without padding, as authenticator apps take it. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let kept = 0
  for (const byte of bytes) {
    kept = (kept << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(kept >> (bits - 5)) & 31]
    kept &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(kept << (5 - bits)) & 31] : text
}
