import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { composeCore } from '../compose/core.ts'
import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'
import { systemClock } from '../kernel/time/clock.ts'
import { SettingsProblem } from '../settings/setting-values.ts'
import type { Settings } from '../settings/settings.ts'
import { changeMasterKey } from '../vault/master-key/change-master-key.ts'
import { hasMasterKey, loadMasterKey } from '../vault/master-key/master-key.ts'
import { parseMasterKey } from '../vault/master-key/master-key-text.ts'
import { adoptNextKey, findNextKey, prepareNextKey } from '../vault/master-key/next-master-key.ts'
import { permanentKeyLabels } from '../vault/permanent-keys.ts'
import { hasStoredKeys } from '../vault/rotation/stored-keys.ts'
import { VaultError } from '../vault/vault-error.ts'

/**
 * The master key of this database; of a new one it is made. Ends a change that was broken off after the database knew of it.
 */
export async function openMasterKey(settings: Settings, connection: ConnectionOptions): Promise<Buffer> {
  const place = { env: settings.masterKey, folder: settings.dataFolder }
  const mayMake = hasMasterKey(place) || !(await isSealed(connection))
  const { key, source } = loadMasterKey({ ...place, mayMake })
  const next = source.kind === 'file' ? findNextKey({ folder: settings.dataFolder }) : undefined
  if (!next || (await opens(connection, key)) || !(await opens(connection, next))) return key
  adoptNextKey({ folder: settings.dataFolder }, new Date())
  return next
}

export type MasterChange = {
  /** How many keys were wrapped again; 0 where an earlier run had done it already. */
  wrapped: number
  /** Where the former key is kept; '' where it never was in a file. */
  formerKey: string
}

/**
 * Changes the master key. May be broken off at any moment and run again. Processes that have the former key notice and end.
 * `by` is who the audit log names.
 */
export async function rotateMasterKey(
  settings: Settings,
  connection: ConnectionOptions,
  by: string,
): Promise<MasterChange> {
  const folder = settings.dataFolder
  const { key, source } = loadMasterKey({ env: settings.masterKey, folder, mayMake: false })
  const given = settings.newMasterKey === undefined ? undefined : readNewKey(settings.newMasterKey, key)
  if (source.kind === 'environment') {
    if (!given) throw new SettingsProblem(`GATEHOUSE_KEY is set, so the new key comes from you. ${howToGive}`)
    return { wrapped: await change(connection, key, given, by), formerKey: '' }
  }
  const next = prepareNextKey({ folder }, given)
  if (given && !given.equals(next)) {
    throw new SettingsProblem('A change of the master key was broken off: end it first, without GATEHOUSE_NEW_KEY.')
  }
  return { wrapped: await change(connection, key, next, by), formerKey: adoptNextKey({ folder }, new Date()) }
}

const howToGive = 'Make one with `openssl rand -base64 32` and set GATEHOUSE_NEW_KEY to it.'

function readNewKey(text: string, key: Buffer): Buffer {
  const given = parseMasterKey(text, 'GATEHOUSE_NEW_KEY')
  if (given.equals(key)) throw new SettingsProblem(`GATEHOUSE_NEW_KEY is the key that is in use. ${howToGive}`)
  return given
}

async function change(connection: ConnectionOptions, from: Buffer, to: Buffer, by: string): Promise<number> {
  if (!(await opens(connection, from)) && (await opens(connection, to))) return 0
  const { db, ring } = composeCore({ connection, masterKey: from, clock: systemClock })
  try {
    await ring.confirm()
    const deployments = await db.identityQuery<{ id: number }>(sql`select id from deployment order by id`)
    const ids = deployments.map(({ id }) => id)
    // What older versions derived from the master key whenever they needed it has to be stored before that changes.
    for (const label of permanentKeyLabels(ids)) await ring.keep(label)
    // Before anything is changed: whoever is killed in the middle has said who they were.
    for (const deploymentId of ids) {
      const actor = { deploymentId, personId: 0, tokenId: 0, role: 'owner', requestId: 'cli' } as const
      await db.transaction({ ...actor, permissions: new Set() }, async (tx) =>
        tx.audit({ action: 'keys.rotate-master', target: `deployment:${deploymentId}`, detail: { by } }),
      )
    }
    return await changeMasterKey(db, from, to)
  } finally {
    await db.close()
  }
}

async function isSealed(connection: ConnectionOptions): Promise<boolean> {
  const { db } = composeCore({ connection, masterKey: randomBytes(32), clock: systemClock })
  try {
    return await hasStoredKeys({ query: db.identityQuery })
  } finally {
    await db.close()
  }
}

async function opens(connection: ConnectionOptions, masterKey: Buffer): Promise<boolean> {
  const { db, ring } = composeCore({ connection, masterKey, clock: systemClock })
  try {
    await ring.confirm()
    return true
  } catch (error) {
    if (error instanceof VaultError && error.reason === 'wrong_master_key') return false
    throw error
  } finally {
    await db.close()
  }
}
