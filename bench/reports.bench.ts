import { request } from 'undici'
import { runningConnection } from '../src/postgres/process/running.ts'
import { fillFindings, repositories, rules } from './data/finding-data.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const few = 100_000
const many = 1_000_000
const rounds = 100
const warmUp = 20

type Question = { name: string; filters(round: number): object }

const month = { since: '2026-07-20T09:41:27.300Z', until: '2026-08-19T09:41:27.300Z' }
const year = { since: '2025-10-03T03:14:15.900Z', until: '2026-09-28T21:43:05.100Z' }
const reports = ['guardrails-activity', 'funnel']

const some = (count: number, most: number, round: number) =>
  Array.from({ length: count }, (_, at) => 1 + ((round * 31 + at * 7) % most))
const named = (count: number, round: number) => some(count, repositories, round).map((n) => `group/repository-${n}`)
const ruled = (count: number, round: number) => some(count, rules, round).map((n) => `rule-${n}`)

const single: Question[] = [
  { name: 'no filter', filters: () => ({}) },
  { name: '10 projects', filters: (round) => ({ projects: named(10, round) }) },
  { name: '10 project ids', filters: (round) => ({ projectIds: some(10, repositories, round) }) },
  { name: 'a tag of 100 repositories', filters: (round) => ({ tags: [`tag-${round % 20}`] }) },
  { name: 'a team of 100 repositories', filters: (round) => ({ teams: [`team-${round % 20}`] }) },
  { name: '10 rules', filters: (round) => ({ ruleIds: ruled(10, round) }) },
  { name: 'a category', filters: () => ({ findingCategories: ['security'] }) },
]

const combined: Question[] = [
  {
    name: 'a tag, 20 rules and a category',
    filters: (round) => ({ tags: [`tag-${round % 20}`], ruleIds: ruled(20, round), findingCategories: ['security'] }),
  },
  {
    name: '5 teams and 3 categories',
    filters: (round) => ({
      teams: [0, 1, 2, 3, 4].map((n) => `team-${(round + n) % 20}`),
      findingCategories: ['security', 'correctness', 'style'],
    }),
  },
  {
    name: '50 rules and 2 categories',
    filters: (round) => ({ ruleIds: ruled(50, round), findingCategories: ['security', 'style'] }),
  },
  {
    name: '100 projects, all tags and 100 rules',
    filters: (round) => ({
      projects: named(100, round),
      tags: Array.from({ length: 20 }, (_, n) => `tag-${n}`),
      ruleIds: ruled(100, round),
    }),
  },
  {
    name: 'half of the repositories and half of the rules',
    filters: () => ({ projectIds: some(1000, repositories, 3), ruleIds: ruled(250, 5) }),
  },
  {
    name: 'two thirds of the repositories, two thirds of the rules and 3 categories',
    filters: (round) => ({
      projectIds: some(1333, repositories, round),
      ruleIds: ruled(333, round),
      findingCategories: ['security', 'correctness', 'style'],
    }),
  },
  {
    name: 'nine in ten repositories and nine in ten rules',
    filters: (round) => ({ projectIds: some(1800, repositories, round), ruleIds: ruled(450, round) }),
  },
]

/** Guardrails and funnel with a million findings against a hundred thousand: two servers, asked in turn. */
export const benchmark: Benchmark = {
  name: 'reports',
  async run() {
    const servers: BenchServer[] = []
    try {
      for (const findings of [few, many]) servers.push(await startFilled(findings))
      const [small, large] = servers as [BenchServer, BenchServer]
      const figures: Figure[] = []
      for (const report of reports) {
        for (const [length, timePeriod] of Object.entries({ month, year })) {
          const asked = { small, large, report, length, timePeriod }
          for (const question of single) figures.push(...(await growth(asked, question, { times: 1.3, ms: 25 })))
          // Read from the findings, which is at most linear.
          for (const question of combined) figures.push(...(await growth(asked, question, { times: 10, ms: 200 })))
        }
      }
      return figures
    } finally {
      for (const server of servers) {
        await server.stop()
        removeFolder(server.folder)
      }
    }
  },
}

type Asked = { small: BenchServer; large: BenchServer; report: string; length: string; timePeriod: object }

async function startFilled(findings: number): Promise<BenchServer> {
  const server = await startServer()
  const connection = runningConnection(server.folder)
  if (!connection) throw new Error('the embedded database is not running')
  await fillFindings(connection, server.deploymentId, findings)
  return server
}

/** In alternation: what else the machine does meets both alike. */
async function growth(
  { small, large, report, length, timePeriod }: Asked,
  question: Question,
  atMost: { times: number; ms: number },
): Promise<Figure[]> {
  const times: [number, number][] = []
  for (let round = -warmUp; round < rounds; round++) {
    const filters = { timePeriod, ...question.filters(round + warmUp) }
    const pair: [number, number] = [await ask(small, report, filters), await ask(large, report, filters)]
    if (round >= 0) times.push(pair)
  }
  const smallMs = median(times.map(([ms]) => ms))
  const largeMs = median(times.map(([, ms]) => ms))
  const name = `${report} of a ${length}, ${question.name}`
  return [
    {
      name: `${name}, ten times the findings`,
      value: largeMs / smallMs,
      unit: 'times as long',
      limit: { atMost: atMost.times },
      detail: `${largeMs.toFixed(1)} ms with 1M, ${smallMs.toFixed(1)} ms with 100k`,
    },
    { name: `${name}, p95`, value: p95(times.map(([, ms]) => ms)), unit: 'ms', limit: { atMost: atMost.ms } },
  ]
}

function p95(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1]!
}

async function ask(server: BenchServer, report: string, filters: object): Promise<number> {
  const url = `${server.url}/api/reporting/${server.deploymentId}/reports/${report}`
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const startedAt = performance.now()
  const response = await request(url, { method: 'POST', headers, body: JSON.stringify({ filters }) })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(text)
  return performance.now() - startedAt
}
