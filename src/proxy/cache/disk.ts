import { randomBytes } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { mkdir, open as openFile, rm, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Fault } from '../../kernel/contract/fault.ts'
import type { CacheRoom } from '../../kernel/disk/disk-space.ts'
import { createCacheIndex, type IndexTransaction } from './cache-index.ts'
import { createCacheProcesses } from './cache-processes.ts'
import { scanCache } from './cache-scan.ts'
import { createRoomQueue, NoRoom, type Refusal, type Writer } from './room-queue.ts'

export type Disk = ReturnType<typeof createDisk>

/** Room for a file that is being written. */
export type Room = {
  /** Before this many bytes more are written. Waits for room as long as the disk lets it, then throws a Fault. */
  take(bytes: number): Promise<void>
  /** How much of a file may be taken before its bytes are there: all of it, or what a deployment may have. */
  mostAhead(): number
  /** When it is written, or given up. */
  release(): void
}

const noteUseMs = 10 * 60 * 1000
const tellMs = 1_000
/** After an eviction there is room for a while, so that not every new file causes the next. */
const keptShare = 0.9
/** Of the room, for what comes in at once from the own registries of one deployment: they may be slow on purpose. */
const deploymentShare = 0.5
/** This many files are removed while other processes wait. */
const removedAtOnce = 32
const mebibyte = 1024 * 1024

export type DiskOptions = {
  folder: string
  maxBytes: number
  /** What its file system has left for it now. */
  room?: () => CacheRoom
  /** How long whoever finds no room waits for others to be done. */
  waitMs?: number
  /** Told where processes on the folder cannot count together. */
  onUnusable?: (error: unknown) => void
}

function diskFull(): Fault {
  return new Fault('insufficient_storage', 'The disk of the cache has no room for this package.')
}

const unbounded = () => ({ spare: Number.POSITIVE_INFINITY, least: 0 })

/**
 * Files in a folder up to a number of bytes, those that are being written included; what was not used for longest goes first. All
 * processes on the folder count together. A file comes into being under a temporary name and gets its own in one step, so whatever
 * has its own name was written to its end.
 */
export function createDisk({ folder, maxBytes, room: roomNow = unbounded, waitMs = 0, onUnusable }: DiskOptions) {
  const index = createCacheIndex(join(folder, 'index'), onUnusable)
  const temporaries = join(folder, 'incoming')
  const processes = createCacheProcesses(join(folder, 'index'), temporaries, index)
  /** When the file system was last told that a file is used, which outlives the index. */
  const noted = new Map<string, number>()
  /** Uses that the index does not know of yet. */
  let touched = new Map<string, number>()
  let telling: NodeJS.Timeout | undefined
  /** Of files that this process is writing. */
  let incoming = 0
  /** The same for each deployment with registries of its own, and how many files they are. */
  const incomingOf = new Map<string, { files: number; bytes: number }>()
  const queue = createRoomQueue()
  /** What the index knows of that: rather more, so that it is not asked for every piece. */
  let reserved = 0
  const slack = Math.floor(Math.min(16 * mebibyte, maxBytes / 256))
  let scanned: { generation: number; done: Promise<void> } | undefined
  /** What it may take as of the last look at the file system. */
  let limit = maxBytes
  let latest = 0
  let shown = 0

  /** Every change begins with what this process has not told the others yet. */
  async function change<T>(work: (transaction: IndexTransaction) => T): Promise<T> {
    try {
      return await index.run((transaction) => {
        tell(transaction)
        const result = work(transaction)
        if (reserved > incoming + slack || (incoming === 0 && reserved > 0)) reserve(transaction, incoming)
        return result
      })
    } catch (error) {
      // Nobody knows what came of it, so the next who needs room asks.
      reserved = 0
      throw error
    }
  }

  function tell(transaction: IndexTransaction): void {
    for (const [name, usedAt] of touched) transaction.touch(name, usedAt)
    touched = new Map()
  }

  function reserve(transaction: IndexTransaction, bytes: number): void {
    reserved = bytes
    transaction.reserve(processes.own, bytes)
  }

  /** What is taken by all processes; that of this one to the byte. */
  function takenIn(transaction: IndexTransaction): number {
    const { files, others } = transaction.totals(processes.own)
    shown = files + others
    return shown + incoming
  }

  /** Gives way where the file system has little room. */
  async function adjust(): Promise<void> {
    const { spare, least } = roomNow()
    limit = maxBytes
    if (spare === Number.POSITIVE_INFINITY) return
    await open()
    const taken = await change(takenIn)
    limit = Math.min(maxBytes, Math.max(least, taken + spare))
    if (taken > limit) await makeRoom()
  }

  function path(name: string): string {
    return join(folder, name)
  }

  async function temporary(): Promise<string> {
    await mkdir(temporaries, { recursive: true, mode: 0o700 })
    return join(temporaries, `${processes.own}.${randomBytes(12).toString('hex')}`)
  }

  /** `deployment`: whose own registry it comes from, where it does. */
  function reserveRoom(deployment?: string): Room {
    return room(deployment, waitMs)
  }

  function room(deployment: string | undefined, patienceMs: number): Room {
    const own = (deployment && incomingOf.get(deployment)) || { files: 0, bytes: 0 }
    if (deployment) incomingOf.set(deployment, own)
    own.files++
    const writer: Writer = { deployment, bytes: 0, isWaiting: false }
    let isReleased = false
    function count(bytes: number): void {
      writer.bytes += bytes
      incoming += bytes
      own.bytes += bytes
    }
    async function attempt(bytes: number): Promise<Refusal | undefined> {
      const isShared = own.bytes > writer.bytes
      if (isShared && own.bytes + bytes > limit * deploymentShare) return { usedUp: 'share', fault: new NoRoom() }
      count(bytes)
      if (incoming <= reserved || (await change(fits))) return undefined
      await makeRoom()
      if (await change(fits)) return undefined
      count(-bytes)
      return { usedUp: 'room', fault: limit < maxBytes ? diskFull() : new NoRoom() }
    }
    async function take(bytes: number): Promise<void> {
      await open()
      if (writer.bytes + bytes > limit) throw limit < maxBytes ? diskFull() : new NoRoom()
      await queue.take(writer, () => attempt(bytes), patienceMs)
    }
    function release(): void {
      if (isReleased) return
      isReleased = true
      count(-writer.bytes)
      own.files--
      if (deployment && own.files === 0) incomingOf.delete(deployment)
      if (reserved > incoming) tellSoon()
      queue.leave(writer)
    }
    return { take, mostAhead: () => (deployment ? limit * deploymentShare : limit), release }
  }

  function fits(transaction: IndexTransaction): boolean {
    const left = limit - takenIn(transaction)
    if (left < 0) return false
    reserve(transaction, incoming + Math.min(slack, left))
    return true
  }

  /** Gives a finished file its name; the room that it was written in is its own from then on. */
  async function place(from: string, name: string, bytes: number, room: Room): Promise<void> {
    await mkdir(dirname(path(name)), { recursive: true, mode: 0o700 })
    await open()
    const taken = await change((transaction) => {
      renameSync(from, path(name))
      transaction.add(name, bytes, timeOfUse())
      room.release()
      return takenIn(transaction)
    })
    noted.set(name, Date.now())
    if (taken > limit) await makeRoom()
  }

  /** A whole file at once. Its bytes are in memory, so it does not wait for room. */
  async function write(name: string, parts: Buffer[]): Promise<void> {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0)
    const own = room(undefined, 0)
    let from: string | undefined
    try {
      await own.take(bytes)
      from = await temporary()
      const file = await openFile(from, 'wx', 0o600)
      await file.writev(parts).finally(() => file.close())
      await place(from, name, bytes, own)
    } catch (error) {
      if (from !== undefined) await rm(from, { force: true })
      throw error
    } finally {
      own.release()
    }
  }

  function used(name: string): void {
    touched.set(name, timeOfUse())
    tellSoon()
    if (Date.now() - (noted.get(name) ?? 0) < noteUseMs) return
    if (noted.size > 100_000) noted.clear()
    noted.set(name, Date.now())
    utimes(path(name), new Date(), new Date()).catch(() => {})
  }

  /** Not at once: files are used more often than others need to know of it. */
  function tellSoon(): void {
    telling ??= setTimeout(() => {
      telling = undefined
      // One that is gone is made when there is more to say than this.
      if (index.isCurrent()) void change(() => {}).catch(() => {})
    }, tellMs).unref()
  }

  async function drop(name: string): Promise<void> {
    await change((transaction) => {
      rmSync(path(name), { force: true })
      transaction.remove(name)
    })
  }

  /** A file is removed while nobody else can give it a name, so what the index has is never less than there is. */
  async function makeRoom(): Promise<void> {
    for (const process of await processes.lost()) await forget(process)
    let isDone = false
    while (!isDone) {
      isDone = await change((transaction) => {
        let excess = takenIn(transaction) - limit * keptShare
        const oldest = excess > 0 ? transaction.oldest(removedAtOnce) : []
        for (const { name, bytes } of oldest) {
          if (excess <= 0) break
          rmSync(path(name), { force: true })
          transaction.remove(name)
          excess -= bytes
        }
        return excess <= 0 || oldest.length === 0
      })
    }
  }

  /** It may have given a file its name and not lived to say so. */
  async function forget(process: string): Promise<void> {
    await processes.remove(process)
    await scanCache(folder, index)
  }

  /** Increases with every use, also of two in one millisecond. Microseconds, as far as the machines' clocks agree. */
  function timeOfUse(): number {
    latest = Math.max(latest + 1, Math.round((performance.timeOrigin + performance.now()) * 1000))
    return latest
  }

  /** Looks at what is there, once; before that the limit is not known to be kept. */
  async function open(): Promise<void> {
    if (!scanned || scanned.generation !== index.generation()) {
      await index.run(() => {})
      if (scanned?.generation !== index.generation()) scanned = { generation: index.generation(), done: begin() }
    }
    await scanned.done
  }

  async function begin(): Promise<void> {
    try {
      processes.register()
      await index.run((transaction) => reserve(transaction, incoming))
      for (const process of await processes.lost()) await processes.remove(process)
      await scanCache(folder, index)
    } catch (error) {
      scanned = undefined
      throw error
    }
  }

  async function close(): Promise<void> {
    clearTimeout(telling)
    if (index.isCurrent()) await change((transaction) => transaction.forget(processes.own)).catch(() => {})
    index.close()
    processes.unregister()
  }

  /** As of now, or of the last time that nobody else was at it. */
  function bytes(): number {
    return index.tryRun(takenIn) ?? shown + incoming
  }

  return { path, temporary, reserve: reserveRoom, place, write, used, drop, open, adjust, bytes, close }
}
