import { loadavg } from 'node:os'
import pg from 'pg'
import { request } from 'undici'
import { runningConnection } from '../src/postgres/process/running.ts'
import { packageName } from './data/dependency-data.ts'
import { type Asker, fillScale } from './data/scale-data.ts'
import type { Caller } from './data/tenant-data.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { openPlainClient, postRequest } from './peers/plain-client.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const size = process.env.GATEHOUSE_BENCH_LARGE
  ? { findings: 10_000_000, dependencyRepositories: 20_000, events: 100_000_000, bursts: 1_000_000 }
  : { findings: 1_000_000, dependencyRepositories: 2_000, events: 10_000_000, bursts: 200_000 }
/** Filling takes an hour at the large size. A folder that is named here is filled once, and asked again. */
const kept = process.env.GATEHOUSE_BENCH_DATA
const rounds = 40
const warmUp = 5
const tenants = { deployments: 1_000, callers: 200 }
const callSeconds = 10

/** Without a body it is only asked for. */
type Question = { name: string; path: string; body?: object; atMostMs: number }

/**
 * One deployment as large as they come: pages of findings for its owner and for somebody who sees one repository in a hundred, and
 * the lists and reports of the interface. Then 200 callers of 1,000 deployments at once, on the same server.
 */
export const benchmark: Benchmark = {
  name: 'scale',
  async run() {
    const server = await startServer(kept, { GATEHOUSE_NEW_PEOPLE_SEE: 'teams' })
    try {
      const { askers, callers } = await fillScale(server, size, tenants)
      const figures: Figure[] = []
      for (const asker of askers) {
        for (const question of pages()) figures.push(await pagesOf(server, asker, question))
        figures.push(await countsOf(server, asker))
        const asked = [counts, inventoryPages, searches]
        for (const question of asked.flatMap((questions) => questions(server.deploymentId))) {
          const name = `${question.name}, for ${asker.name}`
          figures.push(await latency(server, asker, { ...question, name }))
        }
      }
      for (const question of reports(server.deploymentId)) figures.push(await latency(server, askers[0]!, question))
      await setDeadlines(server)
      for (const asker of askers) {
        for (const question of overview(server.deploymentId)) {
          const name = `${question.name}, for ${asker.name}`
          figures.push(await latency(server, asker, { ...question, name }))
        }
      }
      const status = { name: 'status of the system', path: '/api/system/v1/status', atMostMs: 100 }
      figures.push(await latency(server, askers[0]!, status))
      figures.push(await evenness(server, callers))
      return figures
    } finally {
      await server.stop()
      if (!kept) removeFolder(server.folder)
    }
  },
}

type Pages = { name: string; filter: object; sort: object }

function pages(): Pages[] {
  const open = { triageStates: ['TRIAGE_STATE_OPEN'] }
  return [
    { name: 'the gravest', filter: {}, sort: { by: 'severity' } },
    { name: 'the gravest that are open', filter: open, sort: { by: 'severity' } },
    { name: 'the newest', filter: {}, sort: { by: 'raisedAt' } },
    { name: 'the newest that are open', filter: open, sort: { by: 'raisedAt' } },
    { name: 'with a text that all have, the gravest', filter: { text: 'steered' }, sort: { by: 'severity' } },
    { name: 'with a text that few have, the gravest', filter: { text: 'by way of lodash' }, sort: { by: 'severity' } },
    { name: 'with a text that none has', filter: { text: 'prototype pollution' }, sort: { by: 'raisedAt' } },
    ...rare.flatMap(({ name, filter }) =>
      ['severity', 'raisedAt'].map((by) => ({ name: `${name}, by ${by}`, filter, sort: { by } })),
    ),
  ]
}

/** None matches any of them. No index leads to the last. */
const rare = [
  { name: 'of a reason', filter: { triageReasons: ['TRIAGE_REASON_NO_TIME'] } },
  { name: 'of a branch that is gone', filter: { refs: ['gone'] } },
  { name: 'malicious', filter: { malicious: true } },
  { name: 'in a file that is not there', filter: { paths: ['src/not-there.ts'] } },
  { name: 'of an OWASP category', filter: { owasp: ['A01:2021'] } },
]

/** How many of what is rare, and at least how many of what is frequent. */
function counts(deploymentId: number): Question[] {
  const filters = [...rare, { name: 'of one confidence', filter: { confidences: ['CONFIDENCE_HIGH'] } }]
  return filters.map(({ name, filter }) => ({
    name: `count of findings, ${name}`,
    path: `/api/findings/${deploymentId}/findings/counts`,
    body: { filter },
    atMostMs: 1_000,
  }))
}

/** The first three pages, one after the other. */
async function pagesOf(server: BenchServer, asker: Asker, { name, filter, sort }: Pages): Promise<Figure> {
  const times: number[] = []
  for (let round = -warmUp; round < rounds; round++) {
    let cursor = ''
    for (let page = 0; page < 3 && (page === 0 || cursor); page++) {
      const startedAt = performance.now()
      const body = { filter, sort, ...(cursor && { cursor }) }
      const answer = await ask(server, asker, `/api/findings/${server.deploymentId}/findings/search`, body)
      if (round >= 0) times.push(performance.now() - startedAt)
      cursor = answer.cursor
    }
  }
  return slowest(`findings, ${name}, for ${asker.name}, a page, p95`, times, 100)
}

/** Counted as the list says, and as a recount of the rows says. */
async function countsOf(server: BenchServer, asker: Asker): Promise<Figure> {
  const path = `/api/findings/${server.deploymentId}/findings/counts`
  const times: number[] = []
  let total = 0
  for (let round = -warmUp; round < rounds; round++) {
    const startedAt = performance.now()
    total = (await ask(server, asker, path, { filter: {} })).total
    if (round >= 0) times.push(performance.now() - startedAt)
  }
  const client = new pg.Client(runningConnection(server.folder)!)
  await client.connect()
  const few = asker.token === server.token ? '' : 'and repository_id % 100 = 0'
  const { rows } = await client.query(`select count(*)::int as count from finding where deployment_id = $1 ${few}`, [
    server.deploymentId,
  ])
  await client.end()
  if (rows[0].count !== total) throw new Error(`${total} counted for ${asker.name}, and there are ${rows[0].count}`)
  return slowest(`findings, exact counts for ${asker.name}, p95`, times, 100)
}

/** Which repositories have a dependency. */
function searches(deploymentId: number): Question[] {
  const name = packageName(5)
  const packageFilters = [{ name, exactNameMatch: true, versionLowerBound: '>=1.2.0', versionUpperBound: '<9' }]
  const asked = {
    'exact package and range': { packageFilters },
    'any version 1.0.0': { version: '1.0.0' },
    'no licence': { license: ['NOASSERTION'] },
    'name contains': { name: 'core-' },
  }
  return Object.entries(asked).map(([what, dependencyFilter]) => ({
    name: `E3, ${what}`,
    path: `/api/sca/deployments/${deploymentId}/repositories`,
    body: { dependencyFilter },
    atMostMs: 50,
  }))
}

function reports(deploymentId: number): Question[] {
  const reporting = `/api/reporting/${deploymentId}/reports`
  const firewall = `${reporting}/malware-firewall`
  const timePeriod = { since: '2025-10-03T03:14:15.900Z', until: '2026-09-28T21:43:05.100Z' }
  const byDependency = `${firewall}/blocked-mal-deps/by-dep-version-and-ecosystem`
  return [
    { name: 'E4, a year', path: `${reporting}/guardrails-activity`, body: { filters: { timePeriod } }, atMostMs: 25 },
    { name: 'E5, a year', path: `${reporting}/funnel`, body: { filters: { timePeriod } }, atMostMs: 25 },
    { name: 'E6, last 30 days', path: byDependency, body: {}, atMostMs: 25 },
    { name: 'E7, last 30 days', path: `${firewall}/scan-activity`, body: {}, atMostMs: 25 },
  ]
}

/** What the console asks for on its pages about dependencies. */
function inventoryPages(deploymentId: number): Question[] {
  const base = `/api/sca/deployments/${deploymentId}`
  const popular = encodeURIComponent(packageName(9))
  return [
    { name: 'licences', path: `${base}/licences`, atMostMs: 100 },
    { name: 'a package that most repositories have', path: `${base}/packages/npm/${popular}`, atMostMs: 100 },
    { name: 'names of packages', path: `${base}/package-names?text=core`, atMostMs: 100 },
    ...[{}, { name: 'core-' }, { license: ['AGPL-3.0-only'] }].map((dependencyFilter) => ({
      name: `packages by use, ${JSON.stringify(dependencyFilter)}`,
      path: `${base}/packages`,
      body: { dependencyFilter, sort: { by: 'repositories' } },
      atMostMs: 100,
    })),
    ...['MIT', 'NOASSERTION'].map((licence) => ({
      name: `dependencies under ${licence}`,
      path: `${base}/dependencies`,
      body: { dependencyFilter: { license: [licence] } },
      atMostMs: 100,
    })),
    ...[{}, { name: 'core-' }, { license: ['AGPL-3.0-only'] }].map((dependencyFilter) => ({
      name: `counts of dependencies, ${JSON.stringify(dependencyFilter)}`,
      path: `${base}/dependencies/counts`,
      body: { dependencyFilter },
      atMostMs: 1_000,
    })),
  ]
}

/** A quarter for medium ones, and less for graver ones; the others are never due. */
async function setDeadlines({ url, token, deploymentId }: BenchServer): Promise<void> {
  const response = await request(`${url}/api/findings/${deploymentId}/deadlines`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ critical: 7, high: 30, medium: 90, low: null, info: null }),
  })
  if (response.statusCode !== 200) throw new Error(await response.body.text())
  await response.body.dump()
}

/** What the first page of the console asks for. */
function overview(deploymentId: number): Question[] {
  const reporting = `/api/reporting/${deploymentId}/reports`
  const filters = { timePeriod: { since: '2025-10-03T03:14:15.900Z', until: '2026-09-28T21:43:05.100Z' } }
  return [
    { name: 'attention', path: `/api/deployments/v1/deployments/${deploymentId}/attention`, atMostMs: 100 },
    { name: 'activity, a year', path: `${reporting}/activity`, body: { filters }, atMostMs: 100 },
    {
      name: 'activity, a year, each finding once',
      path: `${reporting}/activity`,
      body: { filters, once: true },
      atMostMs: 100,
    },
    { name: 'backlog, a year', path: `${reporting}/backlog`, body: { filters }, atMostMs: 100 },
    { name: 'trends, a year', path: `${reporting}/trends`, body: { filters }, atMostMs: 300 },
    {
      name: 'trends by repository, a year',
      path: `${reporting}/trends`,
      body: { filters, by: 'repository' },
      atMostMs: 300,
    },
    { name: 'trends by team, a year', path: `${reporting}/trends`, body: { filters, by: 'team' }, atMostMs: 300 },
    { name: 'trends, last 30 days', path: `${reporting}/trends`, body: {}, atMostMs: 300 },
  ]
}

async function latency(server: BenchServer, asker: Asker, { name, path, body, atMostMs }: Question): Promise<Figure> {
  const times: number[] = []
  for (let round = -warmUp; round < rounds * 2; round++) {
    const startedAt = performance.now()
    await ask(server, asker, path, body)
    if (round >= 0) times.push(performance.now() - startedAt)
  }
  return slowest(`${name}, p95`, times, atMostMs)
}

/** Each caller asks again as soon as it is answered. */
async function evenness(server: BenchServer, callers: readonly Caller[]): Promise<Figure> {
  const times: number[] = []
  const until = performance.now() + (callSeconds + 2) * 1_000
  const measuredFrom = until - callSeconds * 1_000
  await Promise.all(
    callers.map(async ({ deploymentId, token }) => {
      const client = await openPlainClient(server.url)
      const url = `${server.url}/api/findings/${deploymentId}/findings/search`
      const asked = postRequest(url, token, JSON.stringify({ pageSize: 10, sort: { by: 'severity' } }))
      for (let startedAt = performance.now(); startedAt < until; startedAt = performance.now()) {
        await client.ask(asked)
        if (startedAt >= measuredFrom) times.push(performance.now() - startedAt)
      }
      client.close()
    }),
  )
  const [half, late] = [median(times), quantile(times, 0.99)]
  return {
    name: `${tenants.callers} callers of ${tenants.deployments} deployments, small reads, p99 against the median`,
    value: late / half,
    unit: 'times the median',
    limit: { atMost: 5 },
    detail: `median ${half.toFixed(0)} ms, p99 ${late.toFixed(0)} ms, ${(times.length / callSeconds).toFixed(0)} a second, ${load()}`,
  }
}

function slowest(name: string, times: readonly number[], atMost: number): Figure {
  const detail = `median ${median([...times]).toFixed(1)} ms, ${load()}`
  return { name, value: quantile(times, 0.95), unit: 'ms', limit: { atMost }, detail }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1]!
}

/** A busy machine shows in every figure. */
function load(): string {
  return `load ${loadavg()[0]!.toFixed(1)}`
}

async function ask(server: BenchServer, { token }: Asker, path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
  const asked = body ? { method: 'POST' as const, body: JSON.stringify(body) } : { method: 'GET' as const }
  const response = await request(server.url + path, { ...asked, headers })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(`${path}: ${text}`)
  return JSON.parse(text)
}
