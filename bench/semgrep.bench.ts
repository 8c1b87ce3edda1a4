import { randomUUID } from 'node:crypto'
import { semgrepDocument, semgrepFinding } from '../src/formats/semgrep-results/sample-results.ts'
import { type Benchmark, median } from './figure.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const results = 10_000
const rules = 200
const rounds = 7

/** A whole run of `semgrep ci`, against our own upload of a SARIF log with the same findings. */
export const benchmark: Benchmark = {
  name: 'semgrep',
  async run() {
    const server = await startServer()
    try {
      const [runs, uploads]: [number[], number[]] = [[], []]
      const [document, log] = [JSON.stringify(ciResults()), JSON.stringify(sarifLog())]
      for (let round = 0; round < rounds; round++) {
        runs.push(await timed(() => sendRun(server, `bench/run-${round}`, document)))
        uploads.push(await timed(() => sendLog(server, `bench/log-${round}`, log)))
      }
      const [runMs, uploadMs] = [median(runs.slice(2)), median(uploads.slice(2))]
      return [
        {
          name: 'a run of semgrep ci with 10,000 findings, against our upload of the same',
          value: runMs / uploadMs,
          unit: 'times its time',
          limit: { atMost: 1.3 },
          detail: `${runMs.toFixed(0)} ms against ${uploadMs.toFixed(0)} ms`,
        },
      ]
    } finally {
      await server.stop()
      removeFolder(server.folder)
    }
  },
}

const ruleOf = (n: number) => `javascript.lang.security.audit.rule-${n % rules}`
const pathOf = (n: number) => `src/part-${n % 400}/file.js`
const message = (n: number) => `User input of request ${n} reaches a sink without being checked. Check it first.`
const matchOf = (n: number) => n.toString(16).padStart(128, 'a')
const metadata = { cwe: ['CWE-79: Cross-site scripting'], confidence: 'HIGH', category: 'security' }

function ciResults() {
  const findings = Array.from({ length: results }, (_, n) => ({
    ...semgrepFinding({
      check_id: ruleOf(n),
      path: pathOf(n),
      line: n + 1,
      message: message(n),
      metadata,
      code: `c${n}`,
    }),
    match_based_id: `${matchOf(n)}_0`,
  }))
  const ran = {
    rules: Array.from({ length: rules }, (_, n) => ruleOf(n)),
    searched: Array.from({ length: 400 }, (_, n) => pathOf(n)),
  }
  return semgrepDocument(findings, [], ran)
}

function sarifLog() {
  const tags = ['CWE-79: Cross-site scripting', 'HIGH CONFIDENCE', 'security']
  const driver = {
    name: 'Semgrep OSS',
    rules: Array.from({ length: rules }, (_, n) => ({ id: ruleOf(n), properties: { tags } })),
  }
  const result = (n: number) => {
    const region = {
      startLine: n + 1,
      startColumn: 1,
      endLine: n + 1,
      endColumn: 12,
      snippet: { text: `sink(request[${n}])` },
    }
    return {
      ruleId: ruleOf(n),
      level: 'error',
      message: { text: message(n) },
      fingerprints: { 'matchBasedId/v1': `${matchOf(n)}_0` },
      locations: [{ physicalLocation: { artifactLocation: { uri: pathOf(n) }, region } }],
    }
  }
  return {
    version: '2.1.0',
    runs: [{ tool: { driver }, results: Array.from({ length: results }, (_, n) => result(n)) }],
  }
}

async function sendRun(server: BenchServer, repository: string, document: string): Promise<void> {
  const scan = {
    scan_metadata: { cli_version: '1.180.0', unique_id: randomUUID(), requested_products: [] },
    project_metadata: { repository, branch: 'main', is_full_scan: true },
  }
  const { info } = await post(server, '/api/cli/v2/scans', JSON.stringify(scan))
  await post(server, `/api/agent/scans/${info.id}/results`, document)
  await post(server, `/api/agent/scans/${info.id}/complete`, '{"exit_code":0,"dependencies":{}}')
}

async function sendLog(server: BenchServer, repository: string, log: string): Promise<void> {
  const query = `repository=${repository}&ref=main&path=log.sarif`
  await post(server, `/api/scans/v1/deployments/${server.deploymentId}/scans/raw?${query}`, log)
}

async function post(server: BenchServer, path: string, body: string) {
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' }
  const answer = await fetch(server.url + path, { method: 'POST', headers, body })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
