import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recommendedRules } from '../src/capabilities/firewall/rules/recommended-rules.ts'
import { startTestCluster } from '../test/cluster.ts'
import { judgeOrdinary } from '../test/incidents/false-holds.ts'
import { incidents } from '../test/incidents/incidents.ts'
import { incidentPage, type ReplayedIncident } from '../test/incidents/page.ts'
import { readRecorded } from '../test/incidents/recorded-releases.ts'
import { openReplay } from '../test/incidents/replay.ts'

/** `npm run incidents`: plays the incidents again and writes what became of them. A test says when it was forgotten. */
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-incidents-'))
const cluster = await startTestCluster(folder)
process.env.GATEHOUSE_TEST_CLUSTER = JSON.stringify(cluster.connection)
try {
  const recorded = readRecorded()
  const page = incidentPage(await replayAll(), await judgeOrdinary(recorded, recommendedRules), recorded)
  writeFileSync(join(import.meta.dirname, '..', 'docs', 'incident-replay.md'), page)
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function replayAll(): Promise<ReplayedIncident[]> {
  const replay = await openReplay(incidents)
  try {
    const all: ReplayedIncident[] = []
    for (const incident of incidents) all.push({ incident, replayed: await replay.replay(incident) })
    return all
  } finally {
    await replay.close()
  }
}
