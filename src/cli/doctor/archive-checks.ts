import { statSync } from 'node:fs'
import { firstGap, listBases, listSegments } from '../../backup/point-in-time/archive-contents.ts'
import { readArchiving } from '../../backup/point-in-time/archiving.ts'
import type { WorkerQueryable } from '../../kernel/database/database.ts'
import { archiveOf, archiveSeconds } from '../../postgres/archive/wal-archive.ts'
import { findLocation } from '../../postgres/cluster/location.ts'
import type { Settings } from '../../settings/settings.ts'
import type { CheckResult } from './machine-checks.ts'

/** This many times the usual while: it is not a matter of load any more. */
const late = 10

/** Whether WAL gets into its archive, whether it is whole there, and how far back and forward it reaches. */
export async function checkArchive(
  db: WorkerQueryable,
  { walArchive, dataFolder }: Pick<Settings, 'walArchive' | 'dataFolder'>,
  now = Date.now(),
): Promise<CheckResult[]> {
  const { folder, hours } = walArchive
  const id = findLocation(dataFolder)?.id
  if (!folder || !id) return []
  const part = 'archive of WAL'
  const archive = archiveOf(folder, id)
  const { archivedAt, failedAt, failed } = await readArchiving(db)
  if (failedAt && (!archivedAt || failedAt > archivedAt)) {
    const detail = `segment ${failed} could not be archived at ${failedAt.toISOString()}`
    const advice = `Is there room in ${archive}, and may PostgreSQL write there? Until then WAL stays beside the database.`
    return [{ part, state: 'problem', detail, advice }]
  }
  const bases = await listBases(archive)
  const [oldest, newest] = [bases[0], bases.at(-1)]
  if (!oldest || !newest) {
    const advice = 'One is made by a running Gatehouse. See in its log why it was not.'
    return [{ part, state: 'warning', detail: 'there is no base yet, so nothing can be restored from it', advice }]
  }
  const gap = firstGap(await listSegments(archive), newest.startSegment)
  if (gap) {
    const advice = 'A running Gatehouse makes a new base, which leads on from there. Bring the segment back if you can.'
    return [{ part, state: 'problem', detail: `segment ${gap} is missing: nothing after it can be restored`, advice }]
  }
  const age = now - newest.endedAt.getTime()
  if (age > 2 * hours * 3_600_000) {
    const detail = `the newest base is ${Math.floor(age / 3_600_000)} hours old`
    return [{ part, state: 'warning', detail, advice: 'See in the log why none was made since.' }]
  }
  if (archivedAt && now - archivedAt.getTime() > late * archiveSeconds * 1_000) {
    const detail = `the last segment was archived at ${archivedAt.toISOString()}`
    return [{ part, state: 'warning', detail, advice: 'What was written since would be lost with the disk.' }]
  }
  if (statSync(archive).dev === statSync(dataFolder).dev) {
    const detail = `${archive} is on the same disk as the data folder`
    return [{ part, state: 'warning', detail, advice: 'Put it on another one, which a broken disk leaves.' }]
  }
  const detail = `every moment since ${oldest.endedAt.toISOString()} can be restored, up to the last ${archiveSeconds} seconds`
  return [{ part, state: 'ok', detail }]
}
