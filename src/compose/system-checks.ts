import type { SystemCheck } from '../capabilities/system/contract.ts'
import { checkArchive } from '../cli/doctor/archive-checks.ts'
import { checkAuditPush } from '../cli/doctor/audit-push-checks.ts'
import { checkBackup } from '../cli/doctor/backup-checks.ts'
import { checkFeeds } from '../cli/doctor/feed-checks.ts'
import { examineDisks, examineFolder, examineRuntime } from '../cli/doctor/machine-checks.ts'
import { checkReplica } from '../cli/doctor/replica-checks.ts'
import { checkKnownUpstreams } from '../cli/doctor/upstream-checks.ts'
import type { Database } from '../kernel/database/database.ts'
import type { FolderSpace } from '../kernel/disk/disk-space.ts'
import type { Defaults } from '../proxy/upstream/defaults.ts'
import type { Settings } from '../settings/settings.ts'
import type { KeyRing } from '../vault/key-ring.ts'

/** Of what the doctor looks at, all that a running server can say at once. */
export async function quickChecks(
  db: Database,
  ring: KeyRing,
  settings: Settings,
  spaces: readonly FolderSpace[],
  upstreams: Defaults,
): Promise<SystemCheck[]> {
  const found = [
    ...examineRuntime(),
    ...examineFolder(settings),
    ...examineDisks(spaces),
    await examineKeys(ring),
    ...checkReplica(db),
    ...(await checkFeeds({ query: db.workerQuery })),
    await checkBackup({ query: db.workerQuery }, settings.backup.hours),
    ...(await checkArchive({ query: db.workerQuery }, settings)),
    ...checkKnownUpstreams(upstreams),
    ...(await checkAuditPush({ query: db.workerQuery }, settings)),
  ]
  return found.map(({ advice = '', ...rest }) => ({ ...rest, advice }))
}

async function examineKeys(ring: KeyRing): Promise<SystemCheck> {
  const part = 'keys'
  try {
    await ring.currentVersion('instance')
    return { part, state: 'ok', detail: 'the master key opens the keys in the database', advice: '' }
  } catch (error) {
    const advice = 'Bring back the master key this database was set up with.'
    return { part, state: 'problem', detail: (error as Error).message, advice }
  }
}
