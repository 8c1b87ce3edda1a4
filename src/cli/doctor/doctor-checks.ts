import { join } from 'node:path'
import pg from 'pg'
import sql from 'sql-template-tag'
import { auditAnchor, auditHead, firstBreak } from '../../capabilities/audit/public.ts'
import { recount } from '../../capabilities/findings/public.ts'
import { miscounts } from '../../capabilities/issues/public.ts'
import { composeCore } from '../../compose/core.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { AuditKeys } from '../../kernel/database/audit-chain.ts'
import { addressOf, type ConnectionOptions, UnsafeConnection } from '../../kernel/database/connections/connection.ts'
import { checkConnections } from '../../kernel/database/connections/session-pooling.ts'
import type { Database, Queryable } from '../../kernel/database/database.ts'
import { DatabaseProblem } from '../../kernel/database/database-problem.ts'
import { pendingMigrations } from '../../kernel/database/migrations/migrate.ts'
import { connectProblem } from '../../kernel/database/migrations/owner-session.ts'
import { createDiskSpace, type FolderSpace } from '../../kernel/disk/disk-space.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { hasDatabase } from '../../postgres/inspect.ts'
import type { Settings } from '../../settings/settings.ts'
import { reachDatabase, replicaOf } from '../../start/open-database.ts'
import { watchedFolders } from '../../start/watched-folders.ts'
import { hasMasterKey, loadMasterKey } from '../../vault/master-key/master-key.ts'
import { findNextKey } from '../../vault/master-key/next-master-key.ts'
import { createKeyRotation } from '../../vault/rotation/key-rotation.ts'
import { createLog } from '../log.ts'
import { checkArchive } from './archive-checks.ts'
import { checkAuditPush } from './audit-push-checks.ts'
import { checkBackup } from './backup-checks.ts'
import { checkCredentials } from './credential-checks.ts'
import { checkDistribution } from './distribution-checks.ts'
import { checkFeeds } from './feed-checks.ts'
import { type CheckResult, examineDisks, examineFolder, examineRuntime } from './machine-checks.ts'
import { checkObjectStore } from './object-store-checks.ts'
import { checkReplica } from './replica-checks.ts'

const clockToleranceMs = 5_000
const keyPart = 'master key'
const rebuildAdvice =
  'Something other than Gatehouse changed the database, or a process was too old for it. npx gatehouse counters rebuild counts again.'

/** Looks at everything that can be wrong with an installation and changes nothing. */
export async function runDoctorChecks(settings: Settings): Promise<CheckResult[]> {
  const findings = [...examineRuntime(), ...examineFolder(settings), ...examineDisks(await readSpaces(settings))]
  findings.push(...(await checkObjectStore(settings)))
  const hasKey = hasMasterKey({ env: settings.masterKey, folder: settings.dataFolder })
  const masterKey = hasKey ? examineKey(settings, findings) : undefined
  try {
    const database = await reachDatabase(settings, createLog('silent'))
    try {
      const pending = await database.asOwner(pendingMigrations)
      if (!hasKey) findings.push(examineMissingKey(settings, await database.asOwner(isSealed)))
      findings.push(...(await database.asOwner((owner) => examineDatabase(owner, pending))))
      findings.push(...(await database.asOwner(checkDistribution)))
      if (pending.length === 0) findings.push(await examineConnections(database.connection))
      if (pending.length === 0 && masterKey) {
        findings.push(...(await examineContents(database.connection, masterKey, settings)))
      }
    } finally {
      await database.stop()
    }
  } catch (error) {
    // Where it came to the question, it is answered.
    if (!hasKey && !findings.some(({ part }) => part === keyPart)) findings.push(examineMissingKey(settings))
    const detail = (error as Error).message
    findings.push({ part: 'database', state: 'problem', detail, ...adviceOn(error, settings) })
  }
  return findings
}

function adviceOn(error: unknown, { databaseUrl, dataFolder }: Settings): { advice?: string } {
  if (!databaseUrl && !hasDatabase(dataFolder)) return { advice: 'If it is to be a new one, start Gatehouse.' }
  // Its message says what to do.
  if (error instanceof DatabaseProblem || error instanceof UnsafeConnection) return {}
  if (databaseUrl) return { advice: 'Check DATABASE_URL and that the server is running.' }
  return { advice: 'The message says what is in the way.' }
}

async function readSpaces(settings: Settings): Promise<FolderSpace[]> {
  const space = createDiskSpace({ folders: watchedFolders(settings), reserveBytes: settings.diskReserveBytes })
  await space.close()
  return space.spaces()
}

function examineKey(settings: Settings, findings: CheckResult[]): Buffer | undefined {
  const part = keyPart
  try {
    const { key, source } = loadMasterKey({ env: settings.masterKey, folder: settings.dataFolder, mayMake: false })
    findings.push({
      part,
      state: 'ok',
      detail: source.kind === 'environment' ? 'from GATEHOUSE_KEY' : 'from the data folder',
    })
    if (source.kind === 'file' && findNextKey({ folder: settings.dataFolder })) {
      findings.push({
        part,
        state: 'warning',
        detail: 'a change of it was interrupted',
        advice: 'npx gatehouse keys rotate --master ends it.',
      })
    }
    return key
  } catch (error) {
    findings.push({
      part,
      state: 'problem',
      detail: (error as Error).message,
      advice: 'It is there: see to what the message says. Without it, what is sealed in the database cannot be opened.',
    })
    return undefined
  }
}

/** A database in which nothing is sealed has none yet, for example after a first start that failed. */
function examineMissingKey({ dataFolder, databaseUrl }: Settings, sealed?: boolean): CheckResult {
  const isNew = sealed === false || (!databaseUrl && !hasDatabase(dataFolder))
  if (isNew) return { part: keyPart, state: 'ok', detail: 'there is none yet; the first start makes it' }
  const where = `put it into ${join(dataFolder, 'key')} (mode 0600), or set GATEHOUSE_KEY to it.`
  if (sealed) {
    const detail = 'it is missing: without it, what is sealed in the database cannot be opened'
    const advice = `Bring back the key that this database was set up with: ${where}`
    return { part: keyPart, state: 'problem', detail, advice }
  }
  const detail = 'there is none here, and the database does not say whether it has one'
  const advice = `The first start makes one. If that was long ago, ${where}`
  return { part: keyPart, state: 'warning', detail, advice }
}

/** Also where the schema is older than this version. */
async function isSealed(owner: ConnectionOptions): Promise<boolean> {
  const client = new pg.Client({ ...addressOf(owner), connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    const { rows } = await client.query("select to_regclass('data_key') is not null as found")
    return rows[0].found && (await client.query('select from data_key limit 1')).rows.length > 0
  } finally {
    await client.end()
  }
}

async function examineDatabase(connection: ConnectionOptions, pending: string[]): Promise<CheckResult[]> {
  const client = new pg.Client({ ...addressOf(connection), connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    const before = Date.now()
    const { rows } = await client.query(`select current_setting('server_version') as version, clock_timestamp() as now,
      current_setting('server_encoding') as encoding`)
    const drift = Math.abs(rows[0].now.getTime() - (before + Date.now()) / 2)
    return [
      examineServer(rows[0]),
      pending.length === 0
        ? { part: 'schema', state: 'ok', detail: 'up to date' }
        : {
            part: 'schema',
            state: 'warning',
            detail: `${pending.length} migrations to apply`,
            advice: 'npx gatehouse db migrate, or start Gatehouse.',
          },
      drift < clockToleranceMs
        ? { part: 'clock', state: 'ok', detail: 'this machine and the database agree' }
        : {
            part: 'clock',
            state: 'problem',
            detail: `${Math.round(drift / 1000)} seconds apart from the database's`,
            advice: 'Set up time synchronisation on both machines.',
          },
    ]
  } finally {
    await client.end()
  }
}

/** One that another encoding was chosen for was made by a version that did not look. */
function examineServer({ version, encoding }: { version: string; encoding: string }): CheckResult {
  const [part, detail] = ['database', `PostgreSQL ${version}`]
  if (encoding === 'UTF8') return { part, state: 'ok', detail }
  return {
    part,
    state: 'warning',
    detail: `${detail}, which stores text as ${encoding}: letters beyond ASCII are searched and cut wrong`,
    advice: 'Restore a backup into a database with the encoding UTF8.',
  }
}

/** Whether what serves requests could become more than it is, and whether tenants are kept apart on the way. */
async function examineConnections(connection: ConnectionOptions): Promise<CheckResult> {
  const part = 'connections'
  try {
    await checkConnections(connection)
  } catch (error) {
    const problem = error instanceof UnsafeConnection ? error : connectProblem(error, connection)
    return { part, state: 'problem', detail: problem.message, advice: 'Gatehouse does not start like this.' }
  }
  if (connection.serviceLogin) return { part, state: 'ok', detail: 'verified; the login serves and owns nothing' }
  return {
    part,
    state: 'warning',
    detail: 'verified; the login in DATABASE_URL owns the schema',
    advice: 'Set GATEHOUSE_MIGRATION_DATABASE_URL to it, and DATABASE_URL to a login that owns nothing.',
  }
}

async function examineContents(
  connection: ConnectionOptions,
  masterKey: Buffer,
  settings: Settings,
): Promise<CheckResult[]> {
  const { db, ring } = composeCore({ connection, masterKey, clock: systemClock, readFrom: replicaOf(settings) })
  try {
    const findings: CheckResult[] = []
    const deployments = await db.identityQuery<{ id: number }>(sql`select id from deployment order by id`)
    await ring.currentVersion('instance')
    findings.push({ part: 'keys', state: 'ok', detail: 'the master key opens the keys in the database' })
    findings.push(await checkCredentials(createKeyRotation({ db, ring }, 'doctor')))
    await db.replica?.lookedAt()
    findings.push(...checkReplica(db))
    findings.push(...(await checkFeeds({ query: db.workerQuery })))
    findings.push(await checkBackup({ query: db.workerQuery }, settings.backup.hours))
    findings.push(...(await checkArchive({ query: db.workerQuery }, settings)))
    findings.push(...(await checkAuditPush({ query: db.workerQuery }, settings)))
    for (const { id } of deployments) {
      findings.push(
        await examineAudit(db.as({ deploymentId: id }), await db.auditKeys()),
        await examineIssues(db.as({ deploymentId: id })),
        await examineFindings(db, id),
      )
    }
    return findings
  } catch (error) {
    const isAway = error instanceof Fault && error.code === 'unavailable'
    const advice = isAway
      ? 'See to the database first; what is in it could not be looked at.'
      : 'Bring back the master key this database was set up with.'
    return [{ part: isAway ? 'contents' : 'keys', state: 'problem', detail: (error as Error).message, advice }]
  } finally {
    await db.close()
  }
}

async function examineAudit(db: Queryable, keys: AuditKeys): Promise<CheckResult> {
  const part = `audit log of deployment ${db.deploymentId}`
  const broken = await firstBreak(db, keys)
  if (broken) {
    return {
      part,
      state: 'problem',
      detail: `the chain breaks at event ${broken.seq}: ${broken.reason}`,
      advice: 'Somebody changed the log in the database. Compare it with a backup.',
    }
  }
  const { seq, keyedFrom } = (await auditHead(db))!
  const removed = (await auditAnchor(db))?.seq ?? 0
  const older = keyedFrom! > removed + 1 ? `; events before ${keyedFrom} are older than its key` : ''
  return { part, state: 'ok', detail: `the chain of ${seq - removed} events is whole${older}` }
}

async function examineIssues(db: Queryable): Promise<CheckResult> {
  const part = `issue counters of deployment ${db.deploymentId}`
  const [wrong] = await miscounts(db, 1)
  if (!wrong) return { part, state: 'ok', detail: 'a recount agrees' }
  return {
    part,
    state: 'problem',
    detail: `one says ${wrong.kept} where there are ${wrong.counted}`,
    advice: rebuildAdvice,
  }
}

async function examineFindings(db: Database, deploymentId: number): Promise<CheckResult> {
  const part = `finding counters of deployment ${deploymentId}`
  const [wrong] = await db.transaction(systemActor(deploymentId, 'doctor'), async (tx) => {
    await tx.query(sql`set transaction read only`)
    // Every finding is read and summed up, which takes half a minute for a million.
    await tx.query(sql`set local statement_timeout = '10min'`)
    await tx.query(sql`set local work_mem = '128MB'`)
    return recount(tx, 1)
  })
  if (!wrong) return { part, state: 'ok', detail: 'a recount agrees' }
  return {
    part,
    state: 'problem',
    detail: `one says ${wrong.kept.join(' ')} where there are ${wrong.counted.join(' ')}`,
    advice: rebuildAdvice,
  }
}
