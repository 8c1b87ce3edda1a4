import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { runningConnection } from '../src/postgres/running.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const packages = 2_000
const rounds = 25
const variants = 5
const sbomBytes = 100 * 1024 * 1024

/** A lockfile of 2,000 packages against a COPY of the rows it becomes; a 100 MiB bill of materials beside other requests. */
export const benchmark: Benchmark = {
  name: 'uploads',
  async run() {
    const server = await startServer()
    try {
      return [await againstCopy(server), ...(await largeDocument(server))]
    } finally {
      await server.stop()
      removeFolder(server.folder)
    }
  },
}

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

async function againstCopy(server: BenchServer): Promise<Figure> {
  const client = new pg.Client(runningConnection(server.folder))
  await client.connect()
  try {
    for (let n = 0; n < variants; n++) await send(server, `bench/known-${n}`, lockfile(n))
    const { rows } = await client.query(`select * from dependency where deployment_id = ${server.deploymentId}
      and repository_id = (select min(repository_id) from dependency)`)
    if (rows.length !== packages) throw new Error(`${rows.length} dependencies were stored`)
    await client.query(`create table copied (like dependency including all)`)
    const columns = Object.keys(rows[0])
    const [uploads, copies]: [number[], number[]] = [[], []]
    for (let round = 1; round <= rounds; round++) {
      const document = lockfile(round % variants)
      uploads.push(await timed(() => send(server, `bench/repository-${round}`, document)))
      const lines = rows
        .map((row) => columns.map((name) => cell(name === 'repository_id' ? round : row[name])).join('\t'))
        .join('\n')
      copies.push(await timed(() => copy(client, columns, `${lines}\n`)))
    }
    const [uploadMs, copyMs] = [median(uploads.slice(5)), median(copies.slice(5))]
    return {
      name: 'upload of a lockfile of 2,000 packages, against COPY of its rows',
      value: uploadMs / copyMs,
      unit: 'times its time',
      limit: { atMost: 5 },
      detail: `${uploadMs.toFixed(0)} ms against ${copyMs.toFixed(0)} ms`,
    }
  } finally {
    await client.end()
  }
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

async function send(server: BenchServer, repository: string, document: string | ReadableStream): Promise<void> {
  const url = `${server.url}/api/scans/v1/deployments/${server.deploymentId}/scans/raw?repository=${repository}&ref=main&path=package-lock.json`
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/octet-stream' }
  const response = await fetch(url, { method: 'POST', headers, body: document, duplex: 'half' } as RequestInit)
  if (!response.ok) throw new Error(await response.text())
  await response.arrayBuffer()
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** CycloneDX of 100 MiB, made while it is sent. */
function largeSbom(): ReadableStream {
  let sent = 0
  let n = 0
  return new ReadableStream({
    pull(controller) {
      if (sent === 0)
        controller.enqueue(bytes('{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,"components":['))
      let text = ''
      while (text.length < 65_536 && sent + text.length < sbomBytes) {
        const name = `component-${n % 40_000}`
        const version = `${1 + (n % 3)}.${n % 17}.0`
        const more = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit. '.repeat(9)
        text += `${n ? ',' : ''}{"type":"library","bom-ref":"r${n}","name":"${name}","version":"${version}","purl":"pkg:npm/${name}@${version}?n=${n}","description":"${more}","licenses":[{"license":{"id":"MIT"}}]}`
        n++
      }
      sent += text.length
      if (text) controller.enqueue(bytes(text))
      if (sent >= sbomBytes) {
        controller.enqueue(bytes(']}'))
        controller.close()
      }
    },
  })
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

async function largeDocument(server: BenchServer): Promise<Figure[]> {
  const idle = residentMiB(server)
  let peak = idle
  let done = false
  const times: number[] = []
  const headers = { authorization: `Bearer ${server.token}` }
  const watching = (async () => {
    while (!done) {
      peak = Math.max(peak, residentMiB(server))
      times.push(
        await timed(async () =>
          (await fetch(`${server.url}/api/agent/deployments/${server.deploymentId}/ruleboards`, { headers })).text(),
        ),
      )
      await delay(20)
    }
  })()
  const took = await timed(() => send(server, 'bench/large', largeSbom()))
  done = true
  await watching
  const sorted = times.toSorted((a, b) => a - b)
  return [
    {
      name: 'a 100 MiB bill of materials, memory above idle',
      value: peak - idle,
      unit: 'MiB',
      limit: { atMost: 512 },
      detail: `in ${(took / 1000).toFixed(1)} s`,
    },
    {
      name: 'other requests meanwhile, 99th percentile',
      value: sorted[Math.floor(sorted.length * 0.99)]!,
      unit: 'ms',
      limit: { atMost: 100 },
      detail: `${times.length} requests, median ${median(times).toFixed(1)} ms`,
    },
  ]
}

function residentMiB(server: BenchServer): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}
