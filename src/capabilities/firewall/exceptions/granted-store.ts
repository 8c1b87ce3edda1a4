import sql from 'sql-template-tag'
import type { WorkerQueryable } from '../../../kernel/database/database.ts'
import { createExceptionTable, type ExceptionTable, type GrantedException } from './exception-table.ts'

/** What refusals of every deployment depend on besides its rules. */
type Granted = {
  exceptions: ReadonlyMap<number, ExceptionTable>
  /** What every refusal of a deployment ends with, where it says something. */
  contacts: ReadonlyMap<number, string>
  /** Whether any is for a team: who is in it changes without any rule changing. */
  hasTeams: boolean
}

type Row = Omit<GrantedException, 'members'> & { deploymentId: number; members: number[] | null }

export const nothingGranted: Granted = { exceptions: new Map(), contacts: new Map(), hasTeams: false }

/** The exceptions in force of all deployments, each with whom it is for: the members of its team and of the teams below it. */
export async function loadGranted(db: WorkerQueryable, now: Date): Promise<Granted> {
  const rows = await db.query<Row>(sql`select granted.deployment_id as "deploymentId", granted.id, granted.ecosystem,
      granted.name, granted.versions, granted.decision_reason as reason, granted.expires_at as "expiresAt", granted.lifts,
      case when granted.scope = 'team' then (
        select coalesce(jsonb_agg(distinct member.person_id), '[]'::jsonb) from team
        join team_member member on member.deployment_id = team.deployment_id and member.team_id = team.id
        where team.deployment_id = granted.deployment_id and (team.id = granted.team_id
          or team.parent_team_id = granted.team_id
          or team.parent_team_id in (select child.id from team child
            where child.deployment_id = granted.deployment_id and child.parent_team_id = granted.team_id))) end as members
    from firewall_exception granted where granted.state = 'approved' and granted.expires_at > ${now}`)
  const contacts = await db.query<{ deploymentId: number; contact: string }>(
    sql`select deployment_id as "deploymentId", contact from firewall_deployment where contact <> ''`,
  )
  const granted = rows.map((row) => ({ ...row, members: row.members ? new Set(row.members) : undefined }))
  return {
    exceptions: new Map(
      [...Map.groupBy(granted, (each) => each.deploymentId)].map(([id, own]) => [id, createExceptionTable(own)]),
    ),
    contacts: new Map(contacts.map(({ deploymentId, contact }) => [deploymentId, contact])),
    hasTeams: granted.some(({ members }) => members !== undefined),
  }
}
