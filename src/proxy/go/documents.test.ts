import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { zip } from '../../sandbox/registries/zip.ts'
import { createThreads } from '../threads/threads.ts'
import { listWithout, newestOf, readInfo, readSums, readVersionList } from './documents.ts'
import { moduleSum } from './module-sum.ts'

const bytes = (content: Buffer) => ({
  size: content.length,
  read: (offset: number, length: number) => content.subarray(offset, offset + length),
})

test('a list has a version a line, and nothing where there is none', () => {
  assert.deepEqual(readVersionList(Buffer.from('v1.0.0\nv1.1.0 2026-01-01T00:00:00Z\n\nv1.0.0\n')), [
    'v1.0.0',
    'v1.1.0',
  ])
  assert.deepEqual(readVersionList(Buffer.from('')), [])
  assert.equal(listWithout(Buffer.from('v1.0.0\nv1.1.0\nv2.0.0'), new Set(['v1.1.0'])), 'v1.0.0\nv2.0.0\n')
  for (const text of ['<html>', '[]', 'v1.0.0\nmain', '1.0.0']) {
    assert.throws(() => readVersionList(Buffer.from(text)), { code: 'bad_upstream' })
  }
})

test('the newest is the highest release, and a pre-release only where there is no other', () => {
  assert.equal(newestOf(['v1.9.0', 'v1.10.0', 'v2.0.0-rc.1']), 'v1.10.0')
  assert.equal(
    newestOf(['v0.0.0-20200101000000-abcdef012345', 'v0.0.0-20210101000000-abcdef012345']),
    'v0.0.0-20210101000000-abcdef012345',
  )
  assert.equal(newestOf([]), undefined)
})

test('what a proxy says of a version', () => {
  const text = '{"Version":"v1.0.0","Time":"2026-01-02T03:04:05Z","Origin":{}}'
  assert.deepEqual(readInfo(Buffer.from(text)), { version: 'v1.0.0', time: new Date('2026-01-02T03:04:05Z'), text })
  assert.equal(readInfo(Buffer.from('{"Version":"v1.0.0"}')).time, undefined)
  for (const broken of ['', '[]', 'null', '{}', '{"Version":1}', '{"Version":"main"}']) {
    assert.throws(() => readInfo(Buffer.from(broken)), { code: 'bad_upstream' })
  }
})

const sum = Buffer.alloc(32, 7)
const record = (module: string, version: string) =>
  `12\n${module} ${version} h1:${sum.toString('base64')}\n${module} ${version}/go.mod h1:${sum.toString('base64')}\n\ngo.sum database tree\n`

test('a record of the checksum database is about the module and the version that were asked for', () => {
  const { zip: ofZip, mod } = readSums(record('a.b/c', 'v1.0.0'), 'a.b/c', 'v1.0.0')
  assert.deepEqual(
    [ofZip, mod],
    [
      { algorithm: 'h1', hex: sum.toString('hex') },
      { algorithm: 'h1mod', hex: sum.toString('hex') },
    ],
  )
  for (const other of [record('a.b/d', 'v1.0.0'), record('a.b/c', 'v1.0.1'), '<html>', '']) {
    assert.throws(() => readSums(other, 'a.b/c', 'v1.0.0'), { code: 'bad_upstream' })
  }
})

test('the sum of a module is that of go.sum, and depends on every name and byte in its zip', () => {
  const files = { 'm@v1.0.0/b.go': 'package b\n', 'm@v1.0.0/a.go': 'package a\n', 'm@v1.0.0/go.mod': 'module m\n' }
  const digest = (text: string) => createHash('sha256').update(text).digest('hex')
  const lines = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `${digest(text)}  ${name}\n`)
  assert.equal(moduleSum('h1', bytes(zip(files))), digest(lines.join('')))
  assert.notEqual(moduleSum('h1', bytes(zip({ ...files, 'm@v1.0.0/c.go': '' }))), digest(lines.join('')))
  assert.equal(moduleSum('h1mod', bytes(Buffer.from('module m\n'))), digest(`${digest('module m\n')}  go.mod\n`))
  const twice = Buffer.from(zip({ 'm/a.go': 'package a\n', 'm/b.go': 'package b\n' }))
  for (let at = twice.indexOf('b.go'); at >= 0; at = twice.indexOf('b.go')) twice.write('a.go', at)
  for (const broken of [Buffer.from('PK'), zip(files).subarray(0, -1), zip({ 'a\nb': '' }), twice]) {
    assert.equal(moduleSum('h1', bytes(broken)), undefined)
  }
})

test('a zip is never unpacked in the thread that answers requests, however small it is', async (t) => {
  const [threads, none] = [createThreads(), createThreads({ waiting: 0 })]
  t.after(() => threads.close())
  const small = zip({ 'm@v1.0.0/go.mod': 'module m\n' })
  assert.equal(await threads.sumOfModule('one', 'h1', small), moduleSum('h1', bytes(small)))
  await assert.rejects(none.sumOfModule('one', 'h1', small), { code: 'unavailable' })
  const mod = Buffer.from('module m\n')
  assert.equal(await none.sumOfModule('one', 'h1mod', mod), moduleSum('h1mod', bytes(mod)))
})
