import assert from 'node:assert/strict'
import pg from 'pg'
import sql from 'sql-template-tag'
import { until } from '../../src/jobs/test-queue.ts'
import { systemActor } from '../../src/kernel/access/actor.ts'
import { enqueue } from '../../src/kernel/jobs/outbox.ts'
import { startTrackerService } from '../../src/sandbox/tracker/tracker-service.ts'
import { openGatehouse, type Request } from '../gatehouse.ts'

const account = 'robot@example.com'

/** A Gatehouse with the sandbox's tracker, a clock that stands until it is moved, and jobs that are tried again at once. */
export async function openTrackerGatehouse() {
  let now = Date.now()
  const clock = { now: () => new Date(now) }
  const lines: string[] = []
  const tracker = await startTrackerService({ clock })
  const gatehouse = await openGatehouse({
    clock,
    env: { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' },
    log: (line) => lines.push(line),
    worker: { pollSeconds: 0.05, maxAttempts: 1_000, backoff: { firstSeconds: 0.05, factor: 1, mostSeconds: 7_200 } },
  })
  const base = `/api/notifications/deployments/${gatehouse.owner.deploymentId}`
  let reported = 0

  const instances = (method: string, rest = '', request: Request = {}) =>
    gatehouse.call(method, `${base}/ticketing/v2${rest}`, request)
  const tickets = (method: string, rest = '', request: Request = {}) =>
    gatehouse.call(method, `${base}/tickets${rest}`, request)

  /** Connected with a fresh token, and set up for bugs in the project SEC. */
  async function configured(more: object = {}): Promise<number> {
    const existing = (await instances('GET')).body.instances[0]
    const apiToken = tracker.addAccount(account)
    const body = { url: tracker.url, email: account, apiToken }
    const answer = existing
      ? await instances('PATCH', `/${existing.id}/connection`, { body: { apiToken } })
      : await instances('POST', '', { body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(answer.body.check, { ok: true, problems: [] })
    const { id } = answer.body.instance
    const configuration = {
      projectId: '10100',
      issueTypeId: '10200',
      subtaskIssueTypeId: '10202',
      fields: {},
      fixedTransitionState: { trackerTransitionId: '31', serviceAggregateState: 'AGGREGATE_STATE_FIXED' },
      automationStates: { sast: false, sca: false, secrets: false, scaMaliciousDeps: false, aiSast: false },
      ...more,
    }
    const set = await instances('PATCH', `/${id}`, { body: configuration })
    assert.equal(set.status, 200, JSON.stringify(set.body))
    return id
  }

  /** Something to make a ticket for. */
  async function issue(more: object = {}): Promise<string> {
    const report = {
      externalKey: `issue-${++reported}`,
      title: `Weak spot ${reported}`,
      severity: 'SEVERITY_HIGH',
      ...more,
    }
    const path = `/api/issues/${gatehouse.owner.deploymentId}/issues`
    const answer = await gatehouse.call('POST', path, { body: { issues: [report] } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.results[0].issueId
  }

  async function triage(issueId: string, triageState: string): Promise<void> {
    const path = `/api/issues/${gatehouse.owner.deploymentId}/issue/${issueId}`
    const answer = await gatehouse.call('POST', path, { body: { triageState } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  /** The ticket once it is in this state. */
  async function ticketWhen(id: number, holds: (ticket: { state: string; transition: string }) => boolean) {
    for (;;) {
      const { body } = await tickets('GET', `/${id}`)
      if (holds(body.ticket)) return body.ticket
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  const ready = (id: number) => ticketWhen(id, ({ state }) => state === 'TICKET_STATE_READY')

  async function left(): Promise<number> {
    const rows = await gatehouse.db
      .as(gatehouse.owner)
      .query<{ left: number }>(sql`select count(*) as left from outbox where dead_at is null`)
    return rows[0]!.left
  }

  /** Until nothing waits to be done any more. */
  const settled = () => until(async () => (await left()) === 0)

  /** Has the tracker asked for changes, and waits for that. */
  async function poll(): Promise<void> {
    const [{ id }] = (await instances('GET')).body.instances
    await gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'test'), async (tx) => {
      await enqueue(tx, { kind: 'ticketing.poll', payload: { instanceId: id } })
    })
    await settled()
  }

  async function made(issueId: string, more: object = {}) {
    const answer = await tickets('POST', '', { body: { issueIds: [issueId], ...more } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.ticket
  }

  /** A ticket that exists at the tracker cannot be written down here: as if we died right after its answer. */
  async function breakReadiness(): Promise<void> {
    await statement(`create function refuse_ready() returns trigger language plpgsql as
      $$ begin if new.state = 'ready' then raise 'dead'; end if; return new; end $$`)
    await statement('create trigger refuse_ready before update on ticket for each row execute function refuse_ready()')
  }

  const mendReadiness = () => statement('drop function refuse_ready cascade')

  async function statement(text: string): Promise<void> {
    const client = new pg.Client(gatehouse.connection)
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }

  return {
    gatehouse,
    tracker,
    account,
    lines,
    clock,
    base,
    instances,
    tickets,
    configured,
    issue,
    triage,
    made,
    ready,
    poll,
    settled,
    ticketWhen,
    breakReadiness,
    mendReadiness,
    pass: (ms: number) => {
      now += ms
    },
    async close() {
      await gatehouse.close()
      await tracker.close()
    },
  }
}
