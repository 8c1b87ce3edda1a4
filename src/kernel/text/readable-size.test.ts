import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readableSize } from './readable-size.ts'

const cases: [number, string][] = [
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1 KiB'],
  [65_536, '64 KiB'],
  [1_500_000, '1.4 MiB'],
  [268_435_456, '256 MiB'],
  [1024 ** 3, '1 GiB'],
  [2.5 * 1024 ** 4, '2.5 TiB'],
  [1024 ** 5, '1024 TiB'],
]

for (const [bytes, said] of cases) test(`${bytes} are read as ${said}`, () => assert.equal(readableSize(bytes), said))
