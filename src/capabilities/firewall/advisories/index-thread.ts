import { parentPort, workerData } from 'node:worker_threads'
import type { Sql } from 'sql-template-tag'
import { roleNames } from '../../../kernel/database/connections/connection.ts'
import { execute } from '../../../kernel/database/connections/prepared-query.ts'
import { connectSecurely } from '../../../kernel/database/connections/secure-session.ts'
import type { WorkerQueryable } from '../../../kernel/database/database.ts'
import type { IndexTask } from '../verdicts/verdict-data.ts'
import { readRevision } from './advisory-store.ts'
import { loadIndex } from './load-index.ts'

/** Laying out the index takes seconds of work: here it holds nobody up. */
const { connection, after } = workerData as IndexTask
const client = await connectSecurely(connection, { role: roleNames.worker })
const tx: WorkerQueryable = {
  query: <Row>(statement: Sql) => execute<Row>(client, statement),
}
try {
  await client.query('begin isolation level repeatable read read only')
  const loaded = await loadIndex(tx, await readRevision(tx), after)
  await client.query('commit')
  parentPort!.postMessage(
    loaded,
    Object.values(loaded.arrays).map((array) => array.buffer as ArrayBuffer),
  )
} finally {
  await client.end()
}
