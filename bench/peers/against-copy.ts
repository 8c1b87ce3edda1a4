import { once } from 'node:events'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { runningConnection } from '../../src/postgres/process/running.ts'
import { median } from '../figure.ts'
import type { BenchServer } from '../server.ts'
import { openPlainClient, postRequest } from './plain-client.ts'

export const packages = 2_000
const rounds = 60
/** By then the server's code is compiled as that of a server is that has run for a while. */
const warmUp = 30
const variants = 5

/** One of a few sets of versions, as other repositories have them too: the versions are known, the rows are new. */
function lockfile(version: number): string {
  const entry = (n: number) => ({
    version: `1.${version}.${n % 7}`,
    resolved: `https://registry.example/package-${n}/-/package-${n}-1.${version}.${n % 7}.tgz`,
    integrity: `sha512-${'a'.repeat(86)}==`,
    license: n % 3 ? 'MIT' : 'Apache-2.0',
    dependencies: { [`package-${(n * 7 + 1) % packages}`]: '^1.0.0' },
  })
  const entries = Array.from({ length: packages }, (_, n) => [`node_modules/package-${n}`, entry(n)])
  const dependencies = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`package-${n}`, '^1.0.0']))
  return JSON.stringify(
    { lockfileVersion: 3, packages: { '': { dependencies }, ...Object.fromEntries(entries) } },
    null,
    2,
  )
}

/** Uploads of a lockfile to a server, and COPYs of the rows it becomes, each timed in milliseconds. */
export async function openUploads(server: BenchServer) {
  const client = new pg.Client(runningConnection(server.folder))
  await client.connect()
  for (let n = 0; n < variants; n++) await send(server, `bench/known-${n}`, lockfile(n))
  const { rows } = await client.query(`select * from dependency where deployment_id = ${server.deploymentId}
    and repository_id = (select min(repository_id) from dependency)`)
  if (rows.length !== packages) throw new Error(`${rows.length} dependencies were stored`)
  await client.query('create table copied (like dependency including all)')
  const columns = Object.keys(rows[0])
  const plain = await openPlainClient(server.url)

  return {
    upload(round: number): Promise<number> {
      const url = uploadUrl(server, `bench/repository-${round}`)
      const request = postRequest(url, server.token, lockfile(round % variants), documentType)
      return timed(() => plain.ask(request))
    },
    copy(round: number): Promise<number> {
      const lines = rows
        .map((row) => columns.map((name) => cell(name === 'repository_id' ? round : row[name])).join('\t'))
        .join('\n')
      return timed(() => copy(client, columns, `${lines}\n`))
    },
    close() {
      plain.close()
      return client.end()
    },
  }
}

/** The medians of these, each done once a round, so that all see the machine in the same state. */
export async function byTurns(...steps: ((round: number) => Promise<number>)[]): Promise<number[]> {
  const times: number[][] = steps.map(() => [])
  for (let round = 1; round <= rounds; round++) {
    for (const [at, step] of steps.entries()) times[at]!.push(await step(round))
  }
  return times.map((each) => median(each.slice(warmUp)))
}

function cell(value: unknown): string {
  if (value === null) return '\\N'
  return typeof value === 'boolean' ? (value ? 't' : 'f') : String(value)
}

async function copy(client: pg.Client, columns: string[], text: string): Promise<void> {
  const stream = client.query(copyFrom(`copy copied (${columns.map((name) => `"${name}"`).join(', ')}) from stdin`))
  stream.end(text)
  await once(stream, 'finish')
}

const documentType = 'application/octet-stream'

function uploadUrl({ url, deploymentId }: BenchServer, repository: string): string {
  return `${url}/api/scans/v1/deployments/${deploymentId}/scans/raw?repository=${repository}&ref=main&path=package-lock.json`
}

export async function send(server: BenchServer, repository: string, document: string | ReadableStream): Promise<void> {
  const url = uploadUrl(server, repository)
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': documentType }
  const response = await fetch(url, { method: 'POST', headers, body: document, duplex: 'half' } as RequestInit)
  if (!response.ok) throw new Error(await response.text())
  await response.arrayBuffer()
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
