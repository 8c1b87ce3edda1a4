import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { walFolder } from '../../postgres/archive/wal-archive.ts'
import { type AsOwner, regularly, type Schedule } from '../regularly.ts'
import { type Base, firstGap, listBases, listSegments } from './archive-contents.ts'
import { makeBase } from './base-backup.ts'

export type ArchiveSchedule = {
  cluster: string
  archive: string
  /** How old the newest base may become. */
  hours: number
  /** Every moment of this many days can be restored. */
  days: number
  /** What stays free on the disk of the archive. */
  reserveBytes?: number
}

const hourMs = 3_600_000
const walName = /^[0-9A-F]{24}(\.[0-9A-F]{8}\.backup)?\.gz$/

/** Makes a base whenever the newest is older than it may be, and removes what no moment that is to be kept needs. */
export function scheduleBases(schedule: ArchiveSchedule, asOwner: AsOwner, log: Logger): Schedule {
  return regularly(
    async (signal) => {
      const base = await baseIfDue(schedule, asOwner, new Date(), signal)
      if (base) log.info({ file: base.file }, 'a base of the archive of WAL was made')
    },
    (error) => log.error({ err: error }, 'the base of the archive of WAL failed'),
  )
}

/** Answers with the base that was due. */
export async function baseIfDue(
  schedule: ArchiveSchedule,
  asOwner: AsOwner,
  now: Date,
  signal?: AbortSignal,
): Promise<Base | undefined> {
  const { archive, hours } = schedule
  // Not one that was made under a clock that was wrong.
  const newest = (await listBases(archive)).findLast(({ endedAt }) => endedAt.getTime() <= now.getTime() + hourMs)
  const isYoung = newest && now.getTime() - newest.endedAt.getTime() < hours * hourMs
  // After a gap, as one is where archiving was switched off for a while, only a new base leads on.
  if (isYoung && !firstGap(await listSegments(archive), newest.startSegment)) return undefined
  const base = await asOwner((owner) => makeBase(owner, schedule, signal))
  await removeOutdated(schedule, now)
  return base
}

/** The newest base that is older than the days to be kept is still needed, and so is everything after it. */
async function removeOutdated({ archive, days }: ArchiveSchedule, now: Date): Promise<void> {
  const bases = await listBases(archive)
  const needed = bases.findLastIndex(({ endedAt }) => now.getTime() - endedAt.getTime() >= days * 24 * hourMs)
  if (needed < 0) return
  for (const { file } of bases.slice(0, needed)) await rm(file)
  const { startSegment } = bases[needed]!
  const wal = walFolder(archive)
  for (const name of await readdir(wal)) {
    if (walName.test(name) && name.slice(0, 24) < startSegment) await rm(join(wal, name))
  }
}
