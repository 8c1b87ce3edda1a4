import sql, { empty } from 'sql-template-tag'
import type { Role } from '../../kernel/access/permission.ts'
import type { IdentityQueryable, Queryable, Transaction } from '../../kernel/database/database.ts'
import { isVouchedFor } from '../sign-in-providers/public.ts'

export type MemberRow = {
  id: number
  email: string
  name: string
  role: Role
  created_at: Date
  last_sign_in_at: Date | null
  suspended_at: Date | null
  second_factor: boolean
  version: number
}

const member = sql`person.id, person.email, person.name, membership.role, membership.created_at, person.last_sign_in_at,
  membership.suspended_at, has_second_factor(person.id) as second_factor, membership.version`

export function list(db: Queryable, text: string | undefined): Promise<MemberRow[]> {
  const words = sql`lower(person.name || ' ' || person.email || ' ' || membership.role)`
  const having = text === undefined ? empty : sql`and strpos(${words}, lower(${text})) > 0`
  return db.query(sql`select ${member} from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${db.deploymentId} and not person.is_service ${having} order by person.id`)
}

export async function find(db: Queryable, personId: number): Promise<MemberRow | undefined> {
  const [row] = await db.query<MemberRow>(sql`select ${member}
    from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${db.deploymentId} and membership.person_id = ${personId} and not person.is_service`)
  return row
}

/** All memberships of people, locked: the last owner can only be judged with nobody else changing roles. */
export function lockRoles(
  tx: Transaction,
): Promise<{ person_id: number; role: Role; version: number; suspended: boolean }[]> {
  return tx.query(sql`select membership.person_id, membership.role, membership.version,
      membership.suspended_at is not null as suspended
    from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${tx.deploymentId} and not person.is_service
    order by membership.person_id for update of membership`)
}

/** The role of a member who is not suspended, which nobody changes until the transaction ends. */
export async function lockRole(tx: Transaction, personId: number): Promise<Role | undefined> {
  const [row] = await tx.query<{ role: Role }>(sql`select role from membership
    where deployment_id = ${tx.deploymentId} and person_id = ${personId} and suspended_at is null for share`)
  return row?.role
}

/** The same for whoever is about to change it. */
export async function lockMemberRole(tx: Transaction, personId: number): Promise<Role | undefined> {
  const [row] = await tx.query<{ role: Role }>(sql`select role from membership
    where deployment_id = ${tx.deploymentId} and person_id = ${personId} for update`)
  return row?.role
}

/** The person of this deployment who has the address. */
export async function findMember(tx: Transaction, email: string): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>(sql`select person.id
    from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${tx.deploymentId} and lower(person.email) = lower(${email})
      and not person.is_service`)
  return row?.id
}

/** Beginning from the members: nothing about other accounts is touched, and nothing can be told from how long it took. */
export async function hasMember(tx: Transaction, email: string): Promise<boolean> {
  const rows = await tx.query(sql`select 1 from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${tx.deploymentId} and lower(person.email) = lower(${email})`)
  return rows.length > 0
}

export async function insertMembership(tx: Transaction, personId: number, role: Role): Promise<boolean> {
  const rows = await tx.query(sql`insert into membership (deployment_id, person_id, role)
    values (${tx.deploymentId}, ${personId}, ${role}) on conflict do nothing returning 1`)
  if (rows.length === 0) return false
  await tx.query(sql`delete from former_member where deployment_id = ${tx.deploymentId} and person_id = ${personId}`)
  await tx.query(sql`select member_added(${tx.deploymentId}::bigint, ${personId}::bigint)`)
  return true
}

export async function setSuspended(tx: Transaction, personId: number, since: Date | null): Promise<void> {
  await tx.query(sql`update membership set suspended_at = ${since}, version = version + 1
    where deployment_id = ${tx.deploymentId} and person_id = ${personId}`)
}

/** Those whose role is another now. Owners stay owners: who is one is decided by owners. */
export async function updateRoles(
  tx: Transaction,
  wanted: readonly { personId: number; role: Role }[],
): Promise<{ personId: number; from: Role; to: Role }[]> {
  const roles = new Map(wanted.map(({ personId, role }) => [personId, role]))
  const held = await tx.query<{ personId: number; role: Role }>(sql`select person_id as "personId", role from membership
    where deployment_id = ${tx.deploymentId} and person_id = any(${[...roles.keys()]}::bigint[]) and role <> 'owner'
    order by person_id for update`)
  const changes = held
    .map(({ personId, role }) => ({ personId, from: role, to: roles.get(personId)! }))
    .filter(({ from, to }) => from !== to)
  if (changes.length === 0) return []
  await tx.query(sql`update membership m set role = given.role, version = m.version + 1
    from unnest(${changes.map(({ personId }) => personId)}::bigint[], ${changes.map(({ to }) => to)}::text[])
      as given (person_id, role)
    where m.deployment_id = ${tx.deploymentId} and m.person_id = given.person_id`)
  return changes
}

export async function updateRole(tx: Transaction, personId: number, role: Role): Promise<void> {
  await tx.query(sql`update membership set role = ${role}, version = version + 1
    where deployment_id = ${tx.deploymentId} and person_id = ${personId}`)
}

export async function deleteMembership(tx: Transaction, personId: number): Promise<void> {
  await keepFormerMember(tx, personId)
  await tx.query(sql`delete from membership where deployment_id = ${tx.deploymentId} and person_id = ${personId}`)
  await tx.query(sql`select member_removed(${tx.deploymentId}::bigint, ${personId}::bigint)`)
}

/** While they are a member: of others a deployment does not know what they are called. */
export async function keepFormerMember(tx: Transaction, personId: number): Promise<void> {
  const [known] = await tx.query<{ email: string; name: string }>(
    sql`select person.email, person.name from person where person.id = ${personId}`,
  )
  if (!known) return
  await tx.query(sql`insert into former_member (deployment_id, person_id, email, name)
    values (${tx.deploymentId}, ${personId}, ${known.email}, ${known.name})
    on conflict (deployment_id, person_id) do update set email = excluded.email, name = excluded.name,
      left_at = excluded.left_at`)
}

export type FormerRow = { id: number; email: string; name: string; left_at: Date; is_back: boolean }

/** Whoever came back is not among them, also where a process of the release before let them in. */
export function listFormer(db: Queryable): Promise<FormerRow[]> {
  return db.query(sql`select former.person_id as id, former.email, former.name, former.left_at,
      exists (select from person join membership on membership.person_id = person.id
        where membership.deployment_id = ${db.deploymentId} and lower(person.email) = lower(former.email)) as is_back
    from former_member former
    where former.deployment_id = ${db.deploymentId} and not exists (select from membership
      where membership.deployment_id = ${db.deploymentId} and membership.person_id = former.person_id)
    order by former.person_id`)
}

type Account = { id: number; email: string; name: string; password_hash: string; operator: boolean }

export async function findAccount(db: IdentityQueryable, email: string): Promise<Account | undefined> {
  const [row] = await db.query<Account>(
    sql`select id, email, name, password_hash, operator from person where lower(email) = lower(${email}) and not is_service`,
  )
  return row
}

/** An invitation for the address, or the word of a provider that its owner has yet to confirm: a place to go. */
const awaited = (now: Date) => sql`(${isVouchedFor(now)} or exists (select 1 from invitation
    where lower(invitation.email) = lower(person.email) and invitation.expires_at > ${now}))`

/**
 * Whether every deployment that the account belongs to has suspended it: nobody signs in with it. Who is awaited elsewhere is not
 * shut out, so that no deployment keeps anybody from joining another.
 */
export async function isShutOut(db: IdentityQueryable, personId: number, now: Date): Promise<boolean> {
  const [row] = await db.query<{ shut: boolean }>(sql`select not operator
      and coalesce((select bool_and(membership.suspended_at is not null) from membership
        where membership.person_id = person.id), false)
      and not ${awaited(now)} as shut
    from person where id = ${personId}`)
  return row?.shut ?? false
}

export async function isAwaited(db: IdentityQueryable, personId: number, now: Date): Promise<boolean> {
  const [row] = await db.query<{ awaited: boolean }>(
    sql`select ${awaited(now)} as awaited from person where id = ${personId}`,
  )
  return row?.awaited ?? false
}

export async function findAccountById(db: IdentityQueryable, id: number): Promise<Account | undefined> {
  const [row] = await db.query<Account>(
    sql`select id, email, name, password_hash, operator from person where id = ${id}`,
  )
  return row
}

/**
 * The account of the person who sets the instance up, an operator. Only while there is no deployment, so nobody else can have an
 * account: what there is was left behind by a first start that ended too early.
 */
export async function insertFirstAccount(
  db: IdentityQueryable,
  account: { email: string; name: string; passwordHash: string },
): Promise<number> {
  await db.query(sql`delete from person where not exists (select 1 from deployment)`)
  const [row] = await db.query<{ id: number }>(sql`insert into person (email, name, password_hash, operator)
    select ${account.email}, ${account.name}, ${account.passwordHash}, true
    where not exists (select 1 from deployment) returning id`)
  if (!row) throw new Error('the first account was asked for with a deployment already there')
  return row.id
}

/** False where it is another by now: whoever set that has ended what knew the one before. Otherwise as `setPassword`. */
export async function changePassword(
  db: IdentityQueryable,
  id: number,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const rows = await db.query(sql`with changed as (
      update person set password_hash = ${to} where id = ${id} and password_hash = ${from} returning id),
    ended as (delete from password_reset where person_id in (select id from changed))
    select id from changed`)
  return rows.length > 0
}

/** Links that could set another one end with it. */
export async function setPassword(db: IdentityQueryable, id: number, passwordHash: string): Promise<void> {
  await db.query(sql`with ended as (delete from password_reset where person_id = ${id})
    update person set password_hash = ${passwordHash} where id = ${id}`)
}
