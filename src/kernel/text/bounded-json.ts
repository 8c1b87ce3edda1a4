const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const bracket = 0x5b
const backslash = 0x5c
const brace = 0x7b
const closingBracket = 0x5d
const closingBrace = 0x7d

export type JsonCounts = { containers: number; names: number; values: number; depth: number }

/**
 * How much there is in a text that is meant to be JSON, found without building any of it. JSON.parse cannot be interrupted, takes up
 * to a hundred times the memory of its text, and ends the process where a thread has no more: so it is asked first.
 */
export function countJson(bytes: Uint8Array): JsonCounts {
  const counts = { containers: 0, names: 0, values: 1, depth: 0 }
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === quote) at = endOfString(bytes, at)
    else if (byte === comma) counts.values++
    else if (byte === colon) counts.names++
    else if (byte === bracket || byte === brace) {
      counts.containers++
      counts.values++
      depth++
      if (depth > counts.depth) counts.depth = depth
    } else if (byte === closingBracket || byte === closingBrace) depth--
  }
  return counts
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/** A real document of a registry has a value in 25 bytes; at 250 bytes of memory each, these fit into what a thread has. */
const mostValues = 1_500_000

/** Undefined where there is more in it than one may have; throws where it is not JSON. */
export function parseBounded(bytes: Buffer): { value: unknown } | undefined {
  if (countJson(bytes).values > mostValues) return undefined
  return { value: JSON.parse(bytes.toString('utf8')) }
}
