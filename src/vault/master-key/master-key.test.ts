import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { often } from '../../../test/depth.ts'
import { VaultError } from '../vault-error.ts'
import { createKeyFile, readKeyFile } from './key-file.ts'
import { loadMasterKey } from './master-key.ts'
import { parseMasterKey } from './master-key-text.ts'

const good = randomBytes(32).toString('base64')
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64')
const padded = (text: string) =>
  Buffer.concat([Buffer.from(text), Buffer.alloc(32)])
    .subarray(0, 32)
    .toString('base64')
const bytes = (make: (at: number) => number) =>
  Buffer.from(Array.from({ length: 32 }, (_, at) => make(at))).toString('base64')

const refused: [name: string, text: string][] = [
  ['empty', ''],
  ['blank', '  \n'],
  ['too short', randomBytes(31).toString('base64')],
  ['too long', randomBytes(33).toString('base64')],
  ['hexadecimal', randomBytes(32).toString('hex')],
  ['not base64', `${good.slice(0, 10)}!${good.slice(11)}`],
  ['two alphabets mixed', `+-${good.slice(2)}`],
  ['text, not base64', 'correct horse battery staple correct horse'],
  ['all zero', Buffer.alloc(32).toString('base64')],
  ['all the same', Buffer.alloc(32, 0xa7).toString('base64')],
  ['counting up', bytes((at) => at)],
  ['counting down', bytes((at) => 200 - at)],
  ['even steps', bytes((at) => 7 + at * 37)],
  ['a password, padded', padded('changeme')],
  ['a long password, padded', padded('Tr0ub4dor&3-xkcd-9!')],
  ['16 random bytes, padded', Buffer.concat([randomBytes(16), Buffer.alloc(16)]).toString('base64')],
  ['16 random bytes, twice', Buffer.alloc(32, randomBytes(16)).toString('base64')],
  ['repeated words', Buffer.from('changemechangemechangemechangeme').toString('base64')],
  ['a sentence', Buffer.from('The quick brown fox jumps over a').toString('base64')],
  ['hexadecimal digits of 16 bytes', Buffer.from(randomBytes(16).toString('hex')).toString('base64')],
  ['typed as base64', 'thisisaverysecretkeythatnobodyknows12345678='],
  ['typed as base64, capitals', 'THISISAVERYSECRETKEYTHATNOBODYKNOWS12345678='],
  ['few different bytes', bytes((at) => 0x80 | ((at * at * at + at * 7 + (at >> 2) * 5) % 13))],
  ['the hash of nothing', sha256('')],
  ['the hash of a usual password', sha256('changeme')],
  ['a published example key', 'YD3rEBXKcb4rc67whX13gR81LAc7YQjXLZgQowkU3/Q='],
]

for (const [name, text] of refused) {
  test(`refuses a master key that is ${name}`, () => {
    assert.throws(
      () => parseMasterKey(text, 'GATEHOUSE_KEY'),
      (error: VaultError) => {
        assert.equal(error.reason, 'bad_master_key')
        assert.match(error.message, /^GATEHOUSE_KEY .*openssl rand -base64 32$/)
        if (text.trim().length > 8) assert.ok(!error.message.includes(text.trim()))
        return true
      },
    )
  })
}

test('takes any random key, in base64 and base64url, padded or not', () => {
  fc.assert(
    fc.property(fc.nat(), () => {
      const key = randomBytes(32)
      for (const text of [key.toString('base64'), key.toString('base64url'), `${key.toString('base64')}\n`]) {
        assert.deepEqual(parseMasterKey(text, 'it'), key)
      }
    }),
    { numRuns: often(2000) },
  )
})

test('where one belongs to something already, none is made', (t) => {
  const folder = emptyFolder(t)
  assert.throws(() => loadMasterKey({ env: undefined, folder, mayMake: false }), {
    reason: 'bad_master_key',
    message: `There is no master key here. Put the one that belongs to the database into ${join(folder, 'key')} (mode 0600), or set GATEHOUSE_KEY to it.`,
  })
  assert.deepEqual(readdirSync(folder), [])
})

test('makes a key file on first use and reads it ever after', (t) => {
  const folder = join(emptyFolder(t), 'data', 'deeper')
  const first = loadMasterKey({ env: undefined, folder })
  const second = loadMasterKey({ env: undefined, folder })
  assert.deepEqual(first.source, { kind: 'file', path: join(folder, 'key'), created: true })
  assert.deepEqual(second.source, { kind: 'file', path: join(folder, 'key'), created: false })
  assert.deepEqual(second.key, first.key)
  assert.equal(statSync(join(folder, 'key')).mode & 0o777, 0o600)
  assert.equal(readFileSync(join(folder, 'key'), 'utf8'), `${first.key.toString('base64')}\n`)
  assert.deepEqual(readdirSync(folder), ['key'])
})

test('the environment wins over the file and says so', (t) => {
  const folder = emptyFolder(t)
  assert.deepEqual(loadMasterKey({ env: good, folder }).source, { kind: 'environment', ignoredFile: undefined })
  assert.deepEqual(readdirSync(folder), [])
  loadMasterKey({ env: undefined, folder })
  const { key, source } = loadMasterKey({ env: good, folder })
  assert.equal(key.toString('base64'), good)
  assert.deepEqual(source, { kind: 'environment', ignoredFile: join(folder, 'key') })
})

test('an empty variable does not fall back to the file', (t) => {
  const folder = emptyFolder(t)
  loadMasterKey({ env: undefined, folder })
  assert.throws(() => loadMasterKey({ env: '', folder }), /GATEHOUSE_KEY is empty/)
})

for (const mode of [0o640, 0o604, 0o620, 0o602, 0o601, 0o610]) {
  test(`refuses a key file with mode ${mode.toString(8)}`, (t) => {
    const folder = emptyFolder(t)
    loadMasterKey({ env: undefined, folder })
    chmodSync(join(folder, 'key'), mode)
    refuses(folder, /open to other users. Run: chmod 600/)
  })
}

test('refuses a key file of another user', (t) => {
  const folder = emptyFolder(t)
  loadMasterKey({ env: undefined, folder })
  const uid = process.getuid!() + 1
  assert.throws(() => loadMasterKey({ env: undefined, folder, uid }), /belongs to user/)
})

const skip = process.getuid?.() === 0 ? false : 'only root works in folders of others'

test('as root in the folder of somebody else the key is theirs, and read', { skip }, (t) => {
  const folder = emptyFolder(t)
  chownSync(folder, 65_534, 65_534)
  const { key } = loadMasterKey({ env: undefined, folder })
  const path = join(folder, 'key')
  assert.deepEqual([statSync(path).uid, statSync(path).gid, statSync(path).mode & 0o777], [65_534, 65_534, 0o600])
  assert.deepEqual(loadMasterKey({ env: undefined, folder }).key, key)
  assert.deepEqual(readKeyFile(path, 65_534), key)
  // One that root had made before this was so.
  chownSync(path, 0, 0)
  assert.deepEqual(loadMasterKey({ env: undefined, folder }).key, key)
  assert.throws(() => readKeyFile(path, 65_534), /belongs to user 0, not to 65534\. Run as that user, or: chown 65534 /)
  chownSync(path, 65_533, 65_533)
  assert.throws(() => loadMasterKey({ env: undefined, folder }), /belongs to user 65533, not to 0/)
})

test('refuses a symbolic link, also one that leads nowhere, and writes nothing through it', (t) => {
  const folder = emptyFolder(t)
  const elsewhere = emptyFolder(t)
  symlinkSync(join(elsewhere, 'key'), join(folder, 'key'))
  refuses(folder, /symbolic link/)
  assert.deepEqual(readdirSync(elsewhere), [])
  loadMasterKey({ env: undefined, folder: elsewhere })
  refuses(folder, /symbolic link/)
})

test('refuses a key file that holds a weak key, nothing, or too much', (t) => {
  for (const text of ['', Buffer.alloc(32).toString('base64'), 'x'.repeat(5000)]) {
    const folder = emptyFolder(t)
    writeFileSync(join(folder, 'key'), text, { mode: 0o600 })
    refuses(folder, /key file .*(is empty|is not random|too large)/)
  }
})

test('a key file that has come about meanwhile is not replaced', (t) => {
  const folder = emptyFolder(t)
  const path = join(folder, 'key')
  assert.equal(createKeyFile(folder, path), true)
  const first = readKeyFile(path, process.getuid?.())
  assert.equal(createKeyFile(folder, path), false)
  assert.deepEqual(readKeyFile(path, process.getuid?.()), first)
  assert.deepEqual(readdirSync(folder), ['key'])
})

test('processes that start at once end with one key', async (t) => {
  const folder = emptyFolder(t)
  const module = JSON.stringify(join(import.meta.dirname, 'master-key.ts'))
  const script = `import { loadMasterKey } from ${module}
    const { key, source } = loadMasterKey({ env: undefined, folder: ${JSON.stringify(folder)} })
    console.log(JSON.stringify([key.toString('base64'), source.created]))`
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  const answers = await Promise.all(Array.from({ length: 8 }, run))
  const seen = answers.map(({ stdout }) => JSON.parse(stdout) as [string, boolean])
  assert.equal(new Set(seen.map(([key]) => key)).size, 1)
  assert.equal(seen.filter(([, created]) => created).length, 1)
  assert.deepEqual(readdirSync(folder), ['key'])
})

function refuses(folder: string, message: RegExp): void {
  assert.throws(
    () => loadMasterKey({ env: undefined, folder }),
    (error: unknown) => {
      assert.ok(error instanceof VaultError)
      assert.match(error.message, message)
      return true
    },
  )
}

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'vault-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}
