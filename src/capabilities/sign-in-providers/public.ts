import sql, { type Sql } from 'sql-template-tag'
import { Fault } from '../../kernel/contract/fault.ts'
import type { IdentityQueryable, Transaction } from '../../kernel/database/database.ts'

/** Beside a row of `session`: the provider that it began at, if it began at one. */
export const providerOfSession = sql`left join sign_in_provider began_at on began_at.id = session.provider_id`

/** Of a session with its person: a deployment's provider does not make anybody an operator. */
export const isOperatorInSession = sql`(person.operator and (began_at.id is null or began_at.instance_wide))`

/** Whether a session that began there reaches one deployment alone. `id` is a column. */
export const isOfOneDeployment = (id: Sql) =>
  sql`exists (select from sign_in_provider of_one where of_one.id = ${id} and not of_one.instance_wide)`

/** Where people come in with a password: nobody enforces single sign-on there, or they are the one who may. */
const takesPassword = sql`coalesce((select bool_or(enforcing.break_glass_id = person.id) from sign_in_provider enforcing
    where enforcing.deployment_id = membership.deployment_id and enforcing.enforced), true)`

/**
 * Whether a session reaches a membership of its person. One that began at a deployment's provider reaches that deployment
 * alone, whoever else believes in the account; one that began elsewhere reaches none that enforces its own providers.
 */
export const sessionReaches = sql`case when began_at.id is null then ${takesPassword}
    when began_at.deployment_id = membership.deployment_id then true
    else began_at.instance_wide and ${takesPassword} end`

/** Beside a row of `person`: a provider has vouched for the address, and the owner of the account has yet to confirm it. */
export const isVouchedFor = (now: Date) => sql`exists (select 1 from sign_in_flow flow
    where lower(flow.proved ->> 'email') = lower(person.email) and flow.proved is not null and flow.expires_at > ${now})`

/** Whether all that the person belongs to takes single sign-on only. */
export async function isClosedToPassword(db: IdentityQueryable, personId: number): Promise<boolean> {
  const [row] = await db.query<{ closed: boolean | null }>(sql`select bool_and(not ${takesPassword}) as closed
    from person join membership on membership.person_id = person.id where person.id = ${personId} and not person.operator`)
  return row?.closed ?? false
}

/** Who may still come in when the provider is away stays, and stays an owner. */
export async function refuseBreakGlassOwner(tx: Transaction, personId: number): Promise<void> {
  const [row] = await tx.query<{ name: string }>(sql`select name from sign_in_provider
    where deployment_id = ${tx.deploymentId} and break_glass_id = ${personId} order by id limit 1`)
  if (!row) return
  const message = `This is the break-glass owner of the sign-in provider '${row.name}': choose another one there first.`
  throw new Fault('conflict', message)
}
