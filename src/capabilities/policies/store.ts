import sql from 'sql-template-tag'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import type { PolicyRule, ProductType } from './contract.ts'

export type PolicyRow = {
  id: number
  name: string
  slug: string
  product_type: ProductType
  is_default: boolean
  version: number
}

const columns = sql`id, name, slug, product_type, is_default, version`

export function list(db: Queryable): Promise<PolicyRow[]> {
  return db.query(sql`select ${columns} from policy where deployment_id = ${db.deploymentId} order by id`)
}

export async function find(db: Queryable, id: number): Promise<PolicyRow | undefined> {
  const [row] = await db.query<PolicyRow>(
    sql`select ${columns} from policy where deployment_id = ${db.deploymentId} and id = ${id}`,
  )
  return row
}

/** All policies, held until the transaction ends: which one is in force is a matter between them. */
export function lockAll(tx: Transaction): Promise<PolicyRow[]> {
  return tx.query(sql`select ${columns} from policy where deployment_id = ${tx.deploymentId} order by id for update`)
}

export type NewPolicyRow = { name: string; slug: string; productType: ProductType; isDefault: boolean }

/** Undefined where the slug is taken. */
export async function insert(tx: Transaction, policy: NewPolicyRow): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>(sql`insert into policy
      (deployment_id, name, slug, product_type, is_default, in_force_since)
    values (${tx.deploymentId}, ${policy.name}, ${policy.slug}, ${policy.productType}, ${policy.isDefault},
      case when ${policy.isDefault} then now() end)
    on conflict (deployment_id, slug) do nothing returning id`)
  return row?.id
}

export async function update(tx: Transaction, id: number, to: { name: string; isDefault: boolean }): Promise<void> {
  await tx.query(sql`update policy set name = ${to.name}, is_default = ${to.isDefault}, version = version + 1,
      changed_at = moment.now, in_force_since = case when not ${to.isDefault} then null when is_default then in_force_since else moment.now end
    from (select now() as now) moment where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from policy where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** The rules with the version of the policy they were read at; undefined where there is no such policy. */
export async function findRules(
  db: Queryable,
  policyId: number,
): Promise<{ version: number; rules: PolicyRule[] } | undefined> {
  const rows = await db.query<{ version: number } & (PolicyRule | { rule: null; mode: null })>(sql`
    select p.version, r.rule, r.mode from policy p
    left join policy_rule r on r.deployment_id = p.deployment_id and r.policy_id = p.id
    where p.deployment_id = ${db.deploymentId} and p.id = ${policyId} order by r.rule collate "C"`)
  if (!rows[0]) return undefined
  const rules = rows.flatMap(({ rule, mode }) => (rule === null ? [] : [{ rule, mode }]))
  return { version: rows[0].version, rules }
}

/** A rule that keeps its mode keeps since when it has had it. */
export async function replaceRules(tx: Transaction, policyId: number, rules: readonly PolicyRule[]): Promise<void> {
  const names = rules.map((entry) => entry.rule)
  await tx.query(sql`delete from policy_rule where deployment_id = ${tx.deploymentId} and policy_id = ${policyId}
    and rule <> all(${names}::text[])`)
  await tx.query(sql`insert into policy_rule as former (deployment_id, policy_id, rule, mode, since)
    select ${tx.deploymentId}::bigint, ${policyId}::bigint, given.rule, given.mode, now()
    from unnest(${names}::text[], ${rules.map((entry) => entry.mode)}::text[]) as given (rule, mode)
    on conflict (deployment_id, policy_id, rule) do update set mode = excluded.mode, since = excluded.since
      where former.mode <> excluded.mode`)
}
