import { createSecretKey } from 'node:crypto'
import sql from 'sql-template-tag'
import { type AuditKeys, appendAudit, keyedAction } from '../kernel/database/audit-chain.ts'
import { workFor } from '../kernel/database/connections/prepared-query.ts'
import type { Database, IdentityQueryable } from '../kernel/database/database.ts'
import { createKeyRing, type ExportedKeys } from './key-ring.ts'
import { masterKeyId } from './master-key/wrapping.ts'
import { storedKeysIn } from './rotation/stored-keys.ts'

/** Whose keys they are, beside those of the instance and of the deployments: nothing is sealed with them. */
const scope = 'audit'

/** The keys of the audit logs: random, stored wrapped like every other, fetched once. */
export function createAuditKeys(masterKey: Buffer, db: () => Pick<Database, 'identity'>): () => Promise<AuditKeys> {
  let loaded: Promise<AuditKeys> | undefined

  async function load(): Promise<AuditKeys> {
    const exported = await db().identity(async (tx) => {
      // The first one makes the key, and whoever comes meanwhile waits for the logs to be keyed.
      await tx.query(sql`select pg_advisory_xact_lock(hashtext('gatehouse.audit_keys'))`)
      const ring = createKeyRing({ masterKey, store: storedKeysIn(tx, masterKeyId(masterKey)) })
      const isNew = (await tx.query(sql`select 1 from data_key where scope = ${scope}`)).length === 0
      const exported = await ring.export(scope)
      if (isNew) await adopt(tx, toKeys(exported))
      return exported
    })
    return toKeys(exported)
  }

  return () => {
    loaded ??= load().catch((error) => {
      loaded = undefined
      throw error
    })
    return loaded
  }
}

/** Logs that are older than the key are keyed from here on. In the transaction that makes the key, so it happens once. */
async function adopt(tx: IdentityQueryable, keys: AuditKeys): Promise<void> {
  const deployments = await tx.query<{ id: number }>(sql`select id from deployment order by id`)
  for (const { id } of deployments) {
    await tx.query(workFor(id))
    const author = { deploymentId: id, personId: 0, tokenId: 0, requestId: 'audit-keys' }
    await appendAudit(tx, keys, author, [{ action: keyedAction, target: `deployment:${id}` }], { adopting: true })
  }
}

function toKeys({ currentVersion, keys }: ExportedKeys): AuditKeys {
  const entries = keys.map(({ keyVersion, key }) => [Number(keyVersion), createSecretKey(key, 'base64')] as const)
  return { newest: Number(currentVersion), keys: new Map(entries) }
}
