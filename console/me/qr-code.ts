/** The dark modules of a QR code (ISO/IEC 18004), row by row: bytes, level L, versions 1 to 20. Throws where the text is too long. */
export function qrCode(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text)
  const version = fewestVersion(bytes.length)
  const { grid, reserved } = functionPatterns(version)
  const bits = interleave(dataCodewords(bytes, version), version).flatMap((byte) => bitsOf(byte, 8))
  placeBits(grid, reserved, bits)
  const masked = masks.map((mask, at) => {
    const copy = grid.map((row, y) => row.map((dark, x) => dark !== (!reserved[y]![x] && mask(x, y))))
    writeFormat(copy, at)
    return copy
  })
  return masked.reduce((best, each) => (penalty(each) < penalty(best) ? each : best))
}

// Tables 7 and 9 for level L: error correction codewords of a block, and blocks, by version.
const correction = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28]
const blocks = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8]

const masks: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

function bitsOf(value: number, length: number): boolean[] {
  return Array.from({ length }, (_, at) => ((value >>> (length - 1 - at)) & 1) === 1)
}

function totalCodewords(version: number): number {
  let modules = (16 * version + 128) * version + 64
  if (version >= 2) {
    const count = Math.floor(version / 7) + 2
    modules -= (25 * count - 10) * count - 55
    if (version >= 7) modules -= 36
  }
  return Math.floor(modules / 8)
}

function capacity(version: number): number {
  return totalCodewords(version) - correction[version - 1]! * blocks[version - 1]!
}

function lengthBits(version: number): number {
  return version < 10 ? 8 : 16
}

function fewestVersion(length: number): number {
  for (let version = 1; version <= correction.length; version++) {
    if (4 + lengthBits(version) + length * 8 <= capacity(version) * 8) return version
  }
  throw new Error('The text is too long for a QR code.')
}

function dataCodewords(bytes: Uint8Array, version: number): number[] {
  const byteMode = 4
  const bits = [...bitsOf(byteMode, 4), ...bitsOf(bytes.length, lengthBits(version))]
  for (const byte of bytes) bits.push(...bitsOf(byte, 8))
  const room = capacity(version) * 8
  for (let end = 0; end < 4 && bits.length < room; end++) bits.push(false)
  while (bits.length % 8 !== 0) bits.push(false)
  const words: number[] = []
  for (let at = 0; at < bits.length; at += 8) {
    words.push(bits.slice(at, at + 8).reduce((byte, bit) => byte * 2 + Number(bit), 0))
  }
  for (let pad = 0xec; words.length < capacity(version); pad ^= 0xec ^ 0x11) words.push(pad)
  return words
}

/** Reed-Solomon over GF(256) with x^8 + x^4 + x^3 + x^2 + 1. */
function multiply(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    product ^= ((b >>> bit) & 1) * a
  }
  return product
}

function remainderOf(data: readonly number[], degree: number): number[] {
  const divisor = [...Array<number>(degree - 1).fill(0), 1]
  for (let root = 1, step = 0; step < degree; step++, root = multiply(root, 2)) {
    for (let at = 0; at < degree; at++) divisor[at] = multiply(divisor[at]!, root) ^ (divisor[at + 1] ?? 0)
  }
  const rest = Array<number>(degree).fill(0)
  for (const byte of data) {
    const factor = byte ^ rest.shift()!
    rest.push(0)
    for (let at = 0; at < degree; at++) rest[at]! ^= multiply(divisor[at]!, factor)
  }
  return rest
}

function interleave(data: readonly number[], version: number): number[] {
  const [count, degree] = [blocks[version - 1]!, correction[version - 1]!]
  const short = Math.floor(data.length / count)
  const longer = data.length % count
  let from = 0
  const parts = Array.from({ length: count }, (_, at) => {
    const words = data.slice(from, from + short + (at >= count - longer ? 1 : 0))
    from += words.length
    return { words, checks: remainderOf(words, degree) }
  })
  const out: number[] = []
  for (let at = 0; at <= short; at++) for (const { words } of parts) if (at < words.length) out.push(words[at]!)
  for (let at = 0; at < degree; at++) for (const { checks } of parts) out.push(checks[at]!)
  return out
}

function functionPatterns(version: number) {
  const size = version * 4 + 17
  const grid = Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  const reserved = Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  const set = (x: number, y: number, dark: boolean) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return
    grid[y]![x] = dark
    reserved[y]![x] = true
  }
  const square = (cx: number, cy: number, reach: number, isDark: (distance: number) => boolean) => {
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++) set(cx + dx, cy + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))))
  }
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, (distance) => distance !== 2 && distance !== 4)
  const places = alignmentPlaces(version, size)
  const last = places.length - 1
  places.forEach((x, i) => {
    places.forEach((y, j) => {
      const inFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)
      if (!inFinder) square(x, y, 2, (distance) => distance !== 1)
    })
  })
  // Kept free for the format, which is written with the mask.
  for (let at = 0; at < 9; at++) {
    if (!reserved[8]![at]) set(at, 8, false)
    if (!reserved[at]![8]) set(8, at, false)
  }
  for (let at = 0; at < 8; at++) {
    set(size - 1 - at, 8, false)
    set(8, size - 1 - at, at === 7)
  }
  if (version >= 7) {
    let rest = version
    for (let step = 0; step < 12; step++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25)
    const bits = (version << 12) | rest
    for (let at = 0; at < 18; at++) {
      const [a, b] = [size - 11 + (at % 3), Math.floor(at / 3)]
      set(a, b, ((bits >>> at) & 1) === 1)
      set(b, a, ((bits >>> at) & 1) === 1)
    }
  }
  return { grid, reserved }
}

function alignmentPlaces(version: number, size: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
  return [6, ...Array.from({ length: count - 1 }, (_, at) => size - 7 - (count - 2 - at) * step)]
}

/** Two columns at a time, up and down by turns, from the right. */
function placeBits(grid: boolean[][], reserved: boolean[][], bits: readonly boolean[]): void {
  const size = grid.length
  let next = 0
  for (let right = size - 1, up = true; right >= 1; right -= 2, up = !up) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step++) {
      const y = up ? size - 1 - step : step
      for (const x of [right, right - 1]) if (!reserved[y]![x]) grid[y]![x] = bits[next++] ?? false
    }
  }
}

function writeFormat(grid: boolean[][], mask: number): void {
  const levelL = 1
  const data = (levelL << 3) | mask
  let rest = data
  for (let step = 0; step < 10; step++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537)
  const bits = ((data << 10) | rest) ^ 0x5412
  const size = grid.length
  const bit = (at: number) => ((bits >>> at) & 1) === 1
  const beside = [0, 1, 2, 3, 4, 5, 7, 8]
  for (let at = 0; at < 8; at++) {
    grid[beside[at]!]![8] = bit(at)
    grid[8]![size - 1 - at] = bit(at)
  }
  grid[8]![7] = bit(8)
  for (let at = 9; at < 15; at++) grid[8]![14 - at] = bit(at)
  for (let at = 8; at < 15; at++) grid[size - 15 + at]![8] = bit(at)
}

/** Long runs and squares of one colour are hard to read: the mask with the fewest is taken. */
function penalty(grid: boolean[][]): number {
  const size = grid.length
  let points = 0
  for (let y = 0; y < size; y++) {
    for (const at of [(x: number) => grid[y]![x], (x: number) => grid[x]![y]]) {
      for (let x = 1, run = 1; x <= size; x++) {
        if (x < size && at(x) === at(x - 1)) run++
        else {
          if (run >= 5) points += run - 2
          run = 1
        }
      }
    }
    for (let x = 1; x < size && y > 0; x++) {
      const here = grid[y]![x]
      if (here === grid[y]![x - 1] && here === grid[y - 1]![x] && here === grid[y - 1]![x - 1]) points += 3
    }
  }
  return points
}
