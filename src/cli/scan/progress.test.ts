import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgress } from './progress.ts'

function written(isTTY: boolean, env: Record<string, string>, totalBytes = 200): string[] {
  const lines: string[] = []
  const progress = createProgress(totalBytes, { isTTY, columns: 60, write: (text) => lines.push(text) }, env)
  progress.restart()
  progress.add(100)
  progress.add(100)
  progress.end()
  return lines
}

test('a bar fills, and is gone in the end', () => {
  assert.deepEqual(written(true, {}), [
    `\r\x1b[K${'░'.repeat(30)} 0 %  uploading`,
    `\r\x1b[K${'█'.repeat(15)}${'░'.repeat(15)} 50 %  uploading`,
    `\r\x1b[K${'█'.repeat(30)} 100 %  Gatehouse is reading`,
    '\r\x1b[K',
  ])
})

test('without bytes to send it is full from the start', () => {
  assert.equal(written(true, {}, 0)[0], `\r\x1b[K${'█'.repeat(30)} 100 %  Gatehouse is reading`)
})

test('nothing where nobody looks', () => {
  for (const [isTTY, env] of [
    [false, {}],
    [true, { CI: 'true' }],
    [true, { TERM: 'dumb' }],
  ] as const) {
    assert.deepEqual(written(isTTY, env), [])
  }
})
