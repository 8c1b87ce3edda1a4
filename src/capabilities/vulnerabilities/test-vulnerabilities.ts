import { setTimeout as delay } from 'node:timers/promises'
import sql from 'sql-template-tag'
import type { TestGatehouse } from '../../../test/gatehouse.ts'

/** Until nothing waits that changed advisories have set off. */
export async function settled(gatehouse: TestGatehouse): Promise<void> {
  for (;;) {
    const waiting = await gatehouse.db.workerQuery(sql`select from outbox where kind = 'vulnerabilities.match' limit 1`)
    if (waiting.length === 0) return
    await delay(10)
  }
}

/** All of the source osv in a repository, or in one of its pull requests. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function findingsOf(gatehouse: TestGatehouse, repository: string, more: object = {}): Promise<any[]> {
  const { deploymentId } = gatehouse.owner
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const found: any[] = []
  for (let cursor = ''; ; ) {
    const body = { filter: { repositories: [repository], sources: ['osv'], ...more }, pageSize: 100, cursor }
    const answer = await gatehouse.call('POST', `/api/findings/${deploymentId}/findings/search`, { body })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    found.push(...answer.body.findings)
    if (!answer.body.hasMore) return found
    cursor = answer.body.cursor
  }
}
