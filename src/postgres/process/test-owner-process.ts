import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { findLocation } from '../cluster/location.ts'
import { startEmbedded } from '../embedded.ts'
import { findOurs } from './processes.ts'

/** Test support: processes that own an embedded database, and what can be asked about it from outside. */
export type Owner = {
  folder: string
  child: ChildProcess
  /** Waits for the next line that starts with this word; undefined if the process ends without it. */
  said(word: string): Promise<string | undefined>
  acknowledged: number[]
  exited: Promise<unknown>
  kill(): Promise<void>
}

const owners: Owner[] = []

export function startOwner(folder: string, user: { uid?: number; gid?: number } = {}): Owner {
  const script = fileURLToPath(new URL('./owner-fixture.ts', import.meta.url))
  const child = spawn(process.execPath, [script, folder], {
    ...user,
    cwd: '/',
    detached: true, // leads a process group, as a terminal's foreground job does
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const acknowledged: number[] = []
  const lines = createInterface(child.stdout!)
  lines.on('line', (line) => {
    if (line.startsWith('acknowledged ')) acknowledged.push(Number(line.slice('acknowledged '.length)))
  })
  const owner = {
    folder,
    child,
    acknowledged,
    exited,
    said: (word: string) =>
      new Promise<string | undefined>((resolve) => {
        lines.on('line', (line) => line.startsWith(`${word} `) && resolve(line.slice(word.length + 1)))
        lines.on('close', () => resolve(undefined))
      }),
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
  owners.push(owner)
  return owner
}

const FORCE = { recursive: true, force: true }
const temporary: string[] = []

/** In memory where there is room: killing processes asks nothing of the disk, and the tests wait for it half their time. */
export function temporaryFolder(base = inMemory() ?? tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(base, 'gatehouse-test-')))
  chmodSync(folder, 0o711) // else root's databases would all go elsewhere
  if (temporary.length === 0) process.once('exit', removeTemporary)
  temporary.push(folder)
  return folder
}

function removeTemporary(): void {
  for (const folder of temporary) rmSync(folder, FORCE)
}

function inMemory(): string | undefined {
  if (!existsSync('/dev/shm')) return undefined
  const { bavail, bsize } = statfsSync('/dev/shm')
  return bavail * bsize > 2 * 1024 ** 3 ? '/dev/shm' : undefined
}

let template: Promise<string> | undefined

/** A data folder with a database in it; a copy, because making one takes a second. */
export async function madeFolder(): Promise<string> {
  template ??= makeTemplate()
  const folder = temporaryFolder()
  const from = join(await template, 'postgres')
  const to = join(folder, 'postgres')
  mkdirSync(to)
  execFileSync('cp', ['-a', join(from, 'cluster'), join(from, 'password'), to])
  return folder
}

async function makeTemplate(): Promise<string> {
  const folder = temporaryFolder()
  await ask(folder, 'select 1')
  return folder
}

/** Signals a process that may have gone in the meantime. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Ends whoever still owns a data folder, and removes it with what its database may have outside of it. */
export async function removeData(folder: string): Promise<void> {
  for (const owner of owners) if (owner.folder === folder) await owner.kill()
  await until('its processes have gone', () => oursIn(folder).length === 0)
  const place = findLocation(folder)
  if (place) rmSync(place.home, FORCE)
  rmSync(folder, FORCE)
}

export function oursIn(folder: string): { pid: number; role: string }[] {
  const place = findLocation(folder)
  return place ? findOurs(place.marker) : []
}

export function postmastersIn(folder: string): number[] {
  // A child shows its parent's command line for a moment after the fork; the oldest is the postmaster.
  return oursIn(folder).flatMap(({ pid, role }) => (role === 'postmaster' ? [pid] : []))
}

export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
  const deadline = Date.now() + withinMs
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`Did not happen within ${withinMs} ms: ${what}`)
    await delay(20)
  }
}

/** Starts the database here, asks it, stops it. */
export async function ask(folder: string, sql: string): Promise<Record<string, unknown>[]> {
  const database = await startEmbedded({ folder, log: () => {} })
  const client = new Client(database.connection)
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end()
    await database.stop()
  }
}
