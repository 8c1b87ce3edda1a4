import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkMalwareFeeds, checkVulnerabilityFeeds } from './feed-checks.ts'

const now = Date.parse('2026-11-15T12:00:00Z')
const fresh = { place: '/srv/npm', recordCount: 7, checkedAt: new Date(now), problem: '' }
const never = { place: '/srv/pypi', recordCount: 0, checkedAt: null, problem: 'It cannot be read.' }
const stale = { ...fresh, checkedAt: new Date(now - 49 * 3_600_000) }
const failing = { ...fresh, problem: 'It has lost half.' }

const cases: [name: string, feeds: object[], told: string[]][] = [
  ['no feed at all', [], ['warning none are loaded, so the firewall refuses every package']],
  ['none that came in', [never], ['warning It cannot be read.']],
  ['a current one', [fresh], ['ok 7 from /srv/npm, current 0 hours ago']],
  ['an old one', [stale], ['warning 7 from /srv/npm, current 49 hours ago']],
  ['one whose last state was not taken over', [failing], ['warning 7 from /srv/npm, current 0 hours ago']],
  [
    'one that never came in beside one that did',
    [never, fresh],
    ['warning none from /srv/pypi, so the firewall lets nothing through', 'ok 7 from /srv/npm, current 0 hours ago'],
  ],
]

const vulnerabilityCases: typeof cases = [
  ['no feed at all', [], ['warning none are loaded, so no dependency is known to be vulnerable']],
  ['one that never came in', [never], ['warning none from /srv/pypi']],
  ['a current one', [fresh], ['ok 7 from /srv/npm, current 0 hours ago']],
  ['an old one', [stale], ['warning 7 from /srv/npm, current 49 hours ago']],
]

for (const [name, feeds, told] of vulnerabilityCases) {
  test(`the doctor on feeds about vulnerabilities: ${name}`, async () => {
    const found = await checkVulnerabilityFeeds({ query: async () => feeds as never }, now)
    assert.deepEqual(
      found.map(({ state, detail }) => `${state} ${detail}`),
      told,
    )
    for (const each of found) assert.equal(each.advice === undefined, each.state === 'ok')
  })
}

for (const [name, feeds, told] of cases) {
  test(`the doctor on feeds: ${name}`, async () => {
    const found = await checkMalwareFeeds({ query: async () => feeds as never }, now)
    assert.deepEqual(
      found.map(({ state, detail }) => `${state} ${detail}`),
      told,
    )
    for (const each of found) assert.equal(each.advice === undefined, each.state === 'ok')
  })
}

test('the doctor prints one command that removes all feeds that never came in', async () => {
  const feeds = [never, fresh, { ...never, place: '/srv/maven' }]
  const found = await checkMalwareFeeds({ query: async () => feeds as never }, now)
  assert.match(found[0]!.advice!, / npx gatehouse feed remove \/srv\/pypi \/srv\/maven$/)
})
