import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { cyclonedxBill, dependencySnapshot, semgrepLog, semgrepResults } from './data/protocol-documents.ts'
import type { Benchmark, Figure } from './figure.ts'
import { byTurns, timed } from './peers/against-copy.ts'
import { openPlainClient, type PlainClient, postRequest } from './peers/plain-client.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

type Opened = { server: BenchServer; plain: PlainClient }

/** The same content as clients of another product send it, and as our own upload takes it. Only what the server does is timed. */
type Protocol = {
  name: string
  /** The requests of one upload; what the one before answered is told to the next. */
  theirs(server: BenchServer, repository: string, round: number): ((answered: string) => Buffer)[]
  ours: { file: string; document(round: number): string }
}

const variants = 5
const log = { file: 'results.sarif', document: () => semgrepLog }
const packedLog = gzipSync(semgrepLog).toString('base64')

const protocols: readonly Protocol[] = [
  {
    name: 'bill of 2,000 components as clients of Dependency-Track send it',
    ours: { file: 'bom.json', document: (round) => cyclonedxBill(round % variants) },
    theirs(server, repository, round) {
      const bom = Buffer.from(cyclonedxBill(round % variants)).toString('base64')
      const body = JSON.stringify({ projectName: repository, projectVersion: 'main', autoCreate: true, bom })
      return [() => json(server, '/api/v1/bom', body)]
    },
  },
  {
    name: 'SARIF log of 2,000 findings as clients of DefectDojo send it',
    ours: log,
    theirs(server, repository) {
      const fields = { scan_type: 'SARIF', product_type_name: 'bench', product_name: repository }
      const form = formOf({ ...fields, engagement_name: 'ci', auto_create_context: 'true' }, semgrepLog)
      return [() => postRequest(`${server.url}/api/v2/import-scan/`, server.token, form.body, form.contentType)]
    },
  },
  {
    name: 'SARIF log of 2,000 findings as clients of GitHub send it',
    ours: log,
    theirs(server, repository, round) {
      const body = JSON.stringify({ commit_sha: commitOf(round), ref: 'refs/heads/main', sarif: packedLog })
      return [() => json(server, `/api/v3/repos/${repository}/code-scanning/sarifs`, body)]
    },
  },
  {
    name: 'snapshot of 2,000 dependencies as clients of GitHub send it',
    ours: {
      file: 'snapshot.json',
      document: (round) => dependencySnapshot(round % variants, commitOf(round)),
    },
    theirs(server, repository, round) {
      const body = dependencySnapshot(round % variants, commitOf(round))
      return [() => json(server, `/api/v3/repos/${repository}/dependency-graph/snapshots`, body)]
    },
  },
  {
    name: 'run of semgrep ci with 2,000 findings, from its beginning to its decision',
    ours: log,
    theirs(server, repository) {
      const beginning = JSON.stringify({
        scan_metadata: { cli_version: '1.180.0', unique_id: randomUUID(), requested_products: [] },
        project_metadata: { repository, branch: 'main', is_full_scan: true },
      })
      let id = 0
      return [
        () => json(server, '/api/cli/v2/scans', beginning),
        (answered) => {
          id = JSON.parse(answered).info.id
          return json(server, `/api/agent/scans/${id}/results`, semgrepResults)
        },
        () => json(server, `/api/agent/scans/${id}/complete`, '{"exit_code":0,"dependencies":{}}'),
      ]
    },
  },
]

export const benchmark: Benchmark = {
  name: 'protocols',
  async run() {
    const server = await startServer()
    const plain = await openPlainClient(server.url)
    const figures: Figure[] = []
    try {
      for (const [number, protocol] of protocols.entries())
        figures.push(await measured({ server, plain }, protocol, number))
    } finally {
      plain.close()
      await server.stop()
      removeFolder(server.folder)
    }
    return figures
  },
}

async function measured({ server, plain }: Opened, { name, theirs, ours }: Protocol, number: number): Promise<Figure> {
  const own = (round: number) => {
    const query = `repository=bench/own-${number}-${round}&ref=main&path=${ours.file}`
    const url = `${server.url}/api/scans/v1/deployments/${server.deploymentId}/scans/raw?${query}`
    const request = postRequest(url, server.token, ours.document(round), 'application/octet-stream')
    return timed(() => plain.ask(request))
  }
  const other = (round: number) => {
    const requests = theirs(server, `bench/protocol-${number}-${round}`, round)
    return timed(async () => {
      let answered = ''
      for (const request of requests) answered = await plain.ask(request(answered))
    })
  }
  const [ownMs = 0, otherMs = 0] = await byTurns(own, other)
  return {
    name: `${name}, against our own upload of the same`,
    value: otherMs / ownMs,
    unit: 'times its time',
    limit: { atMost: 1.3 },
    detail: `${otherMs.toFixed(0)} ms against ${ownMs.toFixed(0)} ms`,
  }
}

function json(server: BenchServer, path: string, body: string): Buffer {
  return postRequest(server.url + path, server.token, body)
}

/** RFC 7578, as curl writes it. */
function formOf(fields: Record<string, string>, report: string): { body: string; contentType: string } {
  const boundary = '------------------------bench'
  const parts = Object.entries(fields).map(([name, value]) => `form-data; name="${name}"\r\n\r\n${value}`)
  parts.push(`form-data; name="file"; filename="r.sarif"\r\nContent-Type: application/octet-stream\r\n\r\n${report}`)
  const written = parts.map((part) => `--${boundary}\r\nContent-Disposition: ${part}\r\n`).join('')
  return { body: `${written}--${boundary}--\r\n`, contentType: `multipart/form-data; boundary=${boundary}` }
}

function commitOf(round: number): string {
  return round.toString(16).padStart(40, '0')
}
