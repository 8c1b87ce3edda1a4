import sql from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { ExportedKeys, KeyRing } from '../key-ring.ts'
import { type ReEncrypted, type Rows, reEncrypt } from './re-encrypt.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'
import { unreadableValues } from './unreadable-values.ts'

export type Rotation = ReEncrypted & {
  scope: string
  keyVersion: string
  /** It went on with a rotation that had not ended, instead of making another key. */
  resumed: boolean
}

export type KeyRotation = ReturnType<typeof createKeyRotation>

/** Looks after the keys of a whole installation, for whoever has its master key. `by` is who the audit log names. */
export function createKeyRotation({ db, ring }: { db: Database; ring: KeyRing }, by: string) {
  /** Every deployment's keys and the instance's own, one after the other. */
  async function rotateAll(): Promise<Rotation[]> {
    const deployments = await db.identityQuery<{ id: number }>(sql`select id from deployment order by id`)
    const rotations = [await rotate('instance', instanceRows())]
    for (const { id } of deployments) rotations.push(await rotateDeployment(id))
    return rotations
  }

  async function rotateDeployment(deploymentId: number): Promise<Rotation> {
    await requireDeployment(deploymentId)
    const actor = keeperIn(deploymentId)
    const rotation = await rotate(String(deploymentId), deploymentRows(actor))
    const { keyVersion, moved, unreadable, resumed } = rotation
    await db.transaction(actor, async (tx) =>
      tx.audit({
        action: 'keys.rotate',
        target: `key:${keyVersion}`,
        detail: { by, moved, unreadable: unreadable.length, resumed },
      }),
    )
    return rotation
  }

  /** Names what cannot be opened: somebody changed it past us. */
  async function findUnreadable(): Promise<string[]> {
    const deployments = await db.identityQuery<{ id: number }>(sql`select id from deployment order by id`)
    const found = await unreadableIn('instance', instanceRows())
    for (const { id } of deployments) {
      const unreadable = await unreadableIn(String(id), deploymentRows(keeperIn(id)))
      found.push(...unreadable.map((name) => `${name} of deployment ${id}`))
    }
    return found
  }

  async function unreadableIn(scope: string, rows: Rows): Promise<string[]> {
    const keys = await ring.load(scope)
    const found: string[] = []
    for (const column of columnsOf(rows)) {
      const ids = await unreadableValues(rows, column, keys)
      found.push(...ids.map((id) => `${column.table} ${id}`))
    }
    return found
  }

  /** The keys of a deployment, for a scan agent. Nobody gets them before the audit log says so. */
  async function exportKeys(deploymentId: number): Promise<ExportedKeys> {
    await requireDeployment(deploymentId)
    const keys = await ring.export(String(deploymentId))
    const versions = keys.keys.map(({ keyVersion }) => keyVersion)
    await db.transaction(keeperIn(deploymentId), async (tx) =>
      tx.audit({ action: 'keys.export', target: `deployment:${deploymentId}`, detail: { by, versions } }),
    )
    return keys
  }

  /** A rotation that was broken off is ended before another one begins: run again, it comes to the same end. */
  async function rotate(scope: string, rows: Rows): Promise<Rotation> {
    const rest = await moveToNewest(scope, rows)
    if (rest.moved > 0) return { ...rest, scope, keyVersion: await ring.currentVersion(scope), resumed: true }
    await ring.rotate(scope)
    const all = await moveToNewest(scope, rows)
    return { ...all, scope, keyVersion: await ring.currentVersion(scope), resumed: false }
  }

  async function moveToNewest(scope: string, rows: Rows): Promise<ReEncrypted> {
    const keys = await ring.load(scope)
    const total: ReEncrypted = { moved: 0, unreadable: [] }
    for (const column of columnsOf(rows)) {
      const { moved, unreadable } = await reEncrypt(rows, column, keys)
      total.moved += moved
      total.unreadable.push(...unreadable.map((id) => `${column.table} ${id}`))
    }
    return total
  }

  async function requireDeployment(id: number): Promise<void> {
    const found = await db.identityQuery(sql`select 1 from deployment where id = ${id}`)
    if (found.length === 0) throw new Fault('not_found', `There is no deployment ${id}.`)
  }

  function deploymentRows(actor: Actor): Rows {
    return { deploymentId: actor.deploymentId, transaction: (work) => db.transaction(actor, work) }
  }

  function instanceRows(): Rows {
    return { deploymentId: undefined, transaction: (work) => db.identity(work) }
  }

  return { rotateAll, rotateDeployment, findUnreadable, export: exportKeys }
}

function columnsOf({ deploymentId }: Rows): SealedColumn[] {
  const scope = deploymentId === undefined ? 'instance' : 'deployment'
  return Object.values(sealedColumns).filter((each) => each.scope === scope)
}

/** Nobody who signed in: whoever runs the command line beside the database. */
function keeperIn(deploymentId: number): Actor {
  return { deploymentId, personId: 0, tokenId: 0, role: 'owner', permissions: new Set(), requestId: 'cli' }
}
