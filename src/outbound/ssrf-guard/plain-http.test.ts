import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCredentialRule } from './plain-http.ts'

const rule = createCredentialRule('registry.internal, 10.0.0.5:8081,[fd00::1]')

const cases: [url: string, may: boolean][] = [
  ['https://anything.example/', true],
  ['http://anything.example/', false],
  ['http://registry.internal/npm/', true],
  ['http://REGISTRY.internal:8081/', true],
  ['http://registry.internal.example/', false],
  ['http://evil-registry.internal/', false],
  ['http://10.0.0.5:8081/', true],
  ['http://10.0.0.5/', false],
  ['http://10.0.0.5:80810/', false],
  ['http://[fd00::1]:4873/', true],
  ['http://127.0.0.1:4873/', true],
  ['http://localhost:4873/', true],
  ['http://[::1]/', true],
  ['http://localhost.example/', false],
  ['http://127.0.0.1.example/', false],
  ['no address', false],
]

for (const [url, may] of cases) test(`${url}: ${may ? 'may' : 'may not'}`, () => assert.equal(rule(url), may))

test('what is not a host is refused', () => {
  for (const text of ['http://registry.internal', 'a b', '*.internal', 'x/y']) {
    assert.throws(() => createCredentialRule(text), text)
  }
})
