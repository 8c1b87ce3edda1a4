import { request } from 'undici'
import { runningConnection } from '../src/postgres/process/running.ts'
import { fillFirewall } from './data/firewall-data.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const few = { events: 1_000_000, bursts: 50_000 }
const many = { events: 10_000_000, bursts: 200_000 }
const rounds = 200

type Question = { name: string; report: string; body(round: number): object }

/** Periods that end and begin in the middle of an hour, each another one. */
function cutPeriod(round: number, days: number): object {
  const until = Date.now() - ((round * 7919) % 3_600_000)
  return {
    timePeriod: {
      since: new Date(until - days * 86_400_000 + 1234 * round).toISOString(),
      until: new Date(until).toISOString(),
    },
  }
}

const byDependency = 'blocked-mal-deps/by-dep-version-and-ecosystem'
const questions: Question[] = [
  { name: 'blocked dependencies, last 30 days', report: byDependency, body: () => ({}) },
  { name: 'blocked dependencies, 80 days', report: byDependency, body: (round) => ({ filters: cutPeriod(round, 80) }) },
  { name: 'scan activity by day, last 30 days', report: 'scan-activity', body: () => ({}) },
  {
    name: 'scan activity by week, 80 days',
    report: 'scan-activity',
    body: (round) => ({ filters: cutPeriod(round, 80) }),
  },
  { name: 'summary, last 30 days', report: 'summary', body: () => ({}) },
]

/** E6, E7 and the summary with ten million requests against one million: two servers, asked in turn. */
export const benchmark: Benchmark = {
  name: 'firewall-reports',
  async run() {
    const servers: BenchServer[] = []
    try {
      for (const { events, bursts } of [few, many]) {
        const server = await startServer()
        servers.push(server)
        await fillFirewall(runningConnection(server.folder)!, server.deploymentId, events, bursts)
      }
      const figures: Figure[] = []
      for (const question of questions) figures.push(...(await growth(question, servers[0]!, servers[1]!)))
      return figures
    } finally {
      for (const server of servers) {
        await server.stop()
        removeFolder(server.folder)
      }
    }
  },
}

/** In alternation: what else the machine does meets both alike. */
async function growth(question: Question, small: BenchServer, large: BenchServer): Promise<Figure[]> {
  const times: [number, number][] = []
  for (let round = -rounds / 5; round < rounds; round++) {
    const pair: [number, number] = [await ask(small, question, round), await ask(large, question, round)]
    if (round >= 0) times.push(pair)
  }
  const smallMs = median(times.map(([ms]) => ms))
  const largeMs = median(times.map(([, ms]) => ms))
  const slow = times.map(([, ms]) => ms).sort((a, b) => a - b)[Math.floor(rounds * 0.95)]!
  const detail = `${largeMs.toFixed(1)} ms with 10M, ${smallMs.toFixed(1)} ms with 1M`
  return [
    {
      name: `${question.name}, ten times the requests`,
      value: largeMs / smallMs,
      unit: 'times as long',
      limit: { atMost: 1.3 },
      detail,
    },
    { name: `${question.name}, 10M requests, p95`, value: slow, unit: 'ms', limit: { atMost: 25 } },
  ]
}

async function ask(server: BenchServer, question: Question, round: number): Promise<number> {
  const url = `${server.url}/api/reporting/${server.deploymentId}/reports/malware-firewall/${question.report}`
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const startedAt = performance.now()
  const response = await request(url, { method: 'POST', headers, body: JSON.stringify(question.body(round)) })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(text)
  return performance.now() - startedAt
}
