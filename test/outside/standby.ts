import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type EmbeddedPostgres, startEmbedded } from '../../src/postgres/embedded.ts'
import { inspectEmbedded } from '../../src/postgres/inspect.ts'
import { databaseUrl, dataFolder } from '../servers/real-process.ts'

type Cleaning = { after(clean: () => Promise<void>): void }
export type Server = Awaited<ReturnType<typeof openPrimary>>

/** What is of the running server, and not of its data. */
const notCopied = ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot']

/** A PostgreSQL that somebody else runs, durable as it comes. */
export async function openPrimary(t: Cleaning) {
  return prepareServer(t).run({ max_connections: '200' })
}

/** A streaming standby of it, made of a base backup, as `pg_basebackup` makes one. */
export async function openStandby(t: Cleaning, primary: Server): Promise<Server> {
  const { folder, run } = prepareServer(t)
  const { host, port, user, password } = primary.connection
  const home = join(folder, 'postgres')
  const cluster = join(home, 'cluster')
  mkdirSync(home)
  chmodSync(home, 0o711)
  const backup = new pg.Client(primary.connection)
  await backup.connect()
  try {
    await backup.query("select pg_backup_start('standby', fast => true)")
    copyCluster(primary.cluster, cluster)
    const { rows } = await backup.query('select labelfile from pg_backup_stop(wait_for_archive => false)')
    writeFileSync(join(cluster, 'backup_label'), rows[0].labelfile)
    writeFileSync(join(cluster, 'standby.signal'), '')
  } finally {
    await backup.end()
  }
  writeFileSync(join(home, 'password'), password, { mode: 0o600 })
  const { uid, gid } = statSync(primary.cluster)
  execFileSync('chown', ['-R', `${uid}:${gid}`, cluster])
  const primary_conninfo = `host='${host}' port=${port} user=${user} password=${password}`
  return run({ max_connections: '200', primary_conninfo })
}

function copyCluster(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 })
  for (const name of readdirSync(from)) {
    if (!notCopied.includes(name)) cpSync(join(from, name), join(to, name), { recursive: true })
  }
  for (const name of ['pg_wal', 'pg_replslot']) mkdirSync(join(to, name), { mode: 0o700 })
}

function prepareServer(t: Cleaning) {
  let server: EmbeddedPostgres | undefined
  // First of all, because it would start again what is killed in its folder.
  t.after(async () => server?.stop())
  const folder = dataFolder(t)

  async function run(settings: Record<string, string>) {
    const start = async () => {
      server = await startEmbedded({ folder, log: () => {}, settings })
      return server.connection
    }
    const connection = await start()
    return {
      connection,
      url: databaseUrl(connection),
      cluster: inspectEmbedded(folder).database!.cluster,
      start,
      stop: () => server!.stop(),
      async ask(statement: string): Promise<Record<string, unknown>[]> {
        const client = new pg.Client(connection)
        await client.connect()
        try {
          return (await client.query(statement)).rows
        } finally {
          await client.end()
        }
      },
    }
  }

  return { folder, run }
}
