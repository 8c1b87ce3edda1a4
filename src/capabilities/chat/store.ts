import sql from 'sql-template-tag'
import type { IdentityQueryable, Queryable, Transaction } from '../../kernel/database/database.ts'
import type { SealedValue } from '../../vault/key-ring.ts'

export type InstallationFields = {
  providerUrl: string
  clientId: string
  appId: string
  teamId: string
  teamName: string
  enterpriseName: string
  enterpriseUrl: string
  isOrgWide: boolean
  scopes: string[]
}
/** `botToken` is null where it is archived. */
export type InstallationRow = InstallationFields & { id: number; version: number; botToken: SealedValue | null }

const columns = sql`id, provider_url as "providerUrl", client_id as "clientId", app_id as "appId", team_id as "teamId",
  team_name as "teamName", enterprise_name as "enterpriseName", enterprise_url as "enterpriseUrl",
  is_org_wide as "isOrgWide", scopes, bot_token as "botToken", version`

/** Taken before the row is there: its token is sealed for it, outside the transaction that writes it. */
export async function nextId(db: { query: IdentityQueryable['query'] }): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select nextval('chat_installation_id_seq') as id`)
  return row!.id
}

export async function find(db: Queryable): Promise<InstallationRow | undefined> {
  const [row] = await db.query<InstallationRow>(sql`select ${columns} from chat_installation
    where deployment_id = ${db.deploymentId}`)
  return row
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction): Promise<InstallationRow | undefined> {
  const [row] = await tx.query<InstallationRow>(sql`select ${columns} from chat_installation
    where deployment_id = ${tx.deploymentId} for update`)
  return row
}

/** In the place of the one that is there. */
export async function put(
  tx: Transaction,
  id: number,
  to: InstallationFields,
  token: SealedValue,
  now: Date,
): Promise<InstallationRow> {
  const [row] = await tx.query<InstallationRow>(sql`insert into chat_installation (deployment_id, id, provider_url,
      client_id, app_id, team_id, team_name, enterprise_name, enterprise_url, is_org_wide, scopes, bot_token, installed_at)
    values (${tx.deploymentId}, ${id}, ${to.providerUrl}, ${to.clientId}, ${to.appId}, ${to.teamId}, ${to.teamName},
      ${to.enterpriseName}, ${to.enterpriseUrl}, ${to.isOrgWide}, ${to.scopes}, ${JSON.stringify(token)}::jsonb, ${now})
    on conflict (deployment_id) do update set id = excluded.id, provider_url = excluded.provider_url,
      client_id = excluded.client_id, app_id = excluded.app_id, team_id = excluded.team_id,
      team_name = excluded.team_name, enterprise_name = excluded.enterprise_name,
      enterprise_url = excluded.enterprise_url, is_org_wide = excluded.is_org_wide, scopes = excluded.scopes,
      bot_token = excluded.bot_token, archived_at = null, installed_at = excluded.installed_at,
      version = chat_installation.version + 1
    returning ${columns}`)
  return row!
}

export async function archive(tx: Transaction, now: Date): Promise<InstallationRow> {
  const [row] = await tx.query<InstallationRow>(sql`update chat_installation
    set bot_token = null, archived_at = ${now}, version = version + 1
    where deployment_id = ${tx.deploymentId} returning ${columns}`)
  return row!
}
