import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { Fault } from '../../kernel/contract/fault.ts'

export type IndexedFile = { name: string; bytes: number }
export type CacheIndex = ReturnType<typeof createCacheIndex>
export type IndexTransaction = ReturnType<typeof statementsOn>

const [BUSY, CORRUPT, FULL, NOT_A_DATABASE] = [5, 11, 13, 26]
/** Whoever holds it does so for milliseconds. */
const patienceMs = 10_000

const schema = `
  create table if not exists file (name text primary key, bytes integer not null, used_at integer not null) strict, without rowid;
  create index if not exists file_used_at on file (used_at);
  create table if not exists reservation (process text primary key, bytes integer not null) strict, without rowid;
  create table if not exists total (bytes integer not null) strict;
  insert into total select 0 where not exists (select 1 from total);
  create trigger if not exists file_added after insert on file begin
    update total set bytes = bytes + new.bytes;
  end;
  create trigger if not exists file_changed after update of bytes on file begin
    update total set bytes = bytes + new.bytes - old.bytes;
  end;
  create trigger if not exists file_removed after delete on file begin
    update total set bytes = bytes - old.bytes;
  end;`

/**
 * What all processes on a cache folder know of it together: its files in the order of use, and the room that each process has
 * reserved for what it is writing. A SQLite file, because its locks hold between processes and machines, and are free when their
 * process dies. It is not synced to the disk: what a power cut damages is made again from the files themselves.
 */
export function createCacheIndex(folder: string, onUnusable: (error: unknown) => void = () => {}) {
  const path = join(folder, 'index.sqlite')
  let open: { database: DatabaseSync; statements: IndexTransaction; inode: number } | undefined
  let generation = 0

  /** Somebody may have emptied the folder, or given up a spoilt index: then this one counts for nobody any more. */
  function isCurrent(): boolean {
    return open !== undefined && open.inode === inodeOf(path)
  }

  function current() {
    if (open && isCurrent()) return open
    open?.database.close()
    open = undefined
    open = opened()
    generation++
    return open
  }

  function opened() {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const database = prepared(path)
      return { database, statements: statementsOn(database), inode: inodeOf(path) }
    } catch (error) {
      if (codeOf(error) === BUSY || isSpoilt(error)) throw error
      // Without locks or a writable disk every process counts for itself, as well as it can.
      onUnusable(error)
      const database = prepared(':memory:')
      return { database, statements: statementsOn(database), inode: inodeOf(path) }
    }
  }

  /** Alone among all processes. It must be quick, and may run again. */
  async function run<T>(work: (transaction: IndexTransaction) => T): Promise<T> {
    const until = performance.now() + patienceMs
    for (;;) {
      try {
        return runNow(work)
      } catch (error) {
        if (isSpoilt(error)) giveUp()
        else if (codeOf(error) === FULL) {
          throw new Fault('insufficient_storage', 'The disk of the cache is full.', { cause: error })
        } else if (codeOf(error) !== BUSY) throw error
        if (performance.now() > until) {
          const message = 'The cache of packages is busy.'
          throw new Fault('unavailable', message, { cause: error, retryAfterSeconds: 5 })
        }
        await delay(1 + Math.random() * 4)
      }
    }
  }

  function runNow<T>(work: (transaction: IndexTransaction) => T): T {
    const { database, statements } = current()
    database.exec('begin exclusive')
    try {
      const result = work(statements)
      database.exec('commit')
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      throw error
    }
  }

  /** Undefined where somebody else is at it, or there is no index. */
  function tryRun<T>(work: (transaction: IndexTransaction) => T): T | undefined {
    if (!isCurrent()) return undefined
    try {
      return runNow(work)
    } catch {
      return undefined
    }
  }

  function giveUp(): void {
    open?.database.close()
    open = undefined
    for (const end of ['', '-journal']) rmSync(path + end, { force: true })
  }

  function close(): void {
    open?.database.close()
    open = undefined
  }

  /** Grows when an index is opened that need not know what is in the folder. */
  return { run, tryRun, isCurrent, generation: () => generation, close }
}

function prepared(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('pragma synchronous = off; pragma journal_mode = truncate; begin exclusive')
    database.exec(`${schema}; commit`)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function statementsOn(database: DatabaseSync) {
  const totals = database.prepare(`select (select bytes from total) as files,
    (select coalesce(sum(bytes), 0) from reservation where process <> ?) as others`)
  const add = database.prepare(`insert into file (name, bytes, used_at) values (?, ?, ?)
    on conflict (name) do update set bytes = excluded.bytes, used_at = excluded.used_at`)
  const addMissing = database.prepare('insert into file (name, bytes, used_at) values (?, ?, ?) on conflict do nothing')
  const touch = database.prepare('update file set used_at = ? where name = ? and used_at < ?')
  const remove = database.prepare('delete from file where name = ?')
  const oldest = database.prepare('select name, bytes from file order by used_at limit ?')
  const after = database.prepare('select name, bytes from file where name > ? order by name limit ?')
  const reserve = database.prepare(`insert into reservation (process, bytes) values (?, ?)
    on conflict (process) do update set bytes = excluded.bytes`)
  const forget = database.prepare('delete from reservation where process = ?')
  const processes = database.prepare('select process from reservation')
  return {
    /** Bytes in files, and bytes that others than this process have reserved. */
    totals: (process: string) => totals.get(process) as { files: number; others: number },
    add: (name: string, bytes: number, usedAt: number) => void add.run(name, bytes, usedAt),
    addMissing: (name: string, bytes: number, usedAt: number) => void addMissing.run(name, bytes, usedAt),
    touch: (name: string, usedAt: number) => void touch.run(usedAt, name, usedAt),
    remove: (name: string) => void remove.run(name),
    oldest: (count: number) => oldest.all(count) as IndexedFile[],
    after: (name: string, count: number) => after.all(name, count) as IndexedFile[],
    reserve: (process: string, bytes: number) => void reserve.run(process, bytes),
    forget: (process: string) => void forget.run(process),
    processes: () => (processes.all() as { process: string }[]).map(({ process }) => process),
  }
}

function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0
}

function codeOf(error: unknown): number | undefined {
  // Extended codes have the plain one in their low byte.
  const { errcode } = error as { errcode?: number }
  return errcode === undefined ? undefined : errcode & 0xff
}

function isSpoilt(error: unknown): boolean {
  return [CORRUPT, NOT_A_DATABASE].includes(codeOf(error)!)
}
