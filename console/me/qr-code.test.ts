import assert from 'node:assert/strict'
import { test } from 'node:test'
import { qrCode } from './qr-code.ts'

/** A reader of its own: format, mask, the way of the bits, blocks, and whether every block is a codeword of Reed-Solomon. */
function read(grid: boolean[][]): string {
  const size = grid.length
  const version = (size - 17) / 4
  const format = formatOf(grid)
  assert.equal(format >> 3, 1, 'level L')
  const free = freeModules(version, size)
  const bits: number[] = []
  let up = true
  for (let column = size - 1; column > 0; column -= 2) {
    if (column === 6) column--
    for (let step = 0; step < size; step++) {
      const y = up ? size - 1 - step : step
      for (const x of [column, column - 1]) {
        if (free[y]![x]) bits.push(Number(grid[y]![x]) ^ Number(isMasked(format & 7, y, x)))
      }
    }
    up = !up
  }
  const words = Array.from({ length: Math.floor(bits.length / 8) }, (_, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(''), 2),
  )
  const data = dataOf(words, layouts[version]!)
  assert.equal(data[0]! >> 4, 4, 'bytes')
  const plain = data.map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const lengthBits = version < 10 ? 8 : 16
  const length = Number.parseInt(plain.slice(4, 4 + lengthBits), 2)
  const begin = 4 + lengthBits
  const bytes = Array.from({ length }, (_, at) => Number.parseInt(plain.slice(begin + at * 8, begin + at * 8 + 8), 2))
  return Buffer.from(bytes).toString()
}

// ISO/IEC 18004, table 9, level L: [blocks, data codewords of each] for the versions that are tried here.
const layouts: Record<number, { checks: number; groups: [number, number][] }> = {
  1: { checks: 7, groups: [[1, 19]] },
  2: { checks: 10, groups: [[1, 34]] },
  7: { checks: 20, groups: [[2, 78]] },
  8: { checks: 24, groups: [[2, 97]] },
  10: {
    checks: 18,
    groups: [
      [2, 68],
      [2, 69],
    ],
  },
  20: {
    checks: 28,
    groups: [
      [3, 107],
      [5, 108],
    ],
  },
}

function formatOf(grid: boolean[][]): number {
  const row = [0, 1, 2, 3, 4, 5, 7, 8].map((x) => grid[8]![x])
  const column = [7, 5, 4, 3, 2, 1, 0].map((y) => grid[y]![8])
  const bits = [...row, ...column].map(Number)
  const size = grid.length
  const again = [
    ...Array.from({ length: 7 }, (_, at) => grid[size - 1 - at]![8]),
    ...Array.from({ length: 8 }, (_, at) => grid[8]![size - 8 + at]),
  ].map(Number)
  assert.deepEqual(bits, again)
  const value = Number.parseInt(bits.join(''), 2) ^ 0b101010000010010
  let rest = value
  for (let bit = 14; bit >= 10; bit--) if (rest & (1 << bit)) rest ^= 0b10100110111 << (bit - 10)
  assert.equal(rest, 0, 'the format is a codeword')
  return value >> 10
}

function isMasked(mask: number, i: number, j: number): boolean {
  const sum = (i * j) % 2
  const third = (i * j) % 3
  return (
    [
      (i + j) % 2,
      i % 2,
      j % 3,
      (i + j) % 3,
      (Math.floor(i / 2) + Math.floor(j / 3)) % 2,
      sum + third,
      (sum + third) % 2,
      (((i + j) % 2) + third) % 2,
    ][mask] === 0
  )
}

// Annex E.
const alignment: Record<number, number[]> = {
  1: [],
  2: [6, 18],
  7: [6, 22, 38],
  8: [6, 24, 42],
  10: [6, 28, 50],
  20: [6, 34, 62, 90],
}

function freeModules(version: number, size: number): boolean[][] {
  const free = Array.from({ length: size }, () => Array<boolean>(size).fill(true))
  const take = (x: number, y: number, width: number, height: number) => {
    for (let dy = 0; dy < height; dy++) for (let dx = 0; dx < width; dx++) free[y + dy]![x + dx] = false
  }
  take(0, 0, 9, 9)
  take(size - 8, 0, 8, 9)
  take(0, size - 8, 9, 8)
  take(6, 0, 1, size)
  take(0, 6, size, 1)
  const places = alignment[version]!
  const [first, last] = [places[0], places.at(-1)]
  for (const x of places)
    for (const y of places) {
      const corner = [x, y].every((at) => at === first || at === last) && !(x === last && y === last)
      if (!corner) take(x - 2, y - 2, 5, 5)
    }
  if (version >= 7) {
    take(size - 11, 0, 3, 6)
    take(0, size - 11, 6, 3)
  }
  return free
}

function dataOf(words: number[], { checks, groups }: { checks: number; groups: [number, number][] }): number[] {
  const lengths = groups.flatMap(([count, length]) => Array<number>(count).fill(length))
  const parts = lengths.map(() => [] as number[])
  let next = 0
  for (let at = 0; at < Math.max(...lengths); at++)
    lengths.forEach((length, part) => {
      if (at < length) parts[part]!.push(words[next++]!)
    })
  const data = parts.flatMap((part) => [...part])
  for (let at = 0; at < checks; at++) for (const part of parts) part.push(words[next++]!)
  for (const part of parts) {
    for (let root = 0; root < checks; root++) {
      const value = part.reduce((sum, word) => times(sum, power(root)) ^ word, 0)
      assert.equal(value, 0, 'a block is a codeword')
    }
  }
  return data
}

function times(a: number, b: number): number {
  let product = 0
  for (let x = a, y = b; y > 0; y >>= 1) {
    if (y & 1) product ^= x
    x <<= 1
    if (x & 256) x ^= 285
  }
  return product
}

function power(exponent: number): number {
  let value = 1
  for (let step = 0; step < exponent; step++) value = times(value, 2)
  return value
}

test('what is written is read again, whatever its version', () => {
  const uri = 'otpauth://totp/Gatehouse%20localhost:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=G'
  const texts = [
    'a',
    'x'.repeat(17),
    'x'.repeat(18),
    uri.padEnd(150, 'y'),
    uri.padEnd(190, 'z'),
    'ü'.repeat(130),
    'q'.repeat(850),
  ]
  for (const text of texts) assert.equal(read(qrCode(text)), text)
})

test('what does not fit is refused', () => {
  assert.throws(() => qrCode('x'.repeat(859)), /too long/)
})
