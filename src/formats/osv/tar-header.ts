export type TarHeader = { name: string; size: number; kind: 'file' | 'long-name' | 'pax' | 'other' }

const block = 512
const checksumAt = 148
const checksumLength = 8

/** Undefined where its checksum or size is none: then it is not a header, and where the next one is nobody knows. */
export function readHeader(head: Uint8Array): TarHeader | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, block)
  const size = sizeOf(bytes.subarray(124, 136))
  if (size === undefined || octal(bytes.subarray(checksumAt, checksumAt + checksumLength)) !== checksum(bytes)) {
    return undefined
  }
  // GNU's own format has other things there.
  const prefix = bytes.toString('latin1', 257, 265) === 'ustar\x0000' ? text(bytes.subarray(345, 500)) : ''
  const name = text(bytes.subarray(0, 100))
  return { name: prefix ? `${prefix}/${name}` : name, size, kind: kindOf(bytes[156]!) }
}

export function isEndBlock(head: Uint8Array): boolean {
  return head.every((byte) => byte === 0)
}

/** POSIX pax: lines of `<length> path=<name>\n`. */
export function paxPath(content: Uint8Array): string | undefined {
  const found = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(Buffer.from(content).toString('utf8'))
  return found?.[1]
}

function kindOf(flag: number): TarHeader['kind'] {
  const letter = String.fromCharCode(flag)
  if (letter === '0' || letter === '\0' || letter === '7') return 'file'
  if (letter === 'L') return 'long-name'
  return letter === 'x' ? 'pax' : 'other'
}

/** Octal text, or big-endian with the first bit set where that is too short (GNU). */
function sizeOf(field: Buffer): number | undefined {
  if (!(field[0]! & 0x80)) return octal(field)
  const value = field.readUIntBE(field.length - 6, 6)
  return field.subarray(1, field.length - 6).every((byte) => byte === 0) ? value : undefined
}

function octal(field: Uint8Array): number | undefined {
  const digits = text(field).trim()
  return /^[0-7]{1,12}$/.test(digits) ? Number.parseInt(digits, 8) : undefined
}

function checksum(bytes: Buffer): number {
  let sum = 0
  for (let i = 0; i < block; i++) sum += i >= checksumAt && i < checksumAt + checksumLength ? 0x20 : bytes[i]!
  return sum
}

function text(field: Uint8Array): string {
  const end = field.indexOf(0)
  return Buffer.from(end === -1 ? field : field.subarray(0, end)).toString('utf8')
}
