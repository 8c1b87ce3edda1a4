import { randomBytes } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import pg from 'pg'
import type { ConnectionOptions } from '../src/kernel/database/connections/connection.ts'
import { migrate } from '../src/kernel/database/migrations/migrate.ts'
import { startEmbedded } from '../src/postgres/embedded.ts'
import { databaseFolder } from './database-folder.ts'
import { recordStatements } from './watching/record-statements.ts'

type Cluster = { connection: Connection; stop(): Promise<void> }
type Connection = {
  host: string
  port: number
  user: string
  password: string
  database: string
  /** Of a cluster that Citus distributes: every node has the same databases. */
  workers?: Connection[]
  /** What a copy of the template does not get by being one. */
  settings?: Record<string, string>
}

export const template = 'gatehouse_template'

recordStatements()

/** A real PostgreSQL for tests, with a migrated template that each test's database is copied from. */
export async function startTestCluster(folder: string, more: Record<string, string> = {}): Promise<Cluster> {
  // As root PostgreSQL runs as another user, who has to get through to the folder.
  chmodSync(folder, 0o711)
  // Durability is tested where it matters, on clusters with it; here it would only cost time.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '400',
    // Dropping a database looks through all of it, and the databases of tests are small.
    shared_buffers: '128MB',
    // Tests that count what is read should not meet statistics of a moment in between.
    autovacuum_naptime: '10min',
    // Its folder may be in memory.
    max_wal_size: '256MB',
    ...more,
  }
  const server = await startEmbedded({ folder, log: () => {}, settings })
  await administer(server.connection, `create database ${template}`)
  await migrate({ ...server.connection, database: template })
  return { connection: server.connection, stop: server.stop }
}

let own: Promise<Cluster> | undefined
/** Databases that nobody has dropped yet: a cluster of its own ends with the last one. */
let open = 0

/** The cluster of this test run; a test file that is run alone starts one for itself. */
async function cluster(): Promise<Connection> {
  const given = process.env.GATEHOUSE_TEST_CLUSTER
  if (given) return JSON.parse(given) as Connection
  if (!own) {
    const folder = databaseFolder()
    own = startTestCluster(folder)
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  }
  return (await own).connection
}

/** A database of one's own, migrated and empty. */
export async function throwAwayDatabase(
  migrated = true,
): Promise<{ connection: ConnectionOptions; drop(): Promise<void> }> {
  open++
  const { workers = [], settings = {}, ...connection } = await cluster()
  const nodes = [connection, ...workers]
  const database = `test_${randomBytes(6).toString('hex')}`
  // A copy of the files is less work than one through the WAL, where nothing has to reach the disk.
  const from = migrated ? `template ${template} strategy file_copy` : ''
  for (const node of nodes) await administer(node, `create database ${database} ${from}`)
  for (const [name, value] of Object.entries(settings)) {
    await administer(connection, `alter database ${database} set ${name} = '${value}'`)
  }
  return {
    connection: { ...connection, database },
    drop: async () => {
      for (const node of nodes) await administer(node, `drop database ${database} with (force)`)
      open--
      if (own && open === 0) {
        const stopping = await own
        own = undefined
        await stopping.stop()
      }
    },
  }
}

async function administer(connection: Connection, statement: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
