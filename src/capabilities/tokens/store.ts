import sql, { empty } from 'sql-template-tag'
import type { Queryable, Transaction } from '../../kernel/database.ts'

export type TokenRow = {
  id: number
  person_id: number
  name: string
  hint: string
  web_api: boolean
  scopes: string[] | null
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
  revoked_at: Date | null
}

const columns = sql`id, person_id, name, hint, web_api, scopes, created_at, expires_at, last_used_at, revoked_at`

export async function insert(
  tx: Transaction,
  token: {
    personId: number
    name: string
    hash: Buffer
    hint: string
    webApi: boolean
    scopes: string[] | null
    expiresAt: Date
  },
): Promise<TokenRow> {
  const [row] = await tx.query<TokenRow>(sql`insert into api_token
      (deployment_id, person_id, name, hash, hint, web_api, scopes, expires_at)
    values (${tx.deploymentId}, ${token.personId}, ${token.name}, ${token.hash}, ${token.hint}, ${token.webApi},
      ${token.scopes}::text[], ${token.expiresAt})
    returning ${columns}`)
  return row!
}

export function list(db: Queryable, personId: number | undefined): Promise<TokenRow[]> {
  return db.query(sql`select ${columns} from api_token
    where deployment_id = ${db.deploymentId} ${ownedBy(personId)} order by id desc limit 1000`)
}

/** Keeps the first time of revocation. */
export async function revoke(tx: Transaction, id: number, personId: number | undefined): Promise<TokenRow | undefined> {
  const [row] = await tx.query<TokenRow>(sql`update api_token set revoked_at = coalesce(revoked_at, now())
    where deployment_id = ${tx.deploymentId} and id = ${id} ${ownedBy(personId)} returning ${columns}`)
  return row
}

function ownedBy(personId: number | undefined) {
  return personId === undefined ? empty : sql`and person_id = ${personId}`
}
