import sql, { empty } from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'
import { setRoles } from '../../people/public.ts'
import { holdTeams, settleTeamMembers } from '../../teams/public.ts'
import type { ProvisioningRole } from '../contract.ts'
import { listRules } from '../store.ts'

/** Holds the teams that the rules name, and those for new people: before any membership is held. */
export async function holdGovernedTeams(tx: Transaction): Promise<void> {
  await holdTeams(tx, teamsOf(await listRules(tx)))
}

/** Gives provisioned people the roles and teams that their groups say. Everybody, or those of these ids. */
export async function settle(tx: Transaction, userIds: readonly number[] | 'all', defaultRole: ProvisioningRole) {
  const rules = await tx.query<Rule>(sql`select lower(group_name) as "group", role, team_id as "teamId"
    from provisioning_rule where deployment_id = ${tx.deploymentId}`)
  if (rules.length === 0) return
  const people = (await governedPeople(tx, userIds, rules)).map(({ personId, groups }) => ({
    personId,
    rules: rules.filter(({ group }) => groups.includes(group)),
  }))
  // Where no rule gives a role, roles are left to people.
  if (rules.some(({ role }) => role !== null)) {
    const wanted = people.map((one) => ({ personId: one.personId, role: highest(one.rules) ?? defaultRole }))
    await setRoles(tx, wanted, 'provisioning')
  }
  const teams = teamsOf(rules)
  if (teams.length === 0) return
  await settleTeamMembers(
    tx,
    teams,
    people.map((one) => ({ personId: one.personId, teamIds: teamsOf(one.rules) })),
  )
}

/** The name of its group is in lower case: nobody tells groups apart by that. */
type Rule = { group: string; role: ProvisioningRole | null; teamId: number | null }

/** Whom the directory has provisioned, and those of their groups that rules name. */
function governedPeople(tx: Transaction, userIds: readonly number[] | 'all', rules: readonly Rule[]) {
  const chosen = userIds === 'all' ? empty : sql`and u.id = any(${[...userIds]}::bigint[])`
  const named = [...new Set(rules.map(({ group }) => group))]
  return tx.query<{ personId: number; groups: string[] }>(sql`select u.person_id as "personId",
      array(select lower(g.display_name) from provisioned_member m
        join provisioned_group g on g.deployment_id = m.deployment_id and g.id = m.group_id
        where m.deployment_id = u.deployment_id and m.user_id = u.id
          and lower(g.display_name) = any(${named}::text[])) as groups
    from provisioned_user u where u.deployment_id = ${tx.deploymentId} and u.person_id is not null ${chosen}
    order by u.person_id`)
}

/** Of several roles the one that allows most. */
function highest(rules: readonly Rule[]): ProvisioningRole | undefined {
  const byRight = ['admin', 'member', 'readonly'] as const
  return byRight.find((role) => rules.some((rule) => rule.role === role))
}

function teamsOf(rules: readonly Pick<Rule, 'teamId'>[]): number[] {
  return [...new Set(rules.flatMap(({ teamId }) => (teamId === null ? [] : [teamId])))]
}
