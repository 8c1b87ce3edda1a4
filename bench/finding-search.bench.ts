import { runningConnection } from '../src/postgres/process/running.ts'
import { fillSearchable } from './data/finding-data.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const sizes = process.env.GATEHOUSE_BENCH_LARGE ? [100_000, 1_000_000] : [20_000, 200_000]
const rounds = 40

const questions: { name: string; path: string; filter: object }[] = [
  { name: 'a text that no finding has', path: 'search', filter: { text: 'prototype pollution' } },
  { name: 'a text that few findings have', path: 'search', filter: { text: 'by way of lodash' } },
  { name: 'a text that all findings have', path: 'search', filter: { text: 'steered from' } },
  {
    name: 'a vulnerability that few findings are about',
    path: 'search',
    filter: { vulnerabilityIds: ['CVE-2026-4711'] },
  },
  { name: 'a weakness that no finding has', path: 'search', filter: { cwes: ['CWE-1321'] } },
  { name: 'a path where nothing was found', path: 'search', filter: { pathPrefix: 'vendor/' } },
  { name: 'a path where few were found', path: 'search', filter: { pathPrefix: 'lib/legacy/' } },
  { name: 'counts', path: 'counts', filter: {} },
  {
    name: 'counts of what is open and severe on branches',
    path: 'counts',
    filter: {
      triageStates: ['TRIAGE_STATE_OPEN'],
      severities: ['SEVERITY_HIGH', 'SEVERITY_CRITICAL'],
      pullRequests: 'none',
    },
  },
  { name: 'counts of a text that few findings have', path: 'counts', filter: { text: 'by way of lodash' } },
]

/** Searching findings by words, and counting them, with ten times as many: two servers, asked in turn. */
export const benchmark: Benchmark = {
  name: 'finding-search',
  async run() {
    const servers: BenchServer[] = []
    try {
      for (const size of sizes) servers.push(await startFilled(size))
      const figures: Figure[] = []
      for (const question of questions) figures.push(await measure(question, servers[0]!, servers[1]!))
      return figures
    } finally {
      for (const server of servers) {
        await server.stop()
        removeFolder(server.folder)
      }
    }
  },
}

async function startFilled(findings: number): Promise<BenchServer> {
  const server = await startServer()
  const connection = runningConnection(server.folder)
  if (!connection) throw new Error('the embedded database is not running')
  await fillSearchable(connection, server.deploymentId, findings)
  return server
}

/** In alternation: what else the machine does meets both alike. */
async function measure(question: (typeof questions)[number], small: BenchServer, large: BenchServer): Promise<Figure> {
  const times: [number, number][] = []
  for (let round = -5; round < rounds; round++) {
    const pair: [number, number] = [await ask(small, question), await ask(large, question)]
    if (round >= 0) times.push(pair)
  }
  const late = times.map(([, time]) => time).toSorted((a, b) => a - b)[Math.floor(rounds * 0.95)]!
  const [few, many] = [0, 1].map((at) => median(times.map((pair) => pair[at]!))) as [number, number]
  return {
    name: `${question.name}, p95 with ${sizes[1]!.toLocaleString('en')} findings`,
    value: late,
    unit: 'ms',
    limit: { atMost: 100 },
    detail: `median ${many.toFixed(1)} ms, ${few.toFixed(1)} ms with a tenth of them`,
  }
}

async function ask(server: BenchServer, { path, filter }: (typeof questions)[number]): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(`${server.url}/api/findings/${server.deploymentId}/findings/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ filter }),
  })
  if (!response.ok) throw new Error(await response.text())
  await response.arrayBuffer()
  return performance.now() - startedAt
}
