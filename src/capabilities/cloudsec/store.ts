import sql from 'sql-template-tag'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { IdentityQueryable, Queryable, Transaction } from '../../kernel/database/database.ts'
import type { SealedValue } from '../../vault/key-ring.ts'
import type { CredentialFields } from './merge-credential.ts'

export type CredentialRow = CredentialFields & { id: number; version: number }

const columns = sql`id, client_id as "clientId", api_url as "apiUrl", token_url as "tokenUrl", version`

/** Taken before the row is there: its secret is sealed for it, outside the transaction that inserts it. */
export async function nextId(db: { query: IdentityQueryable['query'] }): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select nextval('cloudsec_credential_id_seq') as id`)
  return row!.id
}

/** With one more than the page has. */
export function list(db: Queryable, { after, size }: PageRequest): Promise<CredentialRow[]> {
  return db.query(sql`select ${columns} from cloudsec_credential
    where deployment_id = ${db.deploymentId} and id > ${after} order by id limit ${size + 1}`)
}

export async function find(db: Queryable, id: number): Promise<CredentialRow | undefined> {
  const [row] = await db.query<CredentialRow>(sql`select ${columns} from cloudsec_credential
    where deployment_id = ${db.deploymentId} and id = ${id}`)
  return row
}

export async function findWithSecret(
  db: Queryable,
  id: number,
): Promise<(CredentialRow & { clientSecret: SealedValue }) | undefined> {
  const [row] = await db.query<CredentialRow & { clientSecret: SealedValue }>(sql`select ${columns},
    client_secret as "clientSecret" from cloudsec_credential where deployment_id = ${db.deploymentId} and id = ${id}`)
  return row
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, id: number): Promise<CredentialRow | undefined> {
  const [row] = await tx.query<CredentialRow>(sql`select ${columns} from cloudsec_credential
    where deployment_id = ${tx.deploymentId} and id = ${id} for update`)
  return row
}

export async function insert(
  tx: Transaction,
  id: number,
  { clientId, apiUrl, tokenUrl }: CredentialFields,
  secret: SealedValue,
): Promise<CredentialRow> {
  const [row] = await tx.query<CredentialRow>(sql`insert into cloudsec_credential
      (deployment_id, id, client_id, api_url, token_url, client_secret)
    values (${tx.deploymentId}, ${id}, ${clientId}, ${apiUrl}, ${tokenUrl}, ${JSON.stringify(secret)}::jsonb)
    returning ${columns}`)
  return row!
}

/** Without a secret, the stored one stays. */
export async function update(
  tx: Transaction,
  id: number,
  { clientId, apiUrl, tokenUrl }: CredentialFields,
  secret: SealedValue | undefined,
): Promise<CredentialRow> {
  const sealed = secret ? JSON.stringify(secret) : null
  const [row] = await tx.query<CredentialRow>(sql`update cloudsec_credential set client_id = ${clientId},
      api_url = ${apiUrl}, token_url = ${tokenUrl}, version = version + 1,
      client_secret = coalesce(${sealed}::jsonb, client_secret)
    where deployment_id = ${tx.deploymentId} and id = ${id} returning ${columns}`)
  return row!
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from cloudsec_credential where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function listIds(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select id from cloudsec_credential
    where deployment_id = ${db.deploymentId} order by id`)
  return rows.map(({ id }) => id)
}
