import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import autocannon from 'autocannon'
import { findLocation } from '../src/postgres/cluster/location.ts'
import { createFirstSignIn } from '../src/start/first-sign-in.ts'

export type BenchServer = {
  url: string
  token: string
  deploymentId: number
  owner: { email: string; password: string }
  folder: string
  pid: number
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '..')

/**
 * The real server as a process of its own, with full durability and its log going to a file. Like all that are started here it has a
 * channel to this process, and ends when that goes: a benchmark that is killed leaves nothing running.
 */
export async function startServer(
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-')),
  env: Record<string, string> = {},
): Promise<BenchServer & { readyMs: number }> {
  mkdirSync(folder, { recursive: true })
  const log = openSync(join(folder, 'server.log'), 'a')
  const startedAt = performance.now()
  const child = spawn(process.execPath, [join(root, 'src', 'main.ts'), 'serve', '--json'], {
    env: {
      ...process.env,
      PORT: '0',
      GATEHOUSE_DATA: folder,
      GATEHOUSE_FEED: 'none',
      GATEHOUSE_REQUESTS_PER_MINUTE: '100000000',
      GATEHOUSE_PACKAGE_REQUESTS_PER_MINUTE: '100000000',
      ...env,
    },
    stdio: ['ignore', 'pipe', log, 'ipc'],
  })
  closeSync(log)
  const { url } = JSON.parse(await firstLine(child))
  const readyMs = performance.now() - startedAt
  const { email, password, token } = createFirstSignIn(folder).read()!
  const owner = { email, password }
  return { url, token: token!, owner, deploymentId: 1, folder, readyMs, pid: child.pid!, stop: () => stop(child) }
}

/** A program of this folder that serves until it is stopped, as a process of its own. */
export async function startPeer(program: string, argument: string): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, program), argument], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const { url } = JSON.parse(await firstLine(child))
  return { url, stop: () => stop(child) }
}

/** Over 64 connections, each of which asks as one of the askers. */
export async function requestRate(
  url: string,
  seconds: number,
  askers: { path: string; headers: Record<string, string> }[],
): Promise<number> {
  let opened = 0
  const setupClient = (client: autocannon.Client) => client.setRequests([askers[opened++ % askers.length]!])
  const result = await autocannon({ url, connections: 64, duration: seconds, setupClient })
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} failed`)
  return result.requests.average
}

/** With its database, which is outside where root made it. */
export function removeFolder(folder: string): void {
  const database = findLocation(folder)
  if (database) rmSync(database.home, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) if (line.startsWith('{')) return line
  throw new Error('the server ended before it was ready; its log says why')
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}
