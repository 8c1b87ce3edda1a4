import sql, { empty, type Sql } from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'
import { setRoles } from '../../people/public.ts'
import { holdTeams, settleTeamMembers } from '../../teams/public.ts'
import type { ProvisioningRole } from '../contract.ts'
import { listRules } from '../store.ts'

/** Holds the teams that the rules name, and those for new people: before any membership is held. */
export async function holdGovernedTeams(tx: Transaction): Promise<void> {
  await holdTeams(tx, await governedTeams(tx))
}

/** Gives provisioned people the roles and teams that their groups say. Everybody, or those of these ids. */
export async function settle(tx: Transaction, userIds: readonly number[] | 'all', defaultRole: ProvisioningRole) {
  const chosen = userIds === 'all' ? empty : sql`and u.id = any(${[...userIds]}::bigint[])`
  // Where no rule gives a role, roles are left to people.
  if ((await listRules(tx)).some(({ role }) => role !== null)) {
    await setRoles(tx, await wantedRoles(tx, chosen, defaultRole), 'provisioning')
  }
  const teams = await governedTeams(tx)
  if (teams.length === 0) return
  const rows = await tx.query<{ person_id: number; teams: number[] }>(sql`select u.person_id,
      array(select distinct r.team_id ${rulesOf} and r.team_id is not null) as teams
    from provisioned_user u where u.deployment_id = ${tx.deploymentId} and u.person_id is not null ${chosen}`)
  await settleTeamMembers(
    tx,
    teams,
    rows.map((row) => ({ personId: row.person_id, teamIds: row.teams })),
  )
}

/** The rules that the groups of a row `u` of provisioned_user call for. */
const rulesOf = sql`from provisioned_member m
  join provisioned_group g on g.deployment_id = m.deployment_id and g.id = m.group_id
  join provisioning_rule r on r.deployment_id = g.deployment_id and lower(r.group_name) = lower(g.display_name)
  where m.deployment_id = u.deployment_id and m.user_id = u.id`

/** Of several roles the one that allows most. */
function wantedRoles(tx: Transaction, chosen: Sql, defaultRole: ProvisioningRole) {
  return tx.query<{ personId: number; role: ProvisioningRole }>(sql`select u.person_id as "personId",
      coalesce((select r.role ${rulesOf} and r.role is not null
        order by array_position(array['admin', 'member', 'readonly'], r.role) limit 1), ${defaultRole}) as role
    from provisioned_user u where u.deployment_id = ${tx.deploymentId} and u.person_id is not null ${chosen}
    order by u.person_id`)
}

async function governedTeams(tx: Transaction): Promise<number[]> {
  const rules = await listRules(tx)
  return [...new Set(rules.flatMap(({ teamId }) => (teamId === null ? [] : [teamId])))]
}
