import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, gunzipSync, gzipSync } from 'node:zlib'
import { tarball } from '../../sandbox/registries/tar.ts'
import { zip } from '../../sandbox/registries/zip.ts'
import type { ArchiveContents, ArchiveKind } from './archive.ts'
import { archiveContents } from './archive-contents.ts'

const contentsOf = (kind: ArchiveKind, bytes: Buffer) =>
  archiveContents(kind, { size: bytes.length, read: (from, length) => bytes.subarray(from, from + length) })
const manifest = (fields: object) => JSON.stringify({ name: 'a', version: '1.0.0', ...fields })
const scripted = manifest({ scripts: { postinstall: 'x' } })
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
  [
    'a script of a package that is bundled with it',
    { 'package/package.json': manifest({}), 'package/node_modules/b/package.json': scripted },
    { installScript: 'postinstall in node_modules/b' },
  ],
  [
    'what is built of a package that a bundled one bundles',
    { 'package/Node_Modules/b/node_modules/@c/d/binding.gyp': '{}' },
    { installScript: 'binding.gyp in node_modules/b/node_modules/@c/d' },
  ],
  [
    'its own script and one that is bundled',
    {
      'package/node_modules/b/package.json': scripted,
      'package/package.json': manifest({ scripts: { install: 'x' } }),
    },
    { installScript: 'install' },
  ],
  [
    'scripts of what nobody installs',
    { 'package/example/package.json': scripted, 'package/node_modules/b/test/package.json': scripted },
    {},
  ],
]

test('what npm would run out of a tarball', () => {
  for (const [what, files, expected] of tarballs)
    assert.deepEqual(contentsOf('tarball', tarball(files)), expected, what)
})

const gyp = 'package/binding.gyp'
type Header = { type?: string; mark?: string; prefix?: string; link?: string }

/** One entry as it lies in a tar. */
function entry(
  name: string,
  content: string,
  { type = '0', mark = 'ustar\x0000', prefix = '', link = '' }: Header = {},
) {
  const head = Buffer.alloc(512)
  head.write(name, 0)
  head.write(Buffer.byteLength(content).toString(8).padStart(11, '0'), 124)
  head.write(' '.repeat(8), 148)
  head.write(type + link, 156)
  head.write(mark, 257, 'latin1')
  head.write(prefix, 345)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([head, Buffer.from(content), Buffer.alloc(-Buffer.byteLength(content) & 511)])
}

function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const length = rest.length + 2
  return `${length}${rest}`
}

const end = Buffer.alloc(1024)
const hidden = entry(gyp, '{}').toString('latin1')
const long = (type: string, content: string) => entry('x', content, { type })

const hiding: [how: string, parts: Buffer[], expected: ArchiveContents][] = [
  ['a long name of an older kind', [long('N', gyp), entry('package/a', '{}')], unreadable],
  ['pax of an older kind', [long('X', record('path', gyp)), entry('package/a', '{}')], unreadable],
  [
    'a long link between its name and the file',
    [long('x', record('path', gyp)), long('K', 'a'), entry('package/a', '{}')],
    { installScript: 'binding.gyp' },
  ],
  [
    'what is for all between its name and the file',
    [long('x', record('path', gyp)), long('g', record('comment', 'abcd')), entry('package/a', '{}')],
    { installScript: 'binding.gyp' },
  ],
  ['two names', [long('x', record('path', 'package/abcde') + record('path', gyp)), entry('a', '{}')], unreadable],
  [
    'a record within another',
    [long('x', record('a', `\n${record('path', gyp)}`)), entry('package/a', '{}')],
    unreadable,
  ],
  ['a record of a wrong length', [long('x', `15 path=x/a\n${record('path', gyp)}`), entry('a', '{}')], unreadable],
  ['a name that ends within', [long('x', record('path', `${gyp}\0`)), entry('package/a', '{}')], unreadable],
  ['a size for all', [long('g', record('size', '000')), entry('package/a', hidden)], unreadable],
  ['another size', [long('x', record('size', '000')), entry('package/a', hidden)], unreadable],
  ['another type', [long('x', record('type', 'File')), entry(gyp, '', { type: '5' })], unreadable],
  ['a folder with content', [entry('package/a', hidden, { type: '5' })], unreadable],
  ['a file that is called a folder', [entry('package/a/', hidden)], unreadable],
  ['a link with content', [entry('package/a', hidden, { type: '2', link: 'b' })], unreadable],
  ['a file that is a link too', [entry('package/a', hidden, { link: 'b' })], unreadable],
  ['a file without a name', [entry('', hidden)], unreadable],
  ['a single empty block', [Buffer.alloc(512), entry(gyp, '{}')], unreadable],
  [
    'folders that GNU does not have',
    [entry(gyp, '{}', { mark: 'ustar  \0', prefix: 'a' })],
    { installScript: 'binding.gyp' },
  ],
  ['folders that not all see', [entry('binding.gyp', '{}', { mark: 'ustar\x00 1', prefix: 'a' })], unreadable],
  ['a backslash', [entry('a\\b/binding.gyp', '{}')], { installScript: 'binding.gyp' }],
  ['a path that leads back', [entry('package/a/../binding.gyp', '{}')], unreadable],
  ['a dot that Windows drops', [entry(`${gyp}.`, '{}')], { installScript: 'binding.gyp' }],
  [
    'another manifest in capital letters',
    [entry('package/package.json', manifest({ scripts: { install: 'x' } })), entry('package/PACKAGE.json', '{}')],
    { installScript: 'install' },
  ],
]

for (const [how, parts, expected] of hiding) {
  test(`nothing hides from us that npm would run: ${how}`, () => {
    assert.deepEqual(contentsOf('tarball', gzipSync(Buffer.concat([...parts, end]))), expected)
  })
}

test('what packers write beside the files is no reason not to read a tarball', () => {
  const said = record('NODETAR.readme', '# a\n# b') + record('path', gyp) + record('size', '002')
  const parts = [long('g', record('comment', '0123456789')), entry('package', '', { type: '5' }), long('x', said)]
  const bytes = gzipSync(Buffer.concat([...parts, entry('package/a', '{}'), end]))
  assert.deepEqual(contentsOf('tarball', bytes), { installScript: 'binding.gyp' })
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
  ['what Python calls at every start', ['a_init.start'], { installScript: 'a_init.start' }],
  ['a module that Python imports at every start', ['sitecustomize.py'], { installScript: 'sitecustomize.py' }],
  [
    'the same as a folder, by way of .data',
    ['a-1.0.data/platlib/usercustomize/__init__.py'],
    { installScript: 'a-1.0.data/platlib/usercustomize/__init__.py' },
  ],
  ['one that only its own launcher imports', ['a/bootstrap/sitecustomize.py'], {}],
  ['a .pth file where nobody looks', ['a/weights.pth'], {}],
  ['a .pth file by a winding path', ['.//a_init.pth'], { installScript: './/a_init.pth' }],
  ['a .pth file by a path that leads back', ['a/../a_init.pth'], unreadable],
  ['a name that Python ends within', ['a_init.pth\0.txt'], unreadable],
  ['a dot that Windows drops', ['a_init.pth.'], { installScript: 'a_init.pth.' }],
  ['a stream of Windows', ['a_init.pth::$DATA'], { installScript: 'a_init.pth::$DATA' }],
  [
    'machine code',
    ['a/_speed.cpython-312-x86_64-linux-gnu.so'],
    { executable: 'a/_speed.cpython-312-x86_64-linux-gnu.so' },
  ],
  ['machine code with a number', ['a.libs/libz.so.1.2'], { executable: 'a.libs/libz.so.1.2' }],
  ['a script for the path', ['a-1.0.data/scripts/run'], { executable: 'a-1.0.data/scripts/run' }],
  ['a program beside the interpreter', ['a-1.0.data/data/bin/run'], { executable: 'a-1.0.data/data/bin/run' }],
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

/** A zip in its parts: the files, the list of them, the end. */
function partsOf(bytes: Buffer): [files: Buffer, list: Buffer, end: Buffer] {
  const start = bytes.readUInt32LE(bytes.length - 6)
  return [bytes.subarray(0, start), bytes.subarray(start, -22), bytes.subarray(-22)]
}

function endOf(files: number, list: Buffer, start: number, comment = Buffer.alloc(0)): Buffer {
  const record = Buffer.alloc(22)
  record.write('PK\x05\x06', 'latin1')
  for (const at of [8, 10]) record.writeUInt16LE(files, at)
  record.writeUInt32LE(list.length, 12)
  record.writeUInt32LE(start, 16)
  record.writeUInt16LE(comment.length, 20)
  return Buffer.concat([record, comment])
}

function largeEndOf(files: number, list: Buffer, start: number): Buffer {
  const records = Buffer.alloc(76)
  records.write('PK\x06\x06', 'latin1')
  for (const at of [24, 32]) records.writeBigUInt64LE(BigInt(files), at)
  records.writeBigUInt64LE(BigInt(list.length), 40)
  records.writeBigUInt64LE(BigInt(start), 48)
  records.write('PK\x06\x07', 56, 'latin1')
  records.writeBigUInt64LE(BigInt(start + list.length), 64)
  return records
}

/** A wheel whose file has a second name, in its header or in the list. */
function renamed(name: string, place: 'header' | 'list'): Buffer {
  const [files, list] = partsOf(zip({ 'a.txt': 'x' }))
  const field = Buffer.concat([Buffer.from([0x75, 0x70, 5 + name.length, 0, 1, 0, 0, 0, 0]), Buffer.from(name)])
  field.writeUInt32LE(crc32('a.txt'), 5)
  const [header, more, at] = place === 'header' ? [files, 28, 35] : [list, 30, list.length]
  header.writeUInt16LE(field.length, more)
  const longer = Buffer.concat([header.subarray(0, at), field, header.subarray(at)])
  const [all, whole] = place === 'header' ? [longer, list] : [files, longer]
  return Buffer.concat([all, whole, endOf(1, whole, all.length)])
}

test('a file with a second name, which some installers take, cannot be read', () => {
  for (const place of ['header', 'list'] as const) {
    assert.deepEqual(contentsOf('wheel', renamed('a_init.pth', place)), unreadable, place)
    assert.deepEqual(contentsOf('wheel', renamed('a.txt', place)), {}, `the same once more, ${place}`)
  }
})

test('a wheel in which an installer finds another list, or files without one, cannot be read', () => {
  const [files, honest] = partsOf(zip({ 'a.py': 'x' }))
  const [evilFiles, evil] = partsOf(zip({ 'b.pth': 'x' }))
  const [all, both] = partsOf(zip({ 'a.py': 'x', 'b.pth': 'y' }))
  const lists = all.length + honest.length
  const inner = Buffer.concat([endOf(2, both, all.length), Buffer.from('x')])
  const wheels = {
    'right before the end': [files, honest, evilFiles, evil, endOf(1, honest, files.length)],
    'by zip64': [all, honest, both, largeEndOf(2, both, lists), endOf(1, honest, all.length)],
    'by an end in the comment': [all, both, honest, endOf(1, honest, all.length + both.length, inner)],
    'files without a list': [all, honest, endOf(1, honest, all.length)],
  }
  for (const [what, parts] of Object.entries(wheels))
    assert.deepEqual(contentsOf('wheel', Buffer.concat(parts)), unreadable, what)
  const commented = Buffer.concat([files, honest, endOf(1, honest, files.length, Buffer.from('zip-rs'))])
  assert.deepEqual(contentsOf('wheel', commented), {}, 'a comment alone')
  const large = Buffer.concat([all, both, largeEndOf(2, both, all.length), endOf(2, both, all.length)])
  assert.deepEqual(contentsOf('wheel', large), { installScript: 'b.pth' }, 'zip64 without need')
})
