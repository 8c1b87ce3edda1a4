import type pg from 'pg'
import type { ConnectionOptions } from '../connections/connection.ts'
import { DatabaseProblem } from '../database-problem.ts'
import { whileNobodyMigrates } from '../migrations/migrate.ts'
import { completeDistribution } from './complete-distribution.ts'
import { holdBackConnections } from './distributed-connections.ts'
import { obstacles } from './obstacles.ts'
import { usualShards } from './placement.ts'

export type Distribution = { obstacles: string[]; placed: string[] }

export type DistributeOptions = {
  shardCount?: number | undefined
  onlyCheck?: boolean
  /** Told once who is waited for, in words. */
  tell?(sentence: string): void
}

/**
 * Distributes a database by Citus, all of it or nothing, and can be run again. Where something is in the way it only says what.
 */
export function distribute(
  to: ConnectionOptions,
  { shardCount, onlyCheck = false, tell }: DistributeOptions = {},
): Promise<Distribution> {
  const work = async (client: pg.Client) => {
    // Before it looks for processes: whoever comes later finds out what the database is then.
    if (!onlyCheck) await holdBackConnections(client)
    const found = await obstacles(client, shardCount)
    if (found.length > 0 || onlyCheck) return { obstacles: found, placed: [] }
    try {
      return { obstacles: [], placed: await completeDistribution(client, shardCount ?? usualShards) }
    } catch (error) {
      throw brokenOff(error)
    }
  }
  return whileNobodyMigrates(to, work, tell)
}

function brokenOff(error: unknown): DatabaseProblem {
  if (error instanceof DatabaseProblem) return error
  const { message } = error as Error
  return new DatabaseProblem(
    `Distributing the database was broken off: ${message.replace(/\.$/, '')}. All tables are distributed or none is. ` +
      'See to that and run npx gatehouse db distribute again.',
    { cause: error },
  )
}
