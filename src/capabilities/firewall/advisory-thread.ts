import { parentPort, workerData } from 'node:worker_threads'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import sql from 'sql-template-tag'
import { localTag, readFeed } from '../../feeds/files.ts'
import { clientConfig, prepared, roleNames } from '../../kernel/connection.ts'
import type { WorkerQueryable } from '../../kernel/database.ts'
import { activate, FeedRefused } from './activate.ts'
import { auditEverywhere, ensureFeed } from './advisory-store.ts'
import { loadIndex } from './load-index.ts'
import type { SyncTask, ThreadResult, ThreadTask } from './thread-task.ts'

/** Reading a feed and laying out the index take seconds of work: here they hold nobody up. One task, then it ends. */
const { connection, task } = workerData as ThreadTask
const client = new pg.Client(clientConfig(connection, roleNames.worker))
await client.connect()
const tx: WorkerQueryable = {
  query: async <Row>(statement: Sql) => (await client.query(prepared(statement))).rows as Row[],
}
try {
  await client.query(task.kind === 'load' ? 'begin isolation level repeatable read read only' : 'begin')
  const result = await (task.kind === 'load' ? load(task) : sync(task))
  await client.query('commit')
  const transfer = 'loaded' in result ? Object.values(result.loaded.arrays).map((array) => array.buffer) : []
  parentPort!.postMessage(result, transfer as ArrayBuffer[])
} catch (error) {
  // Nothing of it stays: the connection ends with its transaction open.
  if (!(error instanceof FeedRefused)) throw error
  parentPort!.postMessage({ refused: error.message } satisfies ThreadResult)
} finally {
  await client.end()
}

async function load({ after }: { after: number }): Promise<ThreadResult & { loaded: unknown }> {
  const [state] = await tx.query<{ revision: number }>(sql`select revision from advisory_state`)
  return { loaded: await loadIndex(tx, state!.revision, after) }
}

async function sync({ place, path, tag: givenTag, knownTag, force, now }: SyncTask): Promise<ThreadResult> {
  const tag = givenTag ?? localTag(path)
  if (tag === knownTag) return { current: true }
  const feed = await ensureFeed(tx, place)
  const activated = await activate(tx, { feed, items: readFeed(path), tag, force, now })
  await auditEverywhere(tx, 'advisory-feed.activate', `advisory-feed:${feed.id}`, { place, force, ...activated })
  return { activated }
}
