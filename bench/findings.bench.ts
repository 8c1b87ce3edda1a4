import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { runningConnection } from '../src/postgres/process/running.ts'
import { type Benchmark, median } from './figure.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const results = 25_000
const rules = 200
const rounds = 9

/** A log of 25,000 results against a COPY of the rows it becomes, when they are new and when they are known. */
export const benchmark: Benchmark = {
  name: 'findings',
  async run() {
    const server = await startServer()
    const client = new pg.Client(runningConnection(server.folder))
    await client.connect()
    try {
      await client.query('create table copied (like finding including all)')
      const columns = await columnsOf(client)
      const document = log()
      const [fresh, known, copies]: [number[], number[], number[]] = [[], [], []]
      for (let round = 1; round <= rounds; round++) {
        const repository = `bench/repository-${round}`
        fresh.push(await timed(() => send(server, repository, document)))
        known.push(await timed(() => send(server, repository, `${document} `)))
        const lines = await rowsOf(client, columns, repository)
        copies.push(await timed(() => copy(client, columns, lines)))
      }
      const [freshMs, knownMs, copyMs] = [fresh, known, copies].map((times) => median(times.slice(2))) as [
        number,
        number,
        number,
      ]
      return [
        {
          name: 'upload of a log of 25,000 new results, against COPY of its rows',
          value: freshMs / copyMs,
          unit: 'times its time',
          limit: { atMost: 5 },
          detail: `${freshMs.toFixed(0)} ms against ${copyMs.toFixed(0)} ms, ${(document.length / 1024 ** 2).toFixed(0)} MiB`,
        },
        {
          name: 'the same results again',
          value: knownMs / copyMs,
          unit: 'times its time',
          limit: { atMost: 5 },
          detail: `${knownMs.toFixed(0)} ms`,
        },
      ]
    } finally {
      await client.end()
      await server.stop()
      removeFolder(server.folder)
    }
  },
}

/** As Semgrep writes it. */
function log(): string {
  const ruleOf = (n: number) => `javascript.lang.security.audit.rule-${n % rules}.rule-${n % rules}`
  const driver = {
    name: 'Semgrep OSS',
    semanticVersion: '1.100.0',
    rules: Array.from({ length: rules }, (_, n) => ({
      id: ruleOf(n),
      name: ruleOf(n),
      shortDescription: { text: `Semgrep Finding: ${ruleOf(n)}` },
      fullDescription: { text: 'User input reaches a sink without being checked. '.repeat(4) },
      defaultConfiguration: { level: n % 3 ? 'warning' : 'error' },
      properties: { precision: 'very-high', tags: ['CWE-79: Cross-site scripting', 'HIGH CONFIDENCE', 'security'] },
    })),
  }
  const result = (n: number) => ({
    fingerprints: { 'matchBasedId/v1': `${n.toString(16).padStart(128, 'a')}_0` },
    ruleId: ruleOf(n),
    message: { text: `User input of request ${n} reaches a sink without being checked. Check it first.` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: `src/module-${n % 300}/file-${n % 1_000}.js`, uriBaseId: '%SRCROOT%' },
          region: {
            startLine: 1 + (n % 900),
            endLine: 1 + (n % 900),
            startColumn: 3,
            endColumn: 40,
            snippet: { text: `  response.send(render(request.query.name${n}))` },
          },
        },
      },
    ],
    properties: {},
  })
  return JSON.stringify({
    version: '2.1.0',
    runs: [
      {
        tool: { driver },
        invocations: [{ executionSuccessful: true }],
        results: Array.from({ length: results }, (_, n) => result(n)),
      },
    ],
  })
}

async function columnsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(`select attname from pg_attribute
    where attrelid = 'finding'::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`)
  return rows.map((row) => row.attname)
}

/** The rows of a repository, in the notation of COPY. */
async function rowsOf(client: pg.Client, columns: string[], repository: string): Promise<string> {
  const query = `select ${columns.join(', ')} from finding where repository_id = (select id from repository where name = '${repository}')`
  const lines = await text(client.query(copyTo(`copy (${query}) to stdout`)))
  const count = lines.split('\n').length - 1
  if (count !== results) throw new Error(`${count} findings were stored`)
  return lines
}

async function copy(client: pg.Client, columns: string[], lines: string): Promise<void> {
  const stream = client.query(copyFrom(`copy copied (${columns.join(', ')}) from stdin`))
  stream.end(lines)
  await once(stream, 'finish')
}

async function send(server: BenchServer, repository: string, document: string): Promise<void> {
  const url = `${server.url}/api/scans/v1/deployments/${server.deploymentId}/scans/raw?repository=${repository}&ref=main&path=log.sarif`
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/octet-stream' }
  const response = await fetch(url, { method: 'POST', headers, body: document })
  if (!response.ok) throw new Error(await response.text())
  await response.arrayBuffer()
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
