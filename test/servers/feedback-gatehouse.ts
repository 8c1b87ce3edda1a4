import assert from 'node:assert/strict'
import sql from 'sql-template-tag'
import { pullRequestsOf } from '../../src/capabilities/findings/test-pull-request.ts'
import { until } from '../../src/jobs/test-queue.ts'
import { systemActor } from '../../src/kernel/access/actor.ts'
import { openGatehouse, type Request } from '../gatehouse.ts'

export const head = 'a1'.repeat(20)
export const base = 'b'.repeat(40)

/** Where a finding is, for the patch below. */
export const patch = '@@ -1,3 +1,4 @@\n one\n+eval(two)\n three\n-four\n+five'

type Result = { rule: string; line?: number; path?: string; message?: string; title?: string }

/** A SARIF log; by default of one error in the second line of src/a.js, which `patch` adds. */
export function sarif(results: readonly Result[], tool = 'Tester'): string {
  const toResult = ({ rule, line = 2, path = 'src/a.js', message = 'It is not safe.' }: Result) => ({
    ruleId: rule,
    level: 'error',
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: path },
          region: { startLine: line, snippet: { text: `${rule} at ${line}` } },
        },
      },
    ],
  })
  const rules = results.map(({ rule, title = rule }) => ({ id: rule, shortDescription: { text: title } }))
  const run = { tool: { driver: { name: tool, rules } }, results: results.map(toResult) }
  return JSON.stringify({ version: '2.1.0', runs: [run] })
}

/** A Gatehouse that may reach this machine and tries failed jobs again at once, with a policy that comments. */
export async function openFeedbackGatehouse() {
  const lines: string[] = []
  const gatehouse = await openGatehouse({
    env: { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' },
    log: (line) => lines.push(line),
    worker: { pollSeconds: 0.05, maxAttempts: 5, backoff: { firstSeconds: 0.05, factor: 1, mostSeconds: 0.1 } },
  })
  const pullRequests = pullRequestsOf(gatehouse)
  await pullRequests.setMode('comment')
  const { deploymentId } = gatehouse.owner
  const hosts = (method: string, rest = '', request: Request = {}) =>
    gatehouse.call(method, `/api/scm/v1/deployments/${deploymentId}/code-hosts${rest}`, request)

  async function connect(host: object) {
    const answer = await hosts('POST', '', { body: host })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  /** Until nothing waits to be done any more. */
  async function settled(): Promise<void> {
    const waiting = sql`select count(*) as left from outbox where dead_at is null`
    await until(async () => {
      const [row] = await gatehouse.db.as(systemActor(deploymentId, 'test')).query<{ left: number }>(waiting)
      return row!.left === 0
    })
  }

  /** A pull request whose base has nothing, scanned with these results, and told. */
  async function scan(repository: string, results: readonly Result[], change: object = {}) {
    const receipt = await pullRequests.send(repository, sarif(results), { pullRequest: 7, commit: head, ...change })
    await settled()
    return receipt
  }

  const lastDelivery = async (id: string) => (await hosts('GET', `/${id}`)).body.codeHost.lastDelivery
  const deadLetters = async () =>
    (await gatehouse.call('GET', `/api/jobs/v1/deployments/${deploymentId}/dead-letters`)).body.deadLetters

  return { ...gatehouse, pullRequests, hosts, connect, settled, scan, lastDelivery, deadLetters, lines }
}
export type FeedbackGatehouse = Awaited<ReturnType<typeof openFeedbackGatehouse>>
