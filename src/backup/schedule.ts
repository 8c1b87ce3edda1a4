import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { makeBackup } from './make-backup.ts'
import { type AsOwner, regularly, type Schedule } from './regularly.ts'

export type BackupSchedule = { folder: string; hours: number; keep: number; passphrase: string | undefined }

const ours = /^gatehouse-[0-9TZ-]+\.backup$/

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

/** Answers with the file of the backup that was due. */
export async function backUpIfDue(
  schedule: BackupSchedule,
  asOwner: AsOwner,
  now: Date,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { folder, hours, keep, passphrase } = schedule
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const newest = (await backupsIn(folder)).at(-1)
  if (newest && now.getTime() - newest.madeMs < hours * 3_600_000) return undefined
  const file = join(folder, `gatehouse-${now.toISOString().replaceAll(':', '-').replace(/\..*/, 'Z')}.backup`)
  await asOwner((owner) => makeBackup(owner, file, { passphrase, ...(signal && { signal }) }))
  const all = await backupsIn(folder)
  for (const old of all.slice(0, Math.max(0, all.length - keep))) await rm(join(folder, old.name))
  return file
}

/** Oldest first. What has another name is not ours to remove. */
async function backupsIn(folder: string): Promise<{ name: string; madeMs: number }[]> {
  const names = (await readdir(folder)).filter((name) => ours.test(name)).sort()
  return Promise.all(names.map(async (name) => ({ name, madeMs: (await stat(join(folder, name))).mtimeMs })))
}
