import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, globSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { asUser, chooseIdentity } from '../../src/postgres/cluster/identity.ts'
import { type Guarded, runGuarded } from '../../src/postgres/process/guard.ts'
import { databaseFolder } from '../database-folder.ts'
import { unusedPort } from '../outside/unused-port.ts'
import { poll } from '../servers/real-process.ts'

export type Node = { host: string; port: number; user: string; password: string; database: string }
export type CitusNodes = {
  coordinator: Node
  workers: Node[]
  /** One more, which Citus knows of, and Gatehouse does not yet. */
  addWorker(): Promise<Node>
  stop(): Promise<void>
}

const programs = globSync('/usr/lib/postgresql/*/lib/citus.so').map((library) => join(dirname(library), '..', 'bin'))

/** For the option `skip` of a test. */
export const withoutCitus =
  programs.length > 0 ? false : 'Citus is not installed beside a PostgreSQL in /usr/lib/postgresql'

const settings = {
  shared_preload_libraries: 'citus',
  listen_addresses: '127.0.0.1',
  wal_level: 'logical',
  max_connections: '200',
  max_prepared_transactions: '400',
  // A table is dozens of shards with their indexes, and all tables are distributed in one transaction.
  max_locks_per_transaction: '2048',
  fsync: 'off',
  full_page_writes: 'off',
  'citus.enable_statistics_collection': 'off',
  'citus.node_conninfo': 'sslmode=disable',
}

/** A coordinator and its workers on loopback, on ports of their own, each in an own folder. They end when this process does. */
export async function startCitus(workerCount = 2, more: Record<string, string> = {}): Promise<CitusNodes> {
  const folder = databaseFolder()
  chmodSync(folder, 0o711)
  const servers: Server[] = []

  async function stop(): Promise<void> {
    await Promise.all(servers.map(({ guarded }) => ended(guarded)))
    rmSync(folder, { recursive: true, force: true })
  }

  try {
    for (let index = 0; index <= workerCount; index++)
      servers.push(await startNode(join(folder, `node-${index}`), more))
    const [coordinator, ...workers] = servers.map(({ node }) => node) as [Node, ...Node[]]
    await ask(coordinator, `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`)
    const add = ({ host, port }: Node) => ask(coordinator, `select citus_add_node('${host}', ${port})`)
    for (const worker of workers) await add(worker)
    const addWorker = async () => {
      const server = await startNode(join(folder, `node-${servers.length}`), more)
      servers.push(server)
      await add(server.node)
      return server.node
    }
    return { coordinator, workers, addWorker, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Server = { node: Node; guarded: Guarded }

async function startNode(folder: string, more: Record<string, string>): Promise<Server> {
  mkdirSync(folder)
  const identity = chooseIdentity(folder, folder)
  if (identity) chownSync(folder, identity.uid, identity.gid)
  const cluster = join(folder, 'cluster')
  const program = (name: string) => join(programs.at(-1)!, name)
  execFileSync(program('initdb'), ['-D', cluster, '-U', 'gatehouse', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'], {
    ...asUser(identity),
    cwd: folder,
    stdio: 'ignore',
  })
  const port = await unusedPort()
  const given = { ...settings, ...more, port: String(port), unix_socket_directories: folder }
  const lines = Object.entries(given).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(cluster, 'postgresql.conf'), lines.join(''))
  // Nodes are clients of each other, and would look for certificates of whoever runs the tests.
  const args = [`HOME=${folder}`, program('postgres'), '-D', cluster]
  const log = (line: string) => appendFileSync(join(folder, 'log'), `${line}\n`)
  const guarded = runGuarded('/usr/bin/env', args, { identity, onLine: log })
  let gone = false
  void guarded.exited.then(() => (gone = true))
  const node = { host: '127.0.0.1', port, user: 'gatehouse', password: '', database: 'gatehouse' }
  const first = { ...node, database: 'postgres' }
  await poll('a node of Citus answers', () =>
    ask(first, 'select 1').then(
      () => true,
      () => gone,
    ),
  )
  await ask(first, 'create database gatehouse')
  await ask(node, 'create extension citus')
  return { node, guarded }
}

/** At once, without the checkpoint that it would make if it were asked to stop. */
async function ended({ pid, exited }: Guarded): Promise<void> {
  process.kill(pid()!, 'SIGQUIT')
  await exited
}

export async function ask(node: Node, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(node)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
