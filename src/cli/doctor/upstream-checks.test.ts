import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proxiedEcosystemIds } from '../../ecosystems/ecosystem.ts'
import { createDefaults, type UpstreamSettings } from '../../proxy/upstream/defaults.ts'
import { checkKnownUpstreams, checkUpstreams } from './upstream-checks.ts'

const set = Object.fromEntries(
  proxiedEcosystemIds.map((ecosystem) => [ecosystem, `https://${ecosystem}.example/`]),
) as UpstreamSettings

test('a running server waits for no client of its machine, and says what is known', async () => {
  const defaults = createDefaults(set)
  const before = checkKnownUpstreams(defaults)
  assert.equal(before.length, proxiedEcosystemIds.length)
  for (const { detail, state } of before) {
    assert.deepEqual([state, detail], ['ok', 'the client of this machine is being asked for it'])
  }
  // Nobody else asked.
  await new Promise((resolve) => setImmediate(resolve))
  const known = checkKnownUpstreams(defaults)
  assert.match(known[0]!.detail, /^https:\/\/npm\.example\/ \(GATEHOUSE_NPM_UPSTREAM; no login\)$/)
  assert.deepEqual(known, await checkUpstreams({ packageUpstreams: set }))
})

test('an upstream that is not encrypted is warned of', () => {
  const known = () => ({ ...{ url: 'http://a.example/', source: 'x' }, authorization: undefined, artifactHosts: [] })
  assert.ok(checkKnownUpstreams({ known }).every(({ state }) => state === 'warning'))
})
