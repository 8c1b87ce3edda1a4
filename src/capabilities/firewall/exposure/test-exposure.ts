import assert from 'node:assert/strict'
import sql from 'sql-template-tag'
import type { TestGatehouse } from '../../../../test/gatehouse.ts'

export type MalwareRow = {
  id: number
  repository: string
  rule: string
  state: number
  malicious: boolean
  severity: number
  pullRequest: number
  path: string
  message: string
}

/** A lockfile of npm that has version 1.0.0 of these. */
export function lockOf(...names: string[]): string {
  const entries = names.map((name) => [`node_modules/${name}`, { version: '1.0.0' }])
  return JSON.stringify({ lockfileVersion: 3, packages: { '': {}, ...Object.fromEntries(entries) } })
}

/** What tests do and ask about who already has what is malicious. */
export function watchExposure(gatehouse: TestGatehouse) {
  const { deploymentId } = gatehouse.owner
  const db = gatehouse.db.as({ deploymentId })

  async function upload(repository: string, body: string, more: Record<string, string> = {}): Promise<void> {
    const query = new URLSearchParams({ repository, ref: 'main', path: 'package-lock.json', ...more })
    const answer = await gatehouse.call('POST', `/api/scans/v1/deployments/${deploymentId}/scans/raw?${query}`, {
      body,
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  /** A client gets these from the firewall. */
  async function fetch(client: { personId: number; tokenId: number }, ...versions: `${string}@${string}`[]) {
    for (const each of versions) {
      const [name, version] = each.split('@') as [string, string]
      const event = { deploymentId, ecosystem: 'npm', name, version, refused: false, advisoryId: '' } as const
      await gatehouse.recorder.record({ ...event, ...client })
    }
    await gatehouse.recorder.flush()
  }

  function findings(): Promise<MalwareRow[]> {
    return db.query(sql`select f.id, r.name as repository, rule.external_id as rule, f.state, f.malicious, f.severity,
        f.pull_request as "pullRequest", f.path, f.message
      from finding f join repository r on r.deployment_id = f.deployment_id and r.id = f.repository_id
      join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
      where f.deployment_id = ${deploymentId} and rule.source = 'malware' order by f.id`)
  }

  /** As it goes by itself, only sooner. */
  async function lookNow(): Promise<void> {
    await gatehouse.firewall.exposure.periodic.run()
    for (const started = performance.now(); performance.now() - started < 20_000; ) {
      gatehouse.jobs.wake()
      const [left] = await db.query<{ count: number }>(
        sql`select count(*) from outbox where deployment_id = ${deploymentId} and kind like 'firewall.%'`,
      )
      if (left!.count === 0) return
    }
    throw new Error('the jobs are not done')
  }

  async function audits(): Promise<string[]> {
    const rows = await db.query<{ action: string }>(
      sql`select action from audit_event where deployment_id = ${deploymentId} order by seq`,
    )
    return rows.map((row) => row.action).filter((action) => action.startsWith('supply-chain'))
  }

  async function notes(): Promise<string[]> {
    const rows = await db.query<{ note: string }>(
      sql`select note from finding_history where deployment_id = ${deploymentId} order by at, finding_id, seq`,
    )
    return rows.map(({ note }) => note)
  }

  const exposures = async () =>
    (await gatehouse.call('GET', `/api/firewall/v1/deployments/${deploymentId}/exposures`)).body.exposures

  return { db, upload, fetch, findings, lookNow, audits, notes, exposures }
}
