import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFilePath } from './file-path.ts'

const taken: [given: string, path: string][] = [
  ['package-lock.json', 'package-lock.json'],
  ['./a/b.json', 'a/b.json'],
  ['././a', 'a'],
  ['a b/größe.txt', 'a b/größe.txt'],
  ['..a/b..', '..a/b..'],
  ['a:b', 'a:b'],
]

const refused = [
  '',
  './',
  '.',
  '..',
  '../a',
  'a/../b',
  'a/..',
  '/a',
  'a//b',
  'a/',
  'a/./b',
  'a\\b',
  'a\nb',
  'a\0',
  '\ud800',
  'x'.repeat(1001),
]

test('paths that are taken', () => {
  for (const [given, path] of taken) assert.deepEqual(readFilePath(given), { path })
})

test('paths that are refused', () => {
  for (const given of refused) assert.equal(typeof readFilePath(given).fault, 'string', JSON.stringify(given))
})
