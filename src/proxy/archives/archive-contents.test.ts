import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { tarball } from '../../sandbox/registries/tar.ts'
import { zip } from '../../sandbox/registries/zip.ts'
import type { ArchiveContents, ArchiveKind } from './archive.ts'
import { archiveContents } from './archive-contents.ts'

const contentsOf = (kind: ArchiveKind, bytes: Buffer) =>
  archiveContents(kind, { size: bytes.length, read: (from, length) => bytes.subarray(from, from + length) })
const manifest = (fields: object) => JSON.stringify({ name: 'a', version: '1.0.0', ...fields })
const unreadable = { isUnreadable: true }

const tarballs: [string, Record<string, string>, ArchiveContents][] = [
  ['nothing that runs', { 'package/package.json': manifest({ scripts: { test: 'x' } }) }, {}],
  [
    'a script that its own package.json has',
    { 'package/package.json': manifest({ scripts: { preinstall: 'x' } }) },
    { installScript: 'preinstall' },
  ],
  ['another first folder', { 'x/package.json': manifest({ scripts: { install: 'x' } }) }, { installScript: 'install' }],
  [
    'binding.gyp, which no script names',
    { 'package/package.json': manifest({}), 'package/binding.gyp': '{}' },
    { installScript: 'binding.gyp' },
  ],
  ['binding.gyp by a winding path', { 'package/.//Binding.gyp': '{}' }, { installScript: 'binding.gyp' }],
  [
    'binding.gyp that is not to be built',
    { 'package/package.json': manifest({ gypfile: false }), 'package/binding.gyp': '{}' },
    {},
  ],
  ['binding.gyp below', { 'package/deps/binding.gyp': '{}' }, {}],
  ['a package.json that is none', { 'package/package.json': '{' }, unreadable],
]

test('what npm would run out of a tarball', () => {
  for (const [what, files, expected] of tarballs)
    assert.deepEqual(contentsOf('tarball', tarball(files)), expected, what)
})

test('of two files by one name the last counts, because it is what is left', () => {
  const first = gunzipSync(tarball({ 'package/package.json': manifest({}) }))
  const second = gunzipSync(tarball({ 'package/package.json': manifest({ scripts: { postinstall: 'x' } }) }))
  const both = gzipSync(Buffer.concat([first.subarray(0, -1024), second]))
  assert.deepEqual(contentsOf('tarball', both), { installScript: 'postinstall' })
})

test('a tarball that is damaged, misleading or a bomb cannot be read', () => {
  const good = gunzipSync(tarball({ 'package/index.js': 'x'.repeat(2_000) }))
  const members = gzipSync(Buffer.alloc(16 * 1024 * 1024), { level: 1 })
  const bad = {
    'no gzip': Buffer.from('hello'),
    'cut off': tarball({ 'package/a': 'x'.repeat(5_000) }).subarray(0, 60),
    'ends within a file': gzipSync(good.subarray(0, 1_500)),
    'no header': gzipSync(Buffer.concat([good.subarray(0, -1024), Buffer.alloc(512, 7)])),
    'unpacks to more than anybody has': Buffer.concat(Array.from({ length: 17 }, () => members)),
  }
  for (const [what, bytes] of Object.entries(bad)) assert.deepEqual(contentsOf('tarball', bytes), unreadable, what)
})

const wheels: [string, string[], ArchiveContents][] = [
  ['nothing but Python', ['a.py', 'a-1.0.dist-info/METADATA', 'a/data.pth.txt'], {}],
  ['a file that Python runs at every start', ['a_init.pth'], { installScript: 'a_init.pth' }],
  ['the same by way of .data', ['a-1.0.data/purelib/x.pth'], { installScript: 'a-1.0.data/purelib/x.pth' }],
  ['a .pth file where nobody looks', ['a/weights.pth'], {}],
  [
    'machine code',
    ['a/_speed.cpython-312-x86_64-linux-gnu.so'],
    { executable: 'a/_speed.cpython-312-x86_64-linux-gnu.so' },
  ],
  ['machine code with a number', ['a.libs/libz.so.1.2'], { executable: 'a.libs/libz.so.1.2' }],
  ['a script for the path', ['a-1.0.data/scripts/run'], { executable: 'a-1.0.data/scripts/run' }],
]

test('what runs code in a wheel', () => {
  for (const [what, names, expected] of wheels) {
    const files = Object.fromEntries(names.map((name) => [name, 'x']))
    assert.deepEqual(contentsOf('wheel', zip(files)), expected, what)
  }
})

test('a wheel whose list of files says something else than the files cannot be read', () => {
  const honest = zip({ 'a.py': 'x', 'b_init.pth': 'y' })
  const at = honest.lastIndexOf('b_init.pth')
  const renamed = Buffer.concat([honest.subarray(0, at), Buffer.from('b_init.txt'), honest.subarray(at + 10)])
  assert.deepEqual(contentsOf('wheel', renamed), unreadable, 'another name in the list')
  const shorter = Buffer.from(honest)
  shorter.writeUInt16LE(1, shorter.length - 12)
  shorter.writeUInt16LE(1, shorter.length - 14)
  assert.deepEqual(contentsOf('wheel', shorter), unreadable, 'fewer in the list than are there')
  assert.deepEqual(contentsOf('wheel', honest.subarray(0, -5)), unreadable, 'cut off')
  assert.deepEqual(contentsOf('wheel', Buffer.from('hello')), unreadable, 'no zip')
})
