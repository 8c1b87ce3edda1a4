import type pg from 'pg'
import { type ConnectionOptions, roleNames, UnsafeConnection } from './connection.ts'
import { connectSecurely, type Session } from './secure-session.ts'

/** Every kind of connection that the server makes. */
export const sessions = {
  reader: { role: roleNames.tenant, readOnly: true },
  writer: { role: roleNames.tenant },
  identity: { role: roleNames.identity },
  worker: { role: roleNames.worker },
  replica: { role: roleNames.tenant, readOnly: true, onReplica: true },
} as const satisfies Record<string, Session>

const rounds = 3
/** A pooler that has no more to give says nothing. */
const patienceMs = 10_000
/** Of PgBouncer, which says by the same code that it lost the server. */
const statementPooling = /statement pooling/
const advice =
  'Between Gatehouse and PostgreSQL is a pooler in transaction mode, which mixes up the sessions of tenants. ' +
  'Set it to session mode (PgBouncer: pool_mode = session).'

/** Makes a connection of each kind, and looks whether it stays one. Throws `UnsafeConnection`. */
export async function checkConnections(to: ConnectionOptions): Promise<void> {
  for (const session of [sessions.reader, sessions.writer, sessions.worker]) {
    await (await connectSecurely(to, session)).end()
  }
  await refuseTransactionPooling(() => connectSecurely(to, sessions.identity))
}

/**
 * A session that is ours has one server process all along. A pooler in transaction mode gives the process of a session that
 * has nothing to do to the next one that has: either the second here gets that of the first, or the first gets another. Where
 * there is only one to give, a transaction of the second would keep the first waiting, so it is looked for before there is any.
 */
export async function refuseTransactionPooling(connect: () => Promise<pg.Client>): Promise<void> {
  const clients: pg.Client[] = []
  const open = async () => {
    const client = await connect()
    clients.push(client)
    return client
  }
  try {
    const first = await open()
    const second = await open()
    if ((await processOf(first)) === (await processOf(second))) throw new UnsafeConnection(advice)
    for (let round = 0; round < rounds; round++) {
      const before = await processOf(first)
      await second.query('begin')
      const meanwhile = await processOf(second)
      const after = await processOf(first)
      await second.query('commit')
      if (before !== after || before === meanwhile) throw new UnsafeConnection(advice)
    }
  } catch (error) {
    // One that pools by statement takes no transactions at all.
    if (!statementPooling.test((error as Error).message)) throw error
    throw new UnsafeConnection(advice, { cause: error })
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()))
  }
}

/** The server process behind a session, and the role it has there. */
async function processOf(client: pg.Client): Promise<string> {
  const text = "select pg_backend_pid() || ' ' || current_user as process"
  const query: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: patienceMs }
  const { rows } = await client.query(query)
  return rows[0].process as string
}
