import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createCursorSeal } from './cursor-seal.ts'

const key = randomBytes(32)
const seal = createCursorSeal(() => key)
const binding = [1, 'issues', { title: 'x' }]
const position = { id: 7, at: '2026-01-01T00:00:00.000Z' }

test('a cursor is read by every process with the same key, for what it was made for', () => {
  assert.deepEqual(createCursorSeal(() => key).read(binding, seal.write(binding, position)), position)
})

test('a cursor of another question, another key, or another kind is not read', () => {
  const cursor = seal.write(binding, position)
  const bent = [
    seal.write([2, 'issues', { title: 'x' }], position),
    seal.write([1, 'issues', { title: 'y' }], position),
    createCursorSeal(() => randomBytes(32)).write(binding, position),
    '',
    'null',
    '7',
    `${cursor}=`,
    `${cursor} `,
    cursor.slice(0, -1),
    cursor.slice(0, 20),
    Buffer.from(JSON.stringify(position)).toString('base64url'),
  ]
  for (const one of bent) assert.equal(seal.read(binding, one), undefined, one)
})

test('a hidden position is read like others, and nobody else can read it', () => {
  const cursor = seal.writeHidden(binding, position)
  assert.deepEqual(createCursorSeal(() => key).read(binding, cursor), position)
  assert.doesNotMatch(Buffer.from(cursor, 'base64url').toString('latin1'), /2026|"id"/)
  assert.notEqual(cursor, seal.writeHidden(binding, position))
  assert.equal(seal.read([2, 'issues', { title: 'x' }], cursor), undefined)
})

test('no single letter of a cursor can be changed', () => {
  for (const cursor of [seal.write(binding, position), seal.writeHidden(binding, position)]) assertWhole(cursor)
})

function assertWhole(cursor: string): void {
  for (let at = 0; at < cursor.length; at++) {
    const other = cursor[at] === 'A' ? 'B' : 'A'
    assert.equal(seal.read(binding, cursor.slice(0, at) + other + cursor.slice(at + 1)), undefined)
  }
}
