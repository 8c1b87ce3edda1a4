import { parentPort, workerData } from 'node:worker_threads'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { auditEverywhere } from '../../feeds/audit.ts'
import { localTag, readFeed } from '../../feeds/files.ts'
import type { SyncOutcome } from '../../feeds/keeper.ts'
import { FeedRefused } from '../../feeds/take-over.ts'
import { clientConfig, prepared, roleNames } from '../../kernel/connection.ts'
import type { WorkerQueryable } from '../../kernel/database.ts'
import { activate } from './activate.ts'
import { book } from './feed-store.ts'
import type { ThreadTask } from './read-apart.ts'

/** Reading a feed takes minutes of work: here it holds nobody up. One feed, then it ends. */
const { connection, task } = workerData as ThreadTask
// A feed of which nothing is new is read for minutes without a statement, and the first one has very much to write.
const patience = ['idle_in_transaction_session_timeout=0', 'statement_timeout=600000']
const client = new pg.Client({ ...clientConfig(connection, roleNames.worker, patience), query_timeout: 605_000 })
await client.connect()
const tx: WorkerQueryable = {
  query: async <Row>(statement: Sql) => (await client.query(prepared(statement))).rows as Row[],
}
try {
  await client.query('begin')
  const outcome = await sync()
  await client.query('commit')
  parentPort!.postMessage(outcome)
} catch (error) {
  // Nothing of it stays: the connection ends with its transaction open.
  if (!(error instanceof FeedRefused)) throw error
  parentPort!.postMessage({ refused: error.message } satisfies SyncOutcome)
} finally {
  await client.end()
}

async function sync(): Promise<SyncOutcome> {
  const { place, path, knownTag, force, now } = task
  const tag = task.tag ?? localTag(path)
  if (tag === knownTag) return { current: true }
  const feed = await book.ensure(tx, place)
  const activated = await activate(tx, { feed, items: readFeed(path), tag, force, now })
  await auditEverywhere(tx, 'vulnerability-feed.activate', `vulnerability-feed:${feed.id}`, {
    place,
    force,
    ...activated,
  })
  return { activated }
}
