import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { request } from 'undici'
import type { ConnectionOptions } from '../src/kernel/database/connections/connection.ts'
import { runningConnection } from '../src/postgres/process/running.ts'
import { fillFirewall } from './data/firewall-data.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const few = { events: 1_000_000, bursts: 50_000 }
const many = { events: 10_000_000, bursts: 200_000 }
const rounds = 200

type Question = {
  name: string
  path: string
  body(round: number): object
  /** How much longer it may take with ten times the requests, and how many milliseconds with them. */
  limits: { growth: number; p95: number }
}

const ofReports = { growth: 1.3, p95: 25 }
/** There are more combinations to add up with more requests, though not ten times as many. */
const ofRecord = { growth: 8, p95: 100 }

/** Periods that end and begin in the middle of an hour, each another one. */
function cutPeriod(round: number, days: number) {
  const until = Date.now() - ((round * 7919) % 3_600_000)
  return {
    timePeriod: {
      since: new Date(until - days * 86_400_000 + 1234 * round).toISOString(),
      until: new Date(until).toISOString(),
    },
  }
}

const reports = 'reporting/1/reports/malware-firewall'
const events = 'firewall/v1/deployments/1/events'
const byDependency = `${reports}/blocked-mal-deps/by-dep-version-and-ecosystem`
const questions: Question[] = [
  { name: 'blocked dependencies, last 30 days', path: byDependency, body: () => ({}), limits: ofReports },
  {
    name: 'blocked dependencies, 80 days',
    path: byDependency,
    body: (round) => ({ filters: cutPeriod(round, 80) }),
    limits: ofReports,
  },
  { name: 'scan activity by day, last 30 days', path: `${reports}/scan-activity`, body: () => ({}), limits: ofReports },
  {
    name: 'scan activity by week, 80 days',
    path: `${reports}/scan-activity`,
    body: (round) => ({ filters: cutPeriod(round, 80) }),
    limits: ofReports,
  },
  { name: 'summary, last 30 days', path: `${reports}/summary`, body: () => ({}), limits: ofReports },
  ...[
    { name: 'of an ecosystem that none is of', filter: () => ({ ecosystems: ['cargo'] }) },
    { name: 'of a rare rule', filter: () => ({ rules: ['held'] }) },
    { name: 'of one person', filter: (round: number) => ({ personIds: [1 + ((round + 200) % 200)] }) },
    { name: 'in 80 days', filter: (round: number) => cutPeriod(round, 80).timePeriod },
  ].flatMap(({ name, filter }): Question[] => [
    {
      name: `refusals ${name}`,
      path: `${events}/search`,
      body: (round) => ({ filter: filter(round) }),
      limits: ofRecord,
    },
    {
      name: `people refused ${name}`,
      path: `${events}/people`,
      body: (round) => ({ filter: filter(round) }),
      limits: ofRecord,
    },
  ]),
]

/** E6, E7, the summary and the record of refusals with ten million requests against one million: two servers, asked in turn. */
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
      for (const { folder } of servers) await untilAddedUp(runningConnection(folder)!)
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

/** Every month that is over, by the server's own task. */
async function untilAddedUp(to: ConnectionOptions): Promise<void> {
  const client = new pg.Client(to)
  await client.connect()
  try {
    for (;;) {
      const { rows } = await client.query(`select from firewall_activity activity where activity.grain = 'm'
        and activity.start < date_trunc('month', now(), 'UTC') and not exists (select from firewall_refusal_span span
          where span.grain = 'm' and span.start = activity.start)`)
      if (rows.length === 0) return
      await setTimeout(1_000)
    }
  } finally {
    await client.end()
  }
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
      limit: { atMost: question.limits.growth },
      detail,
    },
    { name: `${question.name}, 10M requests, p95`, value: slow, unit: 'ms', limit: { atMost: question.limits.p95 } },
  ]
}

async function ask(server: BenchServer, question: Question, round: number): Promise<number> {
  const url = `${server.url}/api/${question.path}`
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const startedAt = performance.now()
  const response = await request(url, { method: 'POST', headers, body: JSON.stringify(question.body(round)) })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(text)
  return performance.now() - startedAt
}
