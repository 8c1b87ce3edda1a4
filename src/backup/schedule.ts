import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { ConnectionOptions } from '../kernel/database/connection.ts'
import { makeBackup } from './make-backup.ts'

export type BackupSchedule = { folder: string; hours: number; keep: number; passphrase: string | undefined }

type AsOwner = <T>(work: (owner: ConnectionOptions) => Promise<T>) => Promise<T>

const lookMs = 60_000
const ours = /^gatehouse-[0-9TZ-]+\.backup$/

/** Makes a backup whenever the newest in the folder is older than it may be, and removes those beyond the number to keep. */
export function scheduleBackups(schedule: BackupSchedule, asOwner: AsOwner, log: Logger) {
  let under: Promise<void> = Promise.resolve()
  const stopping = new AbortController()
  const look = () => {
    under = under.then(() =>
      backUpIfDue(schedule, asOwner, new Date(), stopping.signal).then(
        (file) => {
          if (file) log.info({ file }, 'backed up')
        },
        (error) => {
          if (!stopping.signal.aborted) log.error({ err: error }, 'the backup failed')
        },
      ),
    )
  }
  const timer = setInterval(look, lookMs)
  look()
  return {
    async end(): Promise<void> {
      clearInterval(timer)
      stopping.abort()
      await under
    },
  }
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
