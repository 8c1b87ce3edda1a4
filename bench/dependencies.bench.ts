import { loadavg } from 'node:os'
import type pg from 'pg'
import type { Sql } from 'sql-template-tag'
import type { DependencyFilter } from '../src/capabilities/dependencies/contract.ts'
import { createDependencyService } from '../src/capabilities/dependencies/service.ts'
import type { Actor } from '../src/kernel/access/actor.ts'
import { permitted } from '../src/kernel/access/permission.ts'
import { roleNames } from '../src/kernel/database/connections/connection.ts'
import { execute } from '../src/kernel/database/connections/prepared-query.ts'
import { connectSecurely } from '../src/kernel/database/connections/secure-session.ts'
import type { Database } from '../src/kernel/database/database.ts'
import { runningConnection } from '../src/postgres/process/running.ts'
import { addRepositories, fillPackages, packageName } from './data/dependency-data.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { openPlainClient, postRequest } from './peers/plain-client.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const repositories = 2_000
const rounds = 40
const perRound = 10
/** Enough that the server's code is compiled as that of a server is that has run for a minute. */
const warmUp = 2_000

/** Popular, middling and rare, each over most of its versions: which repositories have this package between these? */
const ranges: DependencyFilter[] = [1, 5, 20, 100].map((rank) => ({
  packageFilters: [
    { name: packageName(rank), exactNameMatch: true, versionLowerBound: '>=1.2.0', versionUpperBound: '<9' },
  ],
}))

/** Of few packages, of some, of many, of none, and of nearly all. */
const parts: DependencyFilter[] = ['react-parser', 'cloud-model-7', 'core-', 'nowhere', 'e'].map((name) => ({ name }))

/**
 * E3 by exact package and version range over HTTP against its own SQL as a prepared statement on one connection, and by a
 * part of the name. With GATEHOUSE_BENCH_LARGE=1 also over ten times the data, which takes minutes to load.
 */
export const benchmark: Benchmark = {
  name: 'dependencies',
  async run() {
    const server = await startServer()
    try {
      const connection = connectionOf(server)
      await fillPackages(connection, server.deploymentId)
      const { deploymentId } = server
      const count = await addRepositories(connection, { deploymentId, repositories })
      const { figure, httpMs } = await againstStatement(server, `${count} dependencies`)
      const figures = [figure, await containsName(server)]
      if (process.env.GATEHOUSE_BENCH_LARGE) {
        const more = await addRepositories(connection, { deploymentId, repositories: repositories * 9 })
        const large = await againstStatement(server, `${more} dependencies`)
        figures.push(large.figure, growth(large.httpMs / httpMs, httpMs, large.httpMs))
      }
      return figures
    } finally {
      await server.stop()
      removeFolder(server.folder)
    }
  },
}

function connectionOf(server: BenchServer) {
  const connection = runningConnection(server.folder)
  if (!connection) throw new Error('the embedded database is not running')
  return connection
}

/** In alternation, in short rounds: what else the machine does meets both alike. */
async function againstStatement(server: BenchServer, data: string): Promise<{ figure: Figure; httpMs: number }> {
  const client = await connectAsServer(server)
  const plain = await openPlainClient(server.url)
  try {
    const statements: Sql[][] = []
    for (const range of ranges) statements.push(await statementsOf(server, client, range))
    const requests = ranges.map((range) => requestFor(server, range))
    const asHttp = (n: number) => plain.ask(requests[n % requests.length]!)
    const asSql = async (n: number) => {
      for (const statement of statements[n % statements.length]!) await execute(client, statement)
    }
    for (let n = 0; n < warmUp; n++) await Promise.all([asHttp(n), asSql(n)])
    const [http, sql]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      for (let n = 0; n < perRound; n++) http.push(await timed(() => asHttp(n)))
      for (let n = 0; n < perRound; n++) sql.push(await timed(() => asSql(n)))
    }
    const [httpMs, sqlMs] = [median(http), median(sql)]
    const figure: Figure = {
      name: `E3, exact package and range, ${data}, against its SQL prepared on one connection`,
      value: httpMs / sqlMs,
      unit: 'times its time',
      limit: { atMost: 1.5 },
      detail: `${httpMs.toFixed(2)} ms against ${sqlMs.toFixed(2)} ms, least disturbed tenth ${tenth(http)} against ${tenth(sql)} ms, load ${load()}`,
    }
    return { figure, httpMs }
  } finally {
    plain.close()
    await client.end()
  }
}

async function containsName(server: BenchServer): Promise<Figure> {
  const plain = await openPlainClient(server.url)
  const requests = parts.map((part) => requestFor(server, part))
  for (let n = 0; n < 60; n++) await plain.ask(requests[n % requests.length]!)
  const times: number[] = []
  for (let n = 0; n < 200; n++) times.push(await timed(() => plain.ask(requests[n % requests.length]!)))
  plain.close()
  const sorted = times.toSorted((a, b) => a - b)
  return {
    name: 'E3, name contains, 95th percentile',
    value: sorted[Math.floor(sorted.length * 0.95)]!,
    unit: 'ms',
    limit: { atMost: 50 },
    detail: `median ${median(times).toFixed(1)} ms, least disturbed tenth ${tenth(times)} ms, load ${load()}`,
  }
}

function growth(value: number, small: number, large: number): Figure {
  return {
    name: 'E3, exact package and range, ten times the data',
    value,
    unit: 'times the time',
    limit: { atMost: 1.5 },
    detail: `${large.toFixed(2)} ms against ${small.toFixed(2)} ms`,
  }
}

/** What the server sends for this filter, taken from its own code: one statement, seldom more. */
async function statementsOf(
  server: BenchServer,
  client: pg.Client,
  dependencyFilter: DependencyFilter,
): Promise<Sql[]> {
  const sent: Sql[] = []
  const recorder = {
    as: ({ deploymentId }: Actor) => ({
      deploymentId,
      query: async (statement: Sql) => {
        sent.push(statement)
        return execute(client, statement)
      },
    }),
  } as unknown as Database
  const { deploymentId } = server
  const permissions = permitted('owner', undefined)
  const owner: Actor = { deploymentId, personId: 1, tokenId: 0, role: 'owner', permissions, requestId: 'bench' }
  const answer = await createDependencyService(recorder).listRepositories(owner, { dependencyFilter })
  if (answer.repositorySummaries.length === 0) throw new Error('a package that nobody has measures nothing')
  return sent
}

async function connectAsServer(server: BenchServer): Promise<pg.Client> {
  const client = await connectSecurely(connectionOf(server), { role: roleNames.tenant })
  await client.query("select set_config('gatehouse.tenant', $1, false)", [String(server.deploymentId)])
  return client
}

function requestFor(server: BenchServer, dependencyFilter: DependencyFilter): Buffer {
  const url = `${server.url}/api/sca/deployments/${server.deploymentId}/repositories`
  return postRequest(url, server.token, JSON.stringify({ dependencyFilter }))
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** What a machine with other work to do would show if it were left alone. */
function tenth(times: readonly number[]): string {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)]!.toFixed(2)
}

function load(): string {
  return loadavg()[0]!.toFixed(1)
}
