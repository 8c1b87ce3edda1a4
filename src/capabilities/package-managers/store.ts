import sql from 'sql-template-tag'
import type { IdentityQueryable, Queryable, Transaction } from '../../kernel/database/database.ts'
import type { SealedValue } from '../../vault/key-ring.ts'
import type { ConfigFields } from './merge-config.ts'

export type ConfigRow = ConfigFields & { id: number; version: number }
export type ConfigRowWithCredentials = ConfigRow & { credentials: SealedValue | null }

const columns = sql`id, name, url, registry_type as "registryType", ecosystem, requires_auth as "requiresAuth",
  use_network_broker as "useNetworkBroker", maven_repository_type as "repositoryType", npm_scope as "npmScope",
  credentials_kind as "credentialsKind", version`

/** Taken before the row is there: its credentials are sealed for it, outside the transaction that inserts it. */
export async function nextId(db: { query: IdentityQueryable['query'] }): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select nextval('package_manager_config_id_seq') as id`)
  return row!.id
}

export function list(db: Queryable): Promise<ConfigRowWithCredentials[]> {
  return db.query(sql`select ${columns}, credentials from package_manager_config
    where deployment_id = ${db.deploymentId} order by id`)
}

export async function find(db: Queryable, id: number): Promise<ConfigRow | undefined> {
  const [row] = await db.query<ConfigRow>(sql`select ${columns} from package_manager_config
    where deployment_id = ${db.deploymentId} and id = ${id}`)
  return row
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, id: number): Promise<ConfigRow | undefined> {
  const [row] = await tx.query<ConfigRow>(sql`select ${columns} from package_manager_config
    where deployment_id = ${tx.deploymentId} and id = ${id} for update`)
  return row
}

export async function insert(tx: Transaction, id: number, to: ConfigFields, sealed?: SealedValue): Promise<ConfigRow> {
  const [row] =
    await tx.query<ConfigRow>(sql`insert into package_manager_config (deployment_id, id, name, url, registry_type,
      ecosystem, requires_auth, use_network_broker, maven_repository_type, npm_scope, credentials_kind, credentials)
    values (${tx.deploymentId}, ${id}, ${to.name}, ${to.url}, ${to.registryType}, ${to.ecosystem}, ${to.requiresAuth},
      ${to.useNetworkBroker}, ${to.repositoryType}, ${to.npmScope}, ${to.credentialsKind}, ${toJson(sealed)}::jsonb)
    returning ${columns}`)
  return row!
}

/** `sealed` replaces the credentials, null drops them, undefined leaves them. */
export async function update(
  tx: Transaction,
  id: number,
  to: ConfigFields,
  sealed: SealedValue | null | undefined,
): Promise<ConfigRow> {
  const [row] = await tx.query<ConfigRow>(sql`update package_manager_config set name = ${to.name}, url = ${to.url},
      registry_type = ${to.registryType}, ecosystem = ${to.ecosystem}, requires_auth = ${to.requiresAuth},
      use_network_broker = ${to.useNetworkBroker}, maven_repository_type = ${to.repositoryType},
      npm_scope = ${to.npmScope}, credentials_kind = ${to.credentialsKind}, version = version + 1,
      credentials = case when ${sealed === undefined} then credentials else ${toJson(sealed)}::jsonb end
    where deployment_id = ${tx.deploymentId} and id = ${id} returning ${columns}`)
  return row!
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from package_manager_config where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

function toJson(sealed: SealedValue | null | undefined): string | null {
  return sealed ? JSON.stringify(sealed) : null
}
