import { request } from 'undici'
import { runningConnection } from '../src/postgres/process/running.ts'
import { fillIssues, repositories } from './data/issue-data.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const few = 100_000
const many = 1_000_000
const rounds = 150

type Question = { name: string; path: string; body(round: number): object; atMost?: number; rounds?: number }

const states = ['TRIAGE_STATE_FIXING', 'TRIAGE_STATE_OPEN', 'TRIAGE_STATE_IGNORED']
const search = '/issues/search'
const questions: Question[] = [
  { name: 'first page', path: search, body: () => ({}), atMost: 1.3 },
  {
    name: 'first page of a state and a severity',
    path: search,
    body: () => ({ filter: { triageStates: ['TRIAGE_STATE_REVIEWING'], severities: ['SEVERITY_CRITICAL'] } }),
    atMost: 1.3,
  },
  {
    name: 'gravest first, of a reason',
    path: search,
    body: () => ({ filter: { triageReasons: ['TRIAGE_REASON_NO_TIME'] }, sort: { by: 'severity' } }),
    atMost: 1.3,
  },
  { name: 'counts', path: '/issues/counts', body: () => ({}), atMost: 1.3 },
  {
    name: 'triage of one issue',
    path: '/issue/#',
    body: (round) => ({ triageState: states[round % states.length] }),
    atMost: 1.3,
  },
  // A repository has ten times the issues too, and so more cells that are not empty.
  {
    name: 'first page of a repository',
    path: search,
    body: (round) => ({ filter: { projectIds: [String(1 + ((round * 7) % repositories))] } }),
  },
  // Every title is looked at.
  { name: 'a title that does not exist', path: search, body: () => ({ filter: { title: 'nowhere' } }), rounds: 10 },
]

/** E9 and its companions with a million issues against a hundred thousand: two servers, asked in turn. */
export const benchmark: Benchmark = {
  name: 'issues',
  async run() {
    const servers: BenchServer[] = []
    try {
      for (const issues of [few, many]) servers.push(await startFilled(issues))
      const figures: Figure[] = []
      for (const question of questions) figures.push(await growth(question, servers[0]!, servers[1]!))
      return figures
    } finally {
      for (const server of servers) {
        await server.stop()
        removeFolder(server.folder)
      }
    }
  },
}

async function startFilled(issues: number): Promise<BenchServer> {
  const server = await startServer()
  const connection = runningConnection(server.folder)
  if (!connection) throw new Error('the embedded database is not running')
  await fillIssues(connection, server.deploymentId, issues)
  return server
}

/** In alternation: what else the machine does meets both alike. */
async function growth(question: Question, small: BenchServer, large: BenchServer): Promise<Figure> {
  const times: [number, number][] = []
  const all = question.rounds ?? rounds
  const warmUp = all / 5
  for (let round = -warmUp; round < all; round++) {
    const pair: [number, number] = [
      await ask(small, question, round + warmUp),
      await ask(large, question, round + warmUp),
    ]
    if (round >= 0) times.push(pair)
  }
  const smallMs = median(times.map(([ms]) => ms))
  const largeMs = median(times.map(([, ms]) => ms))
  return {
    name: `${question.name}, ten times the issues`,
    value: largeMs / smallMs,
    unit: 'times as long',
    ...(question.atMost && { limit: { atMost: question.atMost } }),
    detail: `${largeMs.toFixed(1)} ms with 1M, ${smallMs.toFixed(1)} ms with 100k`,
  }
}

async function ask(server: BenchServer, question: Question, round: number): Promise<number> {
  const issue = 1 + ((round * 997) % few)
  const url = `${server.url}/api/issues/${server.deploymentId}${question.path.replace('#', String(issue))}`
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const startedAt = performance.now()
  const response = await request(url, { method: 'POST', headers, body: JSON.stringify(question.body(round)) })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(text)
  return performance.now() - startedAt
}
