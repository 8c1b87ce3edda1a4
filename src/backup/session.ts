import pg from 'pg'
import { addressOf, type ConnectionOptions, isConnectionLoss } from '../kernel/database/connections/connection.ts'
import { BackupProblem } from './backup-problem.ts'

export const backupSession = 'gatehouse backup'

export type Session = { client: pg.Client; end(): Promise<void> }

/** A connection of the owner of the schema for work that takes long. One that is lost fails what waits for an answer, and nothing else. */
export async function openSession(owner: ConnectionOptions, name = backupSession): Promise<Session> {
  const client = new pg.Client({ ...addressOf(owner), application_name: name })
  // Without a listener, a connection that is lost would end the process.
  client.on('error', () => {})
  await client.connect()
  return { client, end: () => client.end() }
}

export async function withSession<T>(
  owner: ConnectionOptions,
  work: (client: pg.Client) => Promise<T>,
  name = backupSession,
): Promise<T> {
  const { client, end } = await openSession(owner, name)
  try {
    return await work(client)
  } finally {
    await end()
  }
}

/** What came of it and why, in words, where the database went away; any other error as it is. */
export function explained(error: unknown, outcome = 'No backup was made'): unknown {
  if (error instanceof BackupProblem || !isConnectionLoss(error)) return error
  const { message } = error as Error
  return new BackupProblem(
    `${outcome}: the connection to the database was lost (${message}). Is it running, and can it be reached?`,
    { cause: error },
  )
}
