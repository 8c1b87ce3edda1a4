import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { poll } from '../servers/real-process.ts'
import { unusedPort } from './unused-port.ts'

type PoolMode = 'session' | 'transaction' | 'statement'
type Target = { host: string; port: number; user: string; password: string; database: string }

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(
  (path) => spawnSync(path, ['--version']).status === 0,
)

/** For the option `skip` of a test. */
export const withoutPgBouncer = program ? false : 'PgBouncer is not installed (Debian: apt-get install pgbouncer)'

/** A real PgBouncer before a PostgreSQL, which cleans up nothing between two clients. */
export async function startPgBouncer(t: TestContext, target: Target, mode: PoolMode, poolSize = 60) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pgbouncer-'))
  const port = await unusedPort()
  const { uid, gid } = statSync(target.host)
  writeFileSync(join(folder, 'users'), `"${target.user}" "${target.password}"\n`)
  const configuration = (poolMode: PoolMode) => `[databases]
* = host=${target.host} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(folder, 'users')}
admin_users = ${target.user}
pool_mode = ${poolMode}
default_pool_size = ${poolSize}
max_client_conn = 200
ignore_startup_parameters = extra_float_digits,options
server_reset_query =
`
  for (const path of [folder, join(folder, 'users')]) chownSync(path, uid, gid)
  let child: ChildProcess | undefined

  async function start(poolMode = mode): Promise<void> {
    writeFileSync(join(folder, 'ini'), configuration(poolMode), { mode: 0o644 })
    // It refuses to run as root, and the socket is open to the database's user alone.
    child = spawn(program!, [join(folder, 'ini')], { uid, gid, stdio: 'ignore' })
    await poll('PgBouncer listens', () => listens(port))
  }

  async function stop(): Promise<void> {
    if (!child || child.exitCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  await start()
  t.after(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const [user, password] = [target.user, target.password].map(encodeURIComponent)
  return { url: `postgres://${user}:${password}@127.0.0.1:${port}/${target.database}`, port, start, stop }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
