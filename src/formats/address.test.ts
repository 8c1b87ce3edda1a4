import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { withoutCredentials } from './address.ts'

const cases: [address: string, clean: string][] = [
  ['', ''],
  ['https://registry.npmjs.org/@a/b/-/b-1.0.0.tgz', 'https://registry.npmjs.org/@a/b/-/b-1.0.0.tgz'],
  ['https://registry.yarnpkg.com/a/-/a-1.tgz#0123abc', 'https://registry.yarnpkg.com/a/-/a-1.tgz#0123abc'],
  ['https://user:secret@host.example/a.tgz', 'https://host.example/a.tgz'],
  ['https://token@github.com/a/b.git#main', 'https://github.com/a/b.git#main'],
  ['https://user:p@ss@host.example:8080/a@1', 'https://host.example:8080/a@1'],
  ['https://user:pa/ss@host.example/a', 'https://host.example/a'],
  ['https://host.example:8080/@a/b', 'https://host.example:8080/@a/b'],
  ['git+ssh://git@github.com/a/b.git#0123abc', 'git+ssh://github.com/a/b.git#0123abc'],
  ['git+ssh://git@github.com:a/b#0123abc', 'git+ssh://github.com:a/b#0123abc'],
  ['git@github.com:a/b.git', 'git@github.com:a/b.git'],
  ['user:secret@host.example:a/b.git', 'host.example:a/b.git'],
  ['github:a/b#0123abc', 'github:a/b#0123abc'],
  ['https://h.example/a.tgz?token=x', 'https://h.example/a.tgz'],
  ['https://h.example/a.tgz?X-Amz-Signature=x&ref=v1&private_token=y', 'https://h.example/a.tgz?ref=v1'],
  ['https://h.example/a.git#commit=abc&access_token=x', 'https://h.example/a.git#commit=abc'],
  ['https://h.example/a.git#https://u:p@h.example', 'https://h.example/a.git'],
  [`https://h.example/${'a'.repeat(5000)}`, ''],
]

test('drops users, passwords and tokens from addresses', () => {
  for (const [address, clean] of cases) assert.equal(withoutCredentials(address), clean, address)
})

test('no secret in user, password or unknown parameter survives', () => {
  const user = fc.string({ unit: fc.constantFrom('a', '1', '.', '-', '%') })
  const rest = fc.string({ unit: fc.constantFrom('a', '1', ':', '@', '.', '-', '%', '/') })
  fc.assert(
    fc.property(user, rest, fc.constantFrom('https', 'git+ssh', 'ssh'), (user, rest, scheme) => {
      const clean = withoutCredentials(`${scheme}://${user}:SECRET${rest}@h.example/a?key=SECRET`)
      assert.ok(!clean.includes('SECRET'), clean)
    }),
  )
})
