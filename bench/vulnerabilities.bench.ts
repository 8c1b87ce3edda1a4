import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { packages, timed, uploadAgainstCopy } from './against-copy.ts'
import type { Benchmark, Figure } from './figure.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const advisories = 100_000
const hit = 40

/** What advisories cost an upload: the same uploads without any and with 100,000, of which 40 name what is uploaded. */
export const benchmark: Benchmark = {
  name: 'vulnerabilities',
  async run() {
    const feed = join(mkdtempSync(join(tmpdir(), 'gatehouse-bench-feed-')), 'advisories.ndjson')
    writeFileSync(feed, Array.from({ length: advisories }, (_, n) => JSON.stringify(advisory(n))).join('\n'))
    const bare = await startServer()
    const without = await uploadAgainstCopy(bare)
    await bare.stop()
    removeFolder(bare.folder)
    const server = await startServer(undefined, { GATEHOUSE_VULNERABILITY_FEED: feed })
    try {
      const loadSeconds = (await timed(() => loaded(server))) / 1000
      const full = await uploadAgainstCopy(server)
      return [...figures(without, full), loading(loadSeconds)]
    } finally {
      await server.stop()
      removeFolder(server.folder)
      removeFolder(feed)
    }
  },
}

/** Every package that is uploaded has advisories, as real ones do: most are about versions long gone. */
function advisory(n: number) {
  const name = n % 10 === 0 ? `package-${(n / 10) % packages}` : `elsewhere-${n}`
  const isHit = n < hit * 10 && n % 10 === 0
  return {
    id: `GHSA-${n}`,
    modified: '2026-01-01T00:00:00Z',
    aliases: [`CVE-2026-${n}`],
    summary: `A vulnerability in ${name}`,
    details: 'Lorem ipsum dolor sit amet, consectetur adipiscing elit. '.repeat(10),
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    affected: [
      {
        package: { ecosystem: 'npm', name },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: isHit ? '2.0.0' : '0.9.0' }] }],
      },
    ],
  }
}

async function loaded(server: BenchServer): Promise<void> {
  const url = `${server.url}/api/sca/deployments/${server.deploymentId}/vulnerability-feeds`
  for (;;) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${server.token}` } })
    const { feeds } = (await answer.json()) as { feeds: { records: number; problem: string }[] }
    if (feeds[0]?.problem) throw new Error(feeds[0].problem)
    if (feeds[0]?.records === advisories) return
    await delay(100)
  }
}

type Pair = { uploadMs: number; copyMs: number }

function figures(without: Pair, full: Pair): Figure[] {
  const [before, after] = [without.uploadMs / without.copyMs, full.uploadMs / full.copyMs]
  return [
    {
      name: 'upload of 2,000 packages with 100,000 advisories, against COPY of its rows',
      value: after,
      unit: 'times its time',
      limit: { atMost: 5 },
      detail: `${full.uploadMs.toFixed(0)} ms against ${full.copyMs.toFixed(0)} ms, 40 findings each`,
    },
    {
      name: 'what matching adds to it, in times of a COPY',
      value: after - before,
      unit: 'times its time',
      detail: `${without.uploadMs.toFixed(0)} ms without advisories`,
    },
  ]
}

function loading(seconds: number): Figure {
  return { name: 'time to take over a feed of 100,000 advisories', value: seconds, unit: 's' }
}
