import sql, { type Sql } from 'sql-template-tag'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import type { Target } from './target.ts'

export type Definition = Record<string, unknown>

export type RuleRow = {
  id: number
  ruleId: string
  definition: Definition
  publishedBy: number
  publishedAt: Date
}

const ruleColumns = sql`id, rule_id as "ruleId", definition, published_by as "publishedBy", published_at as "publishedAt"`

/** All, or those that the condition picks, by their names. */
function rulesWhere(db: Queryable, condition: Sql): Promise<RuleRow[]> {
  return db.query(sql`select ${ruleColumns} from semgrep_rule
    where deployment_id = ${db.deploymentId} and ${condition} order by rule_id`)
}

export function listRules(db: Queryable): Promise<RuleRow[]> {
  return rulesWhere(db, sql`true`)
}

/** The rule of this name, and those below it: `python` has `python.eval`, and not `pythonic`. */
export function listRulesBelow(db: Queryable, name: string): Promise<RuleRow[]> {
  // The character after the dot: between the two is everything that begins with the name and a dot.
  return rulesWhere(db, sql`(rule_id = ${name} or (rule_id >= ${`${name}.`} and rule_id < ${`${name}/`}))`)
}

export async function findRule(db: Queryable, id: number): Promise<RuleRow | undefined> {
  const [row] = await rulesWhere(db, sql`id = ${id}`)
  return row
}

export function pageOfRules(db: Queryable, page: PageRequest): Promise<RuleRow[]> {
  return db.query(sql`select ${ruleColumns} from semgrep_rule
    where deployment_id = ${db.deploymentId} and id > ${page.after} order by id limit ${page.size + 1}`)
}

export async function countOtherRules(tx: Transaction, ruleId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`select count(*)::integer as count from semgrep_rule
    where deployment_id = ${tx.deploymentId} and rule_id <> ${ruleId}`)
  return row!.count
}

export async function putRule(tx: Transaction, ruleId: string, definition: Definition, at: Date): Promise<number> {
  const [row] = await tx.query<{ id: number }>(sql`insert into semgrep_rule
      (deployment_id, rule_id, definition, published_by, published_at)
    values (${tx.deploymentId}, ${ruleId}, ${JSON.stringify(definition)}::jsonb, ${tx.actor.personId}, ${at})
    on conflict (deployment_id, rule_id) do update set definition = excluded.definition,
      published_by = excluded.published_by, published_at = excluded.published_at
    returning id`)
  return row!.id
}

export async function removeRule(tx: Transaction, id: number): Promise<RuleRow | undefined> {
  const [row] = await tx.query<RuleRow>(sql`delete from semgrep_rule
    where deployment_id = ${tx.deploymentId} and id = ${id} returning ${ruleColumns}`)
  return row
}

export type RunRow = { id: number; target: Target; findingsScanId: number | null; packagesScanId: number | null }

const runColumns = sql`id, target, findings_scan_id as "findingsScanId", packages_scan_id as "packagesScanId"`

/** Of a run that was begun before, the one that there is: a client that heard no answer asks again. */
export async function beginRun(tx: Transaction, requestId: string, target: Target, at: Date): Promise<RunRow> {
  const [row] = await tx.query<RunRow>(sql`insert into semgrep_scan (deployment_id, request_id, target, started_at)
    values (${tx.deploymentId}, ${requestId}::uuid, ${JSON.stringify(target)}::jsonb, ${at})
    on conflict (deployment_id, request_id) do update set started_at = semgrep_scan.started_at returning ${runColumns}`)
  return row!
}

export async function findRun(db: Queryable, id: number): Promise<RunRow | undefined> {
  const [row] = await db.query<RunRow>(sql`select ${runColumns} from semgrep_scan
    where deployment_id = ${db.deploymentId} and id = ${id}`)
  return row
}

export async function findRunByRequest(db: Queryable, requestId: string): Promise<RunRow | undefined> {
  const [row] = await db.query<RunRow>(sql`select ${runColumns} from semgrep_scan
    where deployment_id = ${db.deploymentId} and request_id = ${requestId}::uuid`)
  return row
}

export async function noteFindings(tx: Transaction, id: number, scanId: number): Promise<void> {
  await tx.query(sql`update semgrep_scan set findings_scan_id = ${scanId}
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function notePackages(tx: Transaction, id: number, scanId: number): Promise<void> {
  await tx.query(sql`update semgrep_scan set packages_scan_id = ${scanId}
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function noteFailure(tx: Transaction, id: number, exitCode: number): Promise<boolean> {
  const rows = await tx.query(sql`update semgrep_scan set exit_code = ${exitCode}
    where deployment_id = ${tx.deploymentId} and id = ${id} returning 1`)
  return rows.length > 0
}

/** Few at a time: the next that begins takes out more. */
export async function removeOldRuns(tx: Transaction, before: Date): Promise<void> {
  await tx.query(sql`delete from semgrep_scan where deployment_id = ${tx.deploymentId} and id in (
    select id from semgrep_scan where deployment_id = ${tx.deploymentId} and started_at < ${before}
    order by started_at limit 100 for update skip locked)`)
}
