import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { derivations, hashPassword, nobodysHash, verifyPassword } from './password.ts'
import { isWeak, refuseWeakPassword } from './weak-password.ts'

// Alone in its process: tests that run the product make passwords cheap, and here the real cost is tested.
const lane = { key: 'test', known: true }
const unguarded = { begin: async () => {}, succeed: async () => {} }
const verify = (password: string, hash: string) => verifyPassword(password, hash, lane, unguarded)
const parametersOf = (hash: string) => hash.split('$').slice(0, 4).join('$')

test('a password verifies against its own hash alone', async () => {
  const hash = await hashPassword('correct horse battery')
  assert.match(hash, /^\$argon2id\$v=19\$m=32768,t=3,p=1\$/)
  assert.ok(await verify('correct horse battery', hash))
  assert.ok(!(await verify('correct horse batterz', hash)))
  assert.ok(!(await verify('', nobodysHash)))
})

test('nothing in the product changes what a password costs', () => {
  const source = join(import.meta.dirname, '../../..')
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))
  const naming = files.filter((file) => readFileSync(join(source, file), 'utf8').includes('derivation-cost.ts'))
  assert.deepEqual(naming, ['capabilities/people/passwords/password.ts'])
  const password = readFileSync(join(import.meta.dirname, 'password.ts'), 'utf8')
  assert.doesNotMatch(password, /\bcost(\.\w+)? = |assign\(cost/)
})

test('an account that does not exist, or has no password, costs the same derivation', async () => {
  assert.equal(parametersOf(nobodysHash), parametersOf(await hashPassword('correct horse battery')))
  for (const hash of [nobodysHash, '', 'not a hash']) {
    const before = derivations().done
    assert.equal(await verify('x', hash), false, hash)
    assert.equal(derivations().done, before + 1, hash)
  }
})

test('an attempt that is refused is not derived', async () => {
  const before = derivations().done
  const begin = () => Promise.reject(new Error('one too many'))
  const refused = verifyPassword('x', nobodysHash, lane, { ...unguarded, begin })
  await assert.rejects(refused, /one too many/)
  assert.equal(derivations().done, before)
})

const about = { email: 'ada.lovelace@engines.example', name: 'Ada Lovelace' }

test('passwords that are guessed first are weak', () => {
  for (const password of [
    'sonyericsson',
    'Password1234',
    'P@ssw0rd1234!',
    'Welcome2026!!',
    'Summer2026!!',
    'qwertyuiop12',
    'poiuytrewq11',
    '1qaz2wsx3edc',
    '123456789012',
    '210987654321',
    'aaaaaaaaaaaa',
    'abababababab',
    'abcdefabcdef',
    'passwordpassword',
    'letmeinletmein1',
    'ｐａｓｓｗｏｒｄ1234',
    'ada.lovelace@engines.example',
    'AdaLovelace1815',
    'Lovelace!2026',
    'gatehouse1234',
    'Engines12345!',
    'correct horse battery staple',
    'ﷺ'.repeat(200),
  ])
    assert.ok(isWeak(password, about), password)
})

test('others are not', () => {
  for (const password of [
    'correct horse battery',
    'another long password',
    'horsebatterymonkeydragon',
    'x7Kq9pX2mTz4',
    'Lm3kd9-Wq_7ZpA2c',
    'vier Hasen im Regen',
    'the owl eats at nine',
  ])
    assert.ok(!isWeak(password, about), password)
  assert.ok(!isWeak('AdaLovelace&Babb', { email: 'b@example.com', name: 'B' }))
})

test('a refusal points to the field', () => {
  assert.throws(() => refuseWeakPassword('Password1234', about, '/next'), {
    code: 'validation_failed',
    errors: [
      {
        pointer: '/next',
        detail:
          'must not be a common password, a row of keys, a repetition, or your own name or address, even with digits around it',
      },
    ],
  })
})
