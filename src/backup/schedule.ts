import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'
import { makeBackup } from './make-backup.ts'
import { type AsOwner, regularly, type Schedule } from './regularly.ts'
import { lockSession, withSession } from './session.ts'

export type BackupSchedule = {
  folder: string
  hours: number
  keep: number
  passphrase: string | undefined
  /** What stays free on the disk of the folder. */
  reserveBytes?: number
}

const hourMs = 3_600_000

const ours = /^gatehouse-[0-9TZ-]+\.backup$/
const unfinished = /^gatehouse-[0-9TZ-]+\.backup\.partial$/

/** Makes a backup whenever the newest in the folder is older than it may be, and removes those beyond the number to keep. */
export function scheduleBackups(schedule: BackupSchedule, asOwner: AsOwner, log: Logger): Schedule {
  return regularly(
    async (signal) => {
      const file = await backUpIfDue(schedule, asOwner, new Date(), signal)
      if (file) log.info({ file }, 'backed up')
    },
    (error) => log.error({ err: error }, 'the backup failed'),
  )
}

/** Answers with the file of the backup that was due. Not while another process makes one: it may be in the same folder. */
export async function backUpIfDue(
  schedule: BackupSchedule,
  asOwner: AsOwner,
  now: Date,
  signal?: AbortSignal,
): Promise<string | undefined> {
  await mkdir(schedule.folder, { recursive: true, mode: 0o700 })
  if (!(await isDue(schedule, now))) return undefined
  return asOwner((owner) =>
    // Another process may have made it since.
    ifAlone(owner, signal, async () =>
      (await isDue(schedule, now)) ? backUp(schedule, owner, now, signal) : undefined,
    ),
  )
}

async function isDue({ folder, hours }: BackupSchedule, now: Date): Promise<boolean> {
  const newest = (await backupsIn(folder, now)).at(-1)
  return !newest || newest.isOfFuture || now.getTime() - newest.madeMs >= hours * hourMs
}

async function backUp(
  { folder, keep, passphrase, reserveBytes }: BackupSchedule,
  owner: ConnectionOptions,
  now: Date,
  signal: AbortSignal | undefined,
): Promise<string> {
  // Of a process that was killed: the next one has another name.
  for (const name of await readdir(folder)) if (unfinished.test(name)) await rm(join(folder, name), { force: true })
  const file = join(folder, `gatehouse-${now.toISOString().replaceAll(':', '-').replace(/\..*/, 'Z')}.backup`)
  await makeBackup(owner, file, { passphrase, signal, reserveBytes })
  // This one stays: where it took long, it was whole more than an hour after the look, as if its clock was wrong.
  const others = (await backupsIn(folder, now)).filter(({ name }) => name !== basename(file))
  for (const old of others.slice(0, Math.max(0, others.length + 1 - keep))) await rm(join(folder, old.name))
  return file
}

/**
 * Unless another process on the database is at it. A connection that is lost while the backup goes on lets another process begin, which
 * does less harm than to end this one.
 */
function ifAlone<T>(
  owner: ConnectionOptions,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const locked = async (client: pg.Client) => {
    const { rows } = await client.query("select pg_try_advisory_lock(hashtext('gatehouse backup schedule')) as taken")
    return rows[0].taken ? work() : undefined
  }
  return withSession(owner, locked, { signal, ...lockSession })
}

type Made = { name: string; madeMs: number; isOfFuture: boolean }

/**
 * Oldest first. One that was made under a clock that was wrong may be of any time, so it counts as older than all others. What has
 * another name is not ours to remove.
 */
async function backupsIn(folder: string, now: Date): Promise<Made[]> {
  const names = (await readdir(folder)).filter((name) => ours.test(name)).sort()
  const all = await Promise.all(
    names.map(async (name) => {
      const madeMs = (await stat(join(folder, name))).mtimeMs
      // Another process may have made it since, and clocks of several machines differ.
      return { name, madeMs, isOfFuture: madeMs > now.getTime() + hourMs }
    }),
  )
  return all.toSorted((one, other) => Number(other.isOfFuture) - Number(one.isOfFuture))
}
