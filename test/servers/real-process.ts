import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inspectEmbedded } from '../../src/postgres/inspect.ts'
import { kill, oursIn, removeData, temporaryFolder } from '../../src/postgres/process/test-owner-process.ts'
import { caller } from '../gatehouse.ts'

export const root = join(import.meta.dirname, '..', '..')

export type RealProcess = {
  child: ChildProcess
  pid: number
  /** Everything it has said so far. */
  output(): string
  log(): string
  /** Its exit code, or the name of the signal that ended it. */
  ended: Promise<number | string>
}

export type RealServer = RealProcess & {
  url: string
  /** From the start of the process until it is ready. */
  readyMs: number
  call: ReturnType<typeof caller>
}

/** Each with its data folder. */
const running = new Map<ChildProcess, string | undefined>()
process.once('exit', () => {
  for (const child of running.keys()) child.kill('SIGKILL')
})

/** A data folder of one's own, gone with everything that runs in it when the test is over. */
export function dataFolder(t: { after(clean: () => Promise<void>): void }): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o711)
  t.after(async () => {
    for (const [child, uses] of running) if (uses === folder) child.kill('SIGKILL')
    await poll('no Gatehouse uses it', () => {
      const launched = inspectEmbedded(folder).database?.gatehousePid
      if (launched && launched !== process.pid) kill(launched)
      return !launched && ![...running.values()].includes(folder)
    })
    for (const { pid } of oursIn(folder)) kill(pid)
    await gone(folder)
    removeData(folder)
  })
  return folder
}

/** Until nothing is left of its database. Each look reads of every process of the machine, so there are few. */
export function gone(folder: string): Promise<void> {
  return poll('its processes have gone', () => oursIn(folder).length === 0, 240_000, 50)
}

/** Runs a command line of Gatehouse as a process of its own, on settings of its own. */
export function startProcess(
  env: Record<string, string>,
  command = serveCommand(['--json']),
  options: { detached?: boolean } = {},
): RealProcess {
  const [file, ...args] = command as [string, ...string[]]
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(GATEHOUSE_|DATABASE_URL|HOST$|PORT$|NODE_|npm_)/.test(name)),
  )
  const child = spawn(file, args, {
    ...options,
    cwd: root,
    env: {
      ...inherited,
      PORT: '0',
      GATEHOUSE_LOG_LEVEL: 'warn',
      GATEHOUSE_FEED: 'none',
      GATEHOUSE_REQUESTS_PER_MINUTE: '10000000',
      ...JSON.parse(process.env.GATEHOUSE_TEST_UPSTREAMS ?? '{}'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let log = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (log += chunk))
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  running.set(child, env.GATEHOUSE_DATA)
  child.once('exit', () => running.delete(child))
  return { child, pid: child.pid!, output: () => output, log: () => log, ended }
}

/** The address of a PostgreSQL on a socket, as somebody would write it into DATABASE_URL. */
export function databaseUrl(to: {
  host: string
  port: number
  user: string
  password: string
  database: string
}): string {
  const [user, password, host] = [to.user, to.password, to.host].map(encodeURIComponent)
  return `postgres://${user}:${password}@/${to.database}?host=${host}&port=${to.port}`
}

export function serveCommand(args: string[] = [], folder = root): string[] {
  return [process.execPath, '--disable-warning=ExperimentalWarning', join(folder, 'src/main.ts'), 'serve', ...args]
}

/** Starts the real server and waits until it says that it is ready. */
export async function startServer(
  env: Record<string, string>,
  token = '',
  command?: string[],
): Promise<RealServer & { welcome: Welcome }> {
  const since = performance.now()
  const server = startProcess(env, command)
  const { url, error, firstSignInFile } = JSON.parse(await firstLine(server)) as Said
  if (!url) throw new Error(`It did not start: ${error}`)
  const welcome: Welcome = firstSignInFile ? welcomeIn(firstSignInFile) : {}
  const call = caller(url, token || (welcome.token ?? ''))
  await poll('it is ready', async () => (await call('GET', '/api/readiness-check')).status === 200)
  return { ...server, url, welcome, call, readyMs: Math.round(performance.now() - since) }
}

type Said = { url?: string; error?: string; firstSignInFile?: string }
type Welcome = { email?: string; password?: string; token?: string; deploymentId?: number }

/** What the file with the first sign-in says. */
export function welcomeIn(file: string): Welcome {
  const text = readFileSync(file, 'utf8')
  const said = (name: string) => new RegExp(`^ +${name} +(\\S+)$`, 'm').exec(text)![1]!
  return { email: said('Sign-in'), password: said('Password'), token: said('API token'), deploymentId: 1 }
}

async function firstLine(server: RealProcess): Promise<string> {
  let over = false
  void server.ended.then(() => (over = true))
  await poll('it has said something', () => over || server.output().includes('\n'))
  if (!server.output()) throw new Error(`It ended (${await server.ended}) and said: ${server.log()}`)
  return server.output().split('\n')[0]!
}

/** The limit is for what never happens: a busy machine may take minutes to start a process. */
export async function poll(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 240_000,
  everyMs = 10,
): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Did not happen within ${withinMs} ms: ${what}`)
    await delay(everyMs)
  }
}

/** One that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}
