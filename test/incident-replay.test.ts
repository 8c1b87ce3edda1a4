import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { recommendedRules } from '../src/capabilities/firewall/rules/recommended-rules.ts'
import { judgeOrdinary } from './incidents/false-holds.ts'
import { incidents } from './incidents/incidents.ts'
import { incidentPage, type ReplayedIncident } from './incidents/page.ts'
import { readRecorded } from './incidents/recorded-releases.ts'
import { openReplay, type Replay } from './incidents/replay.ts'

// Before any server listens: it takes longer than one may stand still.
const recorded = readRecorded()
const judged = await judgeOrdinary(recorded, recommendedRules)
let replay: Replay
const all: ReplayedIncident[] = []

before(async () => {
  replay = await openReplay(incidents)
})

after(() => replay?.close())

for (const incident of incidents) {
  const { title, name, attack, held, afterwards } = incident

  test(`${title}: every version of ${name} is held by the expected rule, as long as expected`, async () => {
    const replayed = await replay.replay(incident)
    all.push({ incident, replayed })
    for (const outcome of replayed.attack) {
      assert.match(outcome.because, held.because, outcome.version)
      assert.equal(outcome.hours, held.hours, outcome.version)
    }
    assert.match(replayed.afterwards.because, afterwards.because)
    assert.equal(replayed.afterwards.hours, afterwards.hours)
  })

  test(`${title}: the adapter refuses what it would serve without rules`, async () => {
    replay.goTo(incident)
    const { ruled, unruled, statusAt } = replay.during
    for (const { version } of attack) {
      assert.equal(await statusAt(ruled, incident, version), 403, version)
      assert.equal(await statusAt(unruled, incident, version), 200, `${version} without rules`)
    }
  })
}

test('of ordinary releases hardly any is held for longer than all are', () => {
  for (const [ecosystem, atLeast, mostHeld] of [
    ['npm', 1_500, 0.02],
    // One project that releases eight times an hour is nearly all of it.
    ['pypi', 900, 0.05],
  ] as const) {
    const own = judged.filter((one) => one.ecosystem === ecosystem)
    assert.ok(own.length >= atLeast, `${own.length} releases of ${ecosystem}`)
    const held = own.filter(({ heldHours }) => heldHours > 0)
    assert.ok(
      held.length / own.length <= mostHeld,
      held.map(({ name, version, because }) => `${name}@${version}: ${because}`).join('\n'),
    )
    assert.deepEqual(
      held.filter(({ heldHours }) => heldHours > 168),
      [],
      'none is refused for good',
    )
  }
})

test('docs/incident-replay.md is what this run produced (npm run incidents)', () => {
  const page = incidentPage(all, judged, recorded)
  assert.equal(readFileSync(join(import.meta.dirname, '..', 'docs', 'incident-replay.md'), 'utf8'), page)
})
