import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOwnFront, ownUpstreamProblem } from './own-upstream.ts'

const here = { publicUrl: 'https://g.example', port: 8080 }
const cases: [string, boolean][] = [
  ['https://g.example/firewall/1/npm/', true],
  ['https://g.example/firewall/7/pypi/simple/', true],
  ['http://localhost:8080/firewall/1/maven/', true],
  ['http://127.0.0.1:8080/firewall/1/npm', true],
  ['https://g.example/firewall/1/cargo/', true],
  ['https://g.example/firewall/1/go/', true],
  ['http://[::1]:8080/firewall/1/npm/', true],
  ['http://localhost:8081/firewall/1/npm/', false],
  ['https://other.example/firewall/1/npm/', false],
  ['https://g.example/npm/', false],
  ['https://registry.npmjs.org/', false],
]
for (const [url, expected] of cases)
  test(`${url} is ${expected ? '' : 'not '}our own front`, () => assert.equal(isOwnFront(url, here), expected))

test('a Gatehouse that would be its own upstream says which setting is wrong', async () => {
  const elsewhere = 'https://registry.example/'
  const fine = { npm: elsewhere, pypi: elsewhere, maven: elsewhere, cargo: elsewhere, gomod: elsewhere }
  const packageUpstreams = { ...fine, pypi: 'https://g.example/firewall/1/pypi/simple/' }
  assert.match(
    (await ownUpstreamProblem({ ...here, packageUpstreams }))!,
    /pypi.*is this Gatehouse itself.*_PYPI_UPSTREAM/,
  )
  assert.equal(await ownUpstreamProblem({ ...here, packageUpstreams: fine }), undefined)
})
