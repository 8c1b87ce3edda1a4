import pg from 'pg'
import { addressOf, type ConnectionOptions } from '../../kernel/database/connections/connection.ts'
import { isDistributed } from '../../kernel/database/distribution/is-distributed.ts'
import { workersOf } from '../../kernel/database/distribution/nodes.ts'
import type { CheckResult } from './machine-checks.ts'

/** The nodes of a database that Citus distributes; nothing elsewhere. */
export async function checkDistribution(owner: ConnectionOptions): Promise<CheckResult[]> {
  const client = new pg.Client(addressOf(owner))
  await client.connect()
  try {
    if (!(await isDistributed(client))) return []
    const workers = await workersOf(client)
    const unready = workers.filter(({ isReady }) => !isReady).map(({ address }) => address)
    if (unready.length === 0) {
      const named = workers.map(({ address }) => address).join(', ')
      return [{ part: 'distribution', state: 'ok', detail: `by Citus, over ${named}` }]
    }
    const detail = `not reached, or without the rights and settings of Gatehouse: ${unready.join(', ')}`
    const advice = 'Start the node; if it is new, stop Gatehouse and run npx gatehouse db distribute.'
    return [{ part: 'distribution', state: 'problem', detail, advice }]
  } finally {
    await client.end()
  }
}
