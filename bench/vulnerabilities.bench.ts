import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Benchmark, Figure } from './figure.ts'
import { byTurns, openUploads, packages, timed } from './peers/against-copy.ts'
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
    const server = await startServer(undefined, { GATEHOUSE_VULNERABILITY_FEED: feed })
    try {
      const loadSeconds = (await timed(() => loaded(server))) / 1000
      const [without, full] = [await openUploads(bare), await openUploads(server)]
      const [bareMs = 0, fullMs = 0, copyMs = 0] = await byTurns(without.upload, full.upload, full.copy)
      await Promise.all([without.close(), full.close()])
      return [...figures(bareMs, fullMs, copyMs), loading(loadSeconds)]
    } finally {
      await Promise.all([bare.stop(), server.stop()])
      for (const folder of [bare.folder, server.folder, dirname(feed)]) removeFolder(folder)
    }
  },
}

/** Of the uploaded packages every tenth has five advisories; all but 40 of those are about versions long gone. */
function advisory(n: number) {
  const isUsed = n % 100 === 0
  const name = isUsed ? `package-${((n / 100) * 10) % packages}` : `elsewhere-${n}`
  const isHit = isUsed && n < hit * 100
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

function figures(bareMs: number, fullMs: number, copyMs: number): Figure[] {
  return [
    {
      name: 'upload of 2,000 packages with 100,000 advisories, against COPY of its rows',
      value: fullMs / copyMs,
      unit: 'times its time',
      limit: { atMost: 5 },
      detail: `${fullMs.toFixed(0)} ms against ${copyMs.toFixed(0)} ms, ${hit} findings each`,
    },
    {
      name: 'the same upload, against one without advisories',
      value: fullMs / bareMs,
      unit: 'times its time',
      detail: `${bareMs.toFixed(0)} ms without advisories`,
    },
  ]
}

function loading(seconds: number): Figure {
  return { name: 'time to take over a feed of 100,000 advisories', value: seconds, unit: 's' }
}
