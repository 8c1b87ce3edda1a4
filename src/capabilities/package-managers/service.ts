import type { Actor } from '../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import type { CredentialRule } from '../../outbound/ssrf-guard/plain-http.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../vault/rotation/sealed-columns.ts'
import { sealedTransaction } from '../../vault/sealed-transaction.ts'
import type { NewPackageManagerConfig, PackageManagerConfig, PackageManagerConfigForInsert } from './contract.ts'
import { plaintextOf } from './credential-kinds.ts'
import { blank, type ConfigFields, mergeConfig } from './merge-config.ts'
import * as store from './store.ts'

export type PackageManagerService = ReturnType<typeof createPackageManagerService>

/** Registries and how to sign in to them. Credentials are sealed on the way in; nothing here ever opens them. */
export function createPackageManagerService(db: Database, ring: KeyRing, mayCarryCredentials: CredentialRule) {
  async function update(actor: Actor, id: number, sent: PackageManagerConfigForInsert): Promise<PackageManagerConfig> {
    requireSameIds(actor, id, sent)
    return sealedTransaction({ db, ring }, actor, secretFor(id, sent), async (tx, sealed) => {
      const row = await lock(tx, id)
      requireVersion(actor, row.version)
      const { fields, credentials } = mergeConfig(row, sent, mayCarryCredentials)
      const changed = await store.update(tx, id, fields, credentials === 'drop' ? null : sealed)
      tx.audit({
        action: 'package-manager-config.update',
        target: targetOf(id),
        detail: auditDetail(sent, fields, sealed),
      })
      return toConfig(actor, changed)
    })
  }

  async function create(actor: Actor, sent: NewPackageManagerConfig): Promise<PackageManagerConfig> {
    requireSameIds(actor, undefined, sent)
    const id = await store.nextId({ query: db.identityQuery })
    return sealedTransaction({ db, ring }, actor, secretFor(id, sent), async (tx, sealed) => {
      const { fields } = mergeConfig(blank, sent, mayCarryCredentials)
      const row = await store.insert(tx, id, fields, sealed)
      tx.audit({
        action: 'package-manager-config.create',
        target: targetOf(id),
        detail: auditDetail(sent, fields, sealed),
      })
      return toConfig(actor, row)
    })
  }

  async function list(actor: Actor) {
    const rows = await store.list(db.as(actor))
    return rows.map((row) => ({ config: toConfig(actor, row), credentials: row.credentials }))
  }

  async function get(actor: Actor, id: number): Promise<PackageManagerConfig> {
    const row = await store.find(db.as(actor), id)
    if (!row) throw notFound(id)
    return toConfig(actor, row)
  }

  function remove(actor: Actor, id: number): Promise<PackageManagerConfig> {
    return db.transaction(actor, async (tx) => {
      const row = await lock(tx, id)
      requireVersion(actor, row.version)
      await store.remove(tx, id)
      tx.audit({ action: 'package-manager-config.delete', target: targetOf(id), detail: { name: row.name } })
      return toConfig(actor, row)
    })
  }

  return { update, create, list, get, remove }
}

async function lock(tx: Transaction, id: number): Promise<store.ConfigRow> {
  const row = await store.lock(tx, id)
  if (!row) throw notFound(id)
  return row
}

function secretFor(id: number, sent: PackageManagerConfigForInsert) {
  const plaintext = plaintextOf(sent)
  return plaintext === undefined
    ? undefined
    : { plaintext, place: sealedFieldOf(sealedColumns.packageManagerCredentials, id) }
}

/** The ids inside the config repeat those of the path, or are left out. */
function requireSameIds(actor: Actor, id: number | undefined, { config }: PackageManagerConfigForInsert): void {
  const wanted = { id, deploymentId: actor.deploymentId }
  for (const name of ['id', 'deploymentId'] as const) {
    const [given, inPath] = [config?.[name], wanted[name]]
    if (given === undefined || inPath === undefined || given === inPath) continue
    const pointer = `/packageManagerConfigForInsert/config/${name}`
    throw new Fault('id_mismatch', `'${name}' is ${inPath} in the path and ${given} in the config.`, {
      errors: [{ pointer, detail: `must be ${inPath}` }],
    })
  }
}

/** Which fields, not their values: an address can carry a token in its path. */
function auditDetail({ config = {} }: PackageManagerConfigForInsert, now: ConfigFields, sealed: unknown) {
  const credentials = now.credentialsKind === null ? 'none' : sealed ? 'set' : 'kept'
  return { name: now.name, fields: Object.keys(config), credentials }
}

function targetOf(id: number): string {
  return `package-manager-config:${id}`
}

function notFound(id: number): Fault {
  return new Fault('not_found', `No package manager config ${id}.`)
}

function toConfig(actor: Actor, row: store.ConfigRow): PackageManagerConfig {
  const config = {
    id: row.id,
    name: row.name,
    url: row.url,
    requiresAuth: row.requiresAuth,
    ecosystem: row.ecosystem,
    deploymentId: actor.deploymentId,
    useNetworkBroker: row.useNetworkBroker,
    additionalConfig: { maven: { repositoryType: row.repositoryType }, pypi: {}, npm: { scope: row.npmScope } },
    registryType: row.registryType,
  }
  return withVersion(config, row.version)
}
