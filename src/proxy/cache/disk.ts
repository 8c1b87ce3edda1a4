import { randomBytes } from 'node:crypto'
import { mkdir, open as openFile, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Fault } from '../../kernel/contract/fault.ts'
import type { CacheRoom } from '../../kernel/disk/disk-space.ts'

export type Disk = ReturnType<typeof createDisk>

/** Room for a file that is being written. */
export type Room = {
  /** Before so many bytes more are written. Throws a Fault where there is no room for them. */
  take(bytes: number): Promise<void>
  /** When it is written, or given up. */
  release(): void
}

const abandonedMs = 60 * 60 * 1000
const noteUseMs = 10 * 60 * 1000
/** After an eviction there is room for a while, so that not every new file causes the next. */
const keptShare = 0.9

export type DiskOptions = {
  folder: string
  maxBytes: number
  /** What its file system has left for it now. */
  room?: () => CacheRoom
}

const unbounded = () => ({ spare: Number.POSITIVE_INFINITY, least: 0 })

/**
 * Files in a folder up to a number of bytes, those that are being written included; what was not used for longest goes first.
 * A file comes into being under
 * a temporary name and gets its own in one step, so whatever has its own name was written to its end.
 */
export function createDisk({ folder, maxBytes, room: roomNow = unbounded }: DiskOptions) {
  /** In the order of use. */
  const files = new Map<string, { bytes: number; notedAt: number }>()
  const temporaries = join(folder, 'incoming')
  let total = 0
  /** Of files that are being written. */
  let incoming = 0
  let found: Promise<void> | undefined
  /** What it may take as of the last look at the file system. */
  let limit = maxBytes

  /** Gives way where the file system has little room. */
  async function adjust(): Promise<void> {
    await open()
    const { spare, least } = roomNow()
    limit = Math.min(maxBytes, Math.max(least, total + incoming + spare))
    if (total + incoming > limit) await makeRoom()
  }

  function path(name: string): string {
    return join(folder, name)
  }

  async function temporary(): Promise<string> {
    await mkdir(temporaries, { recursive: true, mode: 0o700 })
    return join(temporaries, randomBytes(12).toString('hex'))
  }

  function reserve(): Room {
    let taken = 0
    async function take(bytes: number): Promise<void> {
      await open()
      taken += bytes
      incoming += bytes
      if (total + incoming <= limit) return
      await makeRoom()
      if (total + incoming <= limit) return
      if (limit < maxBytes)
        throw new Fault('insufficient_storage', 'The disk of the cache has no room for this package.')
      const message = 'There is no room for this package: others that are being fetched take all of it.'
      throw new Fault('unavailable', message, { retryAfterSeconds: 5 })
    }
    function release(): void {
      incoming -= taken
      taken = 0
    }
    return { take, release }
  }

  /** Gives a finished file its name; the room that it was written in is its own from then on. */
  async function place(from: string, name: string, bytes: number, room: Room): Promise<void> {
    await mkdir(dirname(path(name)), { recursive: true, mode: 0o700 })
    await rename(from, path(name))
    room.release()
    note(name, bytes, Date.now())
    await open()
    if (total + incoming > limit) await makeRoom()
  }

  /** A whole file at once. */
  async function write(name: string, parts: Buffer[]): Promise<void> {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0)
    const room = reserve()
    let from: string | undefined
    try {
      await room.take(bytes)
      from = await temporary()
      const file = await openFile(from, 'wx', 0o600)
      await file.writev(parts).finally(() => file.close())
      await place(from, name, bytes, room)
    } catch (error) {
      if (from !== undefined) await rm(from, { force: true })
      throw error
    } finally {
      room.release()
    }
  }

  function used(name: string): void {
    const file = files.get(name)
    if (!file) return
    const isDue = Date.now() - file.notedAt > noteUseMs
    note(name, file.bytes, isDue ? Date.now() : file.notedAt)
    // So that the order outlives the process.
    if (isDue) utimes(path(name), new Date(), new Date()).catch(() => {})
  }

  async function drop(name: string): Promise<void> {
    total -= files.get(name)?.bytes ?? 0
    files.delete(name)
    await rm(path(name), { force: true })
  }

  function note(name: string, bytes: number, notedAt: number): void {
    total += bytes - (files.get(name)?.bytes ?? 0)
    files.delete(name)
    files.set(name, { bytes, notedAt })
  }

  async function makeRoom(): Promise<void> {
    for (const name of files.keys()) {
      if (total + incoming <= limit * keptShare) return
      await drop(name)
    }
  }

  /** What earlier processes left: their files are ours, what they had not finished is nobody's. */
  async function findAll(): Promise<void> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const known: { name: string; bytes: number; usedAt: number }[] = []
    for (const entry of entries) {
      if (!entry.isFile()) continue
      const file = join(entry.parentPath, entry.name)
      const facts = await stat(file).catch(() => undefined)
      if (!facts) continue
      if (entry.parentPath !== temporaries) {
        known.push({ name: relative(folder, file), bytes: facts.size, usedAt: facts.mtimeMs })
      } else if (Date.now() - facts.mtimeMs > abandonedMs) {
        await rm(file, { force: true })
      }
    }
    const fresh = [...files]
    files.clear()
    total = 0
    for (const { name, bytes, usedAt } of known.sort((a, b) => a.usedAt - b.usedAt)) note(name, bytes, usedAt)
    for (const [name, { bytes, notedAt }] of fresh) note(name, bytes, notedAt)
  }

  /** Looks at what is there, once; before that the limit is not known to be kept. */
  function open(): Promise<void> {
    found ??= findAll()
    return found
  }

  return { path, temporary, reserve, place, write, used, drop, open, adjust, bytes: () => total + incoming }
}
