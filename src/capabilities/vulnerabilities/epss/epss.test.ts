import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { advisoryFolder, semver } from '../feeds/test-advisories.ts'
import { readScoreFile, readScores } from './score-list.ts'

const gatehouse = await openGatehouse()
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-epss-'))
const path = join(folder, 'epss_scores-current.csv.gz')
const place = { kind: 'local', path } as const
const { feeds, epssFeeds } = gatehouse.vulnerabilities
const advisories = advisoryFolder()
const base = '/api/sca/deployments/1'
after(async () => {
  await gatehouse.close()
  rmSync(folder, { recursive: true })
  advisories.remove()
})

const others = Array.from({ length: 30 }, (_, i) => `CVE-2025-${1000 + i},0.00043,0.1`)
const textOf = (...lines: string[]) =>
  ['#model_version:v2025.03.14,score_date:2026-02-03T12:00:00Z', 'cve,epss,percentile', ...lines, ''].join('\n')
const write = (...lines: string[]) => writeFileSync(path, gzipSync(textOf(...lines)))
const epssOf = async (id: string) =>
  (await gatehouse.call('GET', `${base}/vulnerabilities/${id}`)).body.vulnerability.epss

test('a vulnerability has the score of its CVE, by whatever id it is asked for, and the newest one', async () => {
  advisories.put({
    id: 'GHSA-aaaa-bbbb-cccc',
    aliases: ['CVE-2026-0001'],
    affected: [{ name: 'left', ranges: [semver('0', '1.2.0')] }],
  })
  await feeds.sync(advisories.place)
  assert.equal(await epssOf('CVE-2026-0001'), null)
  write('CVE-2026-0001,0.94358,0.99957', ...others)
  assert.partialDeepStrictEqual(await epssFeeds.sync(place), { outcome: 'activated', records: 31, added: 31 })
  assert.deepEqual(await epssOf('GHSA-aaaa-bbbb-cccc'), { probability: 0.94358, percentile: 0.99957 })
  assert.partialDeepStrictEqual(await epssFeeds.sync(place), { outcome: 'current' })
  write('CVE-2026-0001,0.5,0.98', ...others)
  assert.partialDeepStrictEqual(await epssFeeds.sync(place), { outcome: 'activated', added: 0, changed: 1, removed: 0 })
  assert.deepEqual(await epssOf('CVE-2026-0001'), { probability: 0.5, percentile: 0.98 })
  const state = await gatehouse.call('GET', `${base}/vulnerability-feeds`)
  assert.partialDeepStrictEqual(state.body.epssFeeds, [{ state: 'active', records: 31 }])
})

test('a list that is cut off or broken is not taken over, and what was active stays', async () => {
  write('CVE-2026-0001,0.1,0.2')
  const lost = await epssFeeds.sync(place)
  assert.match('problem' in lost ? lost.problem : '', /lost 30 of its 31/)
  writeFileSync(path, gzipSync(textOf('CVE-2026-0001,0.1,0.2', ...others)).subarray(0, 60))
  assert.match(JSON.stringify(await epssFeeds.sync(place)), /cannot be unpacked/)
  assert.deepEqual(await epssOf('CVE-2026-0001'), { probability: 0.5, percentile: 0.98 })
  write(...others)
  assert.partialDeepStrictEqual(await epssFeeds.sync(place, { force: true }), { outcome: 'activated', removed: 1 })
  assert.equal(await epssOf('CVE-2026-0001'), null)
  assert.equal(await epssFeeds.remove(place), true)
  assert.deepEqual((await gatehouse.call('GET', `${base}/vulnerability-feeds`)).body.epssFeeds, [])
})

test('a path that cannot be read is told as the problem of its feed, and tried again later', async () => {
  const feed = { kind: 'local', path: folder } as const
  const { outcome, ...told } = await epssFeeds.sync(feed)
  assert.equal(outcome, 'refused')
  assert.match(JSON.stringify(told), /it is a folder/)
  const shown = (await gatehouse.call('GET', `${base}/vulnerability-feeds`)).body.epssFeeds
  assert.match(JSON.stringify(shown), /it is a folder/)
  const [row] = await epssFeeds.list()
  assert.ok(row?.attemptedAt)
  // Tried just now, so it is not time for it.
  await epssFeeds.refreshing([feed], 60).run()
  assert.deepEqual((await epssFeeds.list())[0]?.attemptedAt, row.attemptedAt)
  await epssFeeds.remove(feed)
})

test('only a list in the format of FIRST is read, and unpacked only so far', () => {
  for (const [text, problem] of [
    ['nothing', /no line `cve,epss,percentile`/],
    ['#comment', /no line `cve,epss,percentile`/],
    [textOf(), /no scores/],
    [textOf('CVE-2026-0001,0.1'), /line 3 is/],
    [textOf('CVE-2026-0001,0.1,1.5'), /line 3 is/],
    [textOf('CVE-2026-0001,often,0.5'), /line 3 is/],
    [textOf('CVE-2026-0001,0.1,0.5,1'), /line 3 is/],
    [textOf(others[0]!, 'GHSA-1,0.1,0.5'), /line 4 is/],
  ] as const)
    assert.throws(() => readScores(text), problem)
  assert.deepEqual(
    [...readScores(textOf('CVE-2026-0001,9e-05,1.0')).values()],
    [{ cve: 'CVE-2026-0001', probability: 0.00009, percentile: 1 }],
  )
  write(...others)
  assert.equal(readScoreFile(path).size, 30)
  assert.throws(() => readScoreFile(path, 100), /cannot be unpacked/)
})
