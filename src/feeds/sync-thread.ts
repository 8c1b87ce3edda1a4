import { parentPort, workerData } from 'node:worker_threads'
import type { Sql } from 'sql-template-tag'
import type { AuditKeys } from '../kernel/database/audit-chain.ts'
import { type ConnectionOptions, roleNames } from '../kernel/database/connections/connection.ts'
import { execute } from '../kernel/database/connections/prepared-query.ts'
import { connectSecurely } from '../kernel/database/connections/secure-session.ts'
import type { WorkerQueryable } from '../kernel/database/database.ts'
import { enterFence } from '../kernel/database/migrations/version-fence.ts'
import type { Activation, NewState } from './activate.ts'
import { auditFeed } from './audit.ts'
import type { FeedStatusStore } from './feed-status-store.ts'
import type { SyncOutcome, SyncTask } from './feed-sync.ts'
import { localTag, readFeed } from './files.ts'
import { FeedRefused } from './replace-records.ts'

export type SyncThreadData = { connection: ConnectionOptions; task: SyncTask; auditKeys: AuditKeys }

type Activate = (tx: WorkerQueryable, state: NewState) => Promise<Activation>

// A feed of which nothing is new is read for minutes without a statement, and the first one has very much to write.
const session = { role: roleNames.worker, idleInTransactionTimeoutMs: 0, statementTimeoutMs: 600_000 }

/** The whole of a thread that takes over one feed: reading it takes minutes of work, and here it holds nobody up. */
export async function syncInThread(book: FeedStatusStore, activate: Activate): Promise<void> {
  const { connection, task, auditKeys } = workerData as SyncThreadData
  const client = await connectSecurely(connection, session, { query_timeout: 605_000 })
  const tx: WorkerQueryable = {
    query: <Row>(statement: Sql) => execute<Row>(client, statement),
  }
  try {
    await client.query(`begin; ${enterFence}`)
    const outcome = await sync(tx, task, { book, activate, auditKeys })
    await client.query('commit')
    parentPort!.postMessage(outcome)
  } catch (error) {
    // Nothing of it stays: the connection ends with its transaction open.
    if (!(error instanceof FeedRefused)) throw error
    parentPort!.postMessage({ refused: error.message } satisfies SyncOutcome)
  } finally {
    await client.end()
  }
}

type Means = { book: FeedStatusStore; activate: Activate; auditKeys: AuditKeys }

async function sync(tx: WorkerQueryable, task: SyncTask, { book, activate, auditKeys }: Means): Promise<SyncOutcome> {
  const { place, path, knownTag, force, now } = task
  const tag = task.tag ?? localTag(path)
  if (tag === knownTag) return { current: true }
  const feed = await book.ensure(tx, place)
  const activated = await activate(tx, { feed, path, items: readFeed(path), tag, force, now })
  await auditFeed(tx, auditKeys, book, 'activate', feed, { force, ...activated })
  return { activated }
}
