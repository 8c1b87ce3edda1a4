import pg from 'pg'
import { addressOf, type ConnectionOptions } from '../../kernel/database/connections/connection.ts'
import { isDistributed } from '../../kernel/database/distribution/is-distributed.ts'
import { openToAnybody, unreachedNodes, workersOf } from '../../kernel/database/distribution/nodes.ts'
import type { CheckResult } from './machine-checks.ts'

/** The nodes of a database that Citus distributes; nothing elsewhere. */
export async function checkDistribution(owner: ConnectionOptions): Promise<CheckResult[]> {
  const client = new pg.Client(addressOf(owner))
  await client.connect()
  try {
    if (!(await isDistributed(client))) return []
    return [await nodesCheck(client), ...(await signInCheck(client))]
  } finally {
    await client.end()
  }
}

async function nodesCheck(client: pg.Client): Promise<CheckResult> {
  const workers = await workersOf(client)
  const unready = workers.filter(({ isReady }) => !isReady).map(({ address }) => address)
  if (unready.length > 0) {
    const detail = `not reached, or without the rights and settings of Gatehouse: ${unready.join(', ')}`
    const advice = 'Start the node; if it is new, stop Gatehouse and run npx gatehouse db distribute.'
    return { part: 'distribution', state: 'problem', detail, advice }
  }
  const unreached = await unreachedNodes(client)
  if (unreached.length > 0) {
    const advice = 'Let the nodes in by pg_hba.conf, with a password if it asks for one: docs/citus.md has the lines.'
    return { part: 'distribution', state: 'problem', detail: unreached.join(' '), advice }
  }
  const named = workers.map(({ address }) => address).join(', ')
  return { part: 'distribution', state: 'ok', detail: `by Citus, over ${named}` }
}

/** The roles can sign in, so a rule that asks nobody for a password opens the node to whoever reaches it. */
async function signInCheck(client: pg.Client): Promise<CheckResult[]> {
  const open = await openToAnybody(client)
  if (open.length === 0) return []
  const detail = `pg_hba.conf lets anybody in as a role of Gatehouse, without a password: ${open.join(', ')}`
  const advice = 'Name the addresses of the nodes in it, or ask for a password: docs/citus.md has the lines.'
  return [{ part: 'distribution', state: 'warning', detail, advice }]
}
