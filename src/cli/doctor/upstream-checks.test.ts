import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { noUpstreams } from '../../../test/servers/proxy-gatehouse.ts'
import { linesFor } from '../../domain/package-clients.ts'
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

test('a client of this machine that is pointed at a Gatehouse is not followed to it, and doctor says so', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-home-'))
  const before = process.env.HOME
  t.after(() => {
    process.env.HOME = before
    rmSync(home, { recursive: true, force: true })
  })
  process.env.HOME = home
  mkdirSync(join(home, '.m2'))
  const own = 'http://127.0.0.1:18733/firewall/1/maven/'
  writeFileSync(join(home, '.m2', 'settings.xml'), linesFor('maven', 'http://127.0.0.1:18733', 1).text)
  const found = await createDefaults(noUpstreams).get('maven')
  assert.deepEqual([found.url, found.passedOver], ['https://repo.maven.apache.org/maven2/', own])
  const known = (ecosystem: string) => (ecosystem === 'maven' ? found : undefined)
  const said = checkKnownUpstreams({ known }).find(({ part }) => part.endsWith('maven'))!
  assert.equal(said.state, 'warning')
  assert.match(
    `${said.detail} ${said.advice}`,
    /names a Gatehouse, http:\/\/127\.0\.0\.1:18733.* GATEHOUSE_MAVEN_UPSTREAM/,
  )
  const chosen = await createDefaults({ ...noUpstreams, maven: own }).get('maven')
  assert.equal(chosen.url, own, 'what the operator sets is taken, and the start refuses it')
})
