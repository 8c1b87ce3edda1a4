import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { createKeyRing, type KeyStore, type WrappedKey } from './key-ring.ts'

const masterKey = randomBytes(32)
const place = { record: 'config:42', field: 'credentials' }

test('seals with the first version, made on first use, and opens it from a fresh ring', async () => {
  const store = memoryStore()
  const sealed = await createKeyRing({ masterKey, store }).seal('7', 'secret', place)
  assert.equal(sealed.keyVersion, '1')
  assert.equal((await createKeyRing({ masterKey, store }).open('7', sealed, place)).toString(), 'secret')
})

test('after a rotation the new version seals and the old ones still open', async () => {
  const store = memoryStore()
  const ring = createKeyRing({ masterKey, store })
  const bystander = createKeyRing({ masterKey, store })
  const old = await bystander.seal('7', 'old', place)
  assert.equal(await ring.rotate('7'), '2')
  assert.equal(await ring.rotate('7'), '3')
  const fresh = await bystander.seal('7', 'new', place)
  assert.equal(fresh.keyVersion, '3')
  assert.equal(await bystander.currentVersion('7'), '3')
  for (const one of [ring, bystander, createKeyRing({ masterKey, store })]) {
    assert.equal((await one.open('7', old, place)).toString(), 'old')
    assert.equal((await one.open('7', fresh, place)).toString(), 'new')
  }
})

test('a value opens only in its own scope, record, field and version', async () => {
  const ring = createKeyRing({ masterKey, store: memoryStore() })
  const sealed = await ring.seal('7', 'secret', place)
  await ring.seal('8', 'other', place)
  await ring.rotate('7')
  const attempts = [
    () => ring.open('8', sealed, place),
    () => ring.open('instance', sealed, place),
    () => ring.open('7', sealed, { ...place, record: 'config:43' }),
    () => ring.open('7', sealed, { ...place, field: 'url' }),
    ...['2', '3', '0', '01', '-1', '1.0', '', 'x', '__proto__'].map(
      (keyVersion) => () => ring.open('7', { ...sealed, keyVersion }, place),
    ),
  ]
  for (const attempt of attempts) await assert.rejects(attempt, { code: 'credential_unreadable' })
})

test('two rows swapped, of one deployment or of two, do not open', async () => {
  const ring = createKeyRing({ masterKey, store: memoryStore() })
  const names = fc.constantFrom('1', '2', '3')
  const spot = fc.record({ scope: names, record: names, field: names })
  await fc.assert(
    fc.asyncProperty(spot, spot, async (one, other) => {
      fc.pre(one.scope !== other.scope || one.record !== other.record || one.field !== other.field)
      const sealed = await ring.seal(one.scope, 'secret', one)
      assert.equal((await ring.open(one.scope, sealed, one)).toString(), 'secret')
      await assert.rejects(ring.open(other.scope, sealed, other), { code: 'credential_unreadable' })
    }),
  )
})

test('another master key opens nothing and says what to check', async () => {
  const store = memoryStore()
  const sealed = await createKeyRing({ masterKey, store }).seal('7', 'secret', place)
  const stranger = createKeyRing({ masterKey: randomBytes(32), store })
  await assert.rejects(stranger.open('7', sealed, place), { reason: 'wrong_master_key', message: /GATEHOUSE_KEY/ })
  await assert.rejects(stranger.seal('7', 'secret', place), { reason: 'wrong_master_key' })
})

test('a wrapped key moved to another scope or version, or changed in any byte, is refused', async () => {
  const store = memoryStore()
  await createKeyRing({ masterKey, store }).seal('7', 'secret', place)
  const { wrapped } = (await store.list('7'))[0]!
  const changed = Array.from(wrapped, (letter, at) => {
    const other = letter === 'A' ? 'B' : 'A'
    return wrapped.slice(0, at) + other + wrapped.slice(at + 1)
  })
  const planted = [
    { scope: '8', version: 1, wrapped },
    { scope: '7', version: 2, wrapped },
    ...changed.map((wrapped) => ({ scope: '7', version: 1, wrapped })),
  ]
  for (const { scope, version, wrapped } of planted) {
    const other = memoryStore()
    await other.insert(scope, version, wrapped)
    const ring = createKeyRing({ masterKey, store: other })
    await assert.rejects(ring.seal(scope, 'x', place), { reason: 'wrong_master_key' })
  }
})

test('many rings that make the first version at once end with one', async () => {
  const store = memoryStore()
  const rings = Array.from({ length: 20 }, () => createKeyRing({ masterKey, store }))
  const sealed = await Promise.all(rings.map((ring) => ring.seal('7', 'secret', place)))
  assert.equal((await store.list('7')).length, 1)
  for (const value of sealed) assert.equal((await rings[0]!.open('7', value, place)).toString(), 'secret')
})

test('rotations that meet make one version, while sealing and opening go on', async () => {
  const store = memoryStore()
  const rings = Array.from({ length: 6 }, () => createKeyRing({ masterKey, store }))
  await rings[0]!.seal('7', 'first', place)
  const rotations = rings.map((ring) => ring.rotate('7'))
  const traffic = rings.map(async (ring, at) => {
    const sealed = await ring.seal('7', `value ${at}`, place)
    return (await rings[(at + 1) % rings.length]!.open('7', sealed, place)).toString()
  })
  assert.deepEqual(
    await Promise.all(traffic),
    rings.map((_, at) => `value ${at}`),
  )
  assert.deepEqual(new Set(await Promise.all(rotations)), new Set(['2']))
  assert.deepEqual(
    (await store.list('7')).map(({ version }) => version),
    [1, 2],
  )
})

test('opening again asks the store no more', async () => {
  const store = memoryStore()
  const ring = createKeyRing({ masterKey, store })
  const sealed = await ring.seal('7', 'secret', place)
  store.list = () => Promise.reject(new Error('asked again'))
  assert.equal((await ring.open('7', sealed, place)).toString(), 'secret')
})

test('a stored key that was exchanged is noticed by a ring that has the old one in memory', async () => {
  const rows: WrappedKey[] = []
  const store: KeyStore = {
    list: async () => rows,
    insert: async (_scope, version, wrapped) => rows.push({ version, wrapped }) > 0,
  }
  const ring = createKeyRing({ masterKey, store })
  await ring.seal('7', 'secret', place)
  rows[0]!.wrapped = rows[0]!.wrapped.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))
  await assert.rejects(ring.seal('7', 'secret', place), { reason: 'wrong_master_key' })
})

test('what earlier versions of the program stored still opens', async () => {
  const store = memoryStore()
  await store.insert('7', 1, 'f7hFl8JsAOyaaK/I.z0UP0rhl80gEmJi7RgzG+hO7Y2jB8VZaj2VhVHeLvJE=.3tsSjxUyHMwqguN7u+Bt+A==')
  const ring = createKeyRing({
    masterKey: Buffer.from('3JK+ByL6uTpVtW1qQOXtnQBOgTNQT14wDBcyqQarJsE=', 'base64'),
    store,
  })
  const sealed = { nonce: 'JHh66X8QyuWNqG3v', ciphertext: 'jzPmiHpl', tag: 'FDE4nQ4Gcaeb3hJ+/kM0nQ==', keyVersion: '1' }
  assert.equal((await ring.open('7', sealed, place)).toString(), 'secret')
})

test('exports every version of a scope and of no other; a scope without a key gets its first', async () => {
  const ring = createKeyRing({ masterKey, store: memoryStore() })
  const before = await ring.export('7')
  await ring.rotate('7')
  await ring.seal('8', 'other', place)
  const after = await ring.export('7')
  assert.equal(before.currentVersion, '1')
  assert.equal(after.currentVersion, '2')
  assert.deepEqual(
    after.keys.map(({ keyVersion }) => keyVersion),
    ['1', '2'],
  )
  assert.deepEqual(after.keys[0], before.keys[0])
  for (const { key } of after.keys) assert.equal(Buffer.from(key, 'base64').length, 32)
})

test('neither the store nor a printed ring shows a key', async () => {
  const store = memoryStore()
  const ring = createKeyRing({ masterKey, store })
  const { keys } = await ring.export('7')
  const seen = `${inspect(ring, { depth: 9, showHidden: true })} ${JSON.stringify(await store.list('7'))}`
  assert.ok(seen.includes('rotate'))
  assert.ok(!seen.includes(keys[0]!.key) && !seen.includes(masterKey.toString('base64')))
})

function memoryStore(): KeyStore {
  const rows = new Map<string, WrappedKey[]>()
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return {
    async list(scope) {
      await turn()
      return [...(rows.get(scope) ?? [])]
    },
    async insert(scope, version, wrapped) {
      await turn()
      const kept = rows.get(scope) ?? []
      if (kept.some((row) => row.version === version)) return false
      rows.set(scope, [...kept, { version, wrapped }])
      return true
    },
  }
}
