import sql from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { Rule } from './rule.ts'

/** Version 0: nobody made one. */
export type RuleListRow = { isWatching: boolean; rules: Rule[]; lastId: number; version: number }

const noList: RuleListRow = { isWatching: false, rules: [], lastId: 0, version: 0 }

export async function find(db: Queryable): Promise<RuleListRow> {
  const [row] = await db.query<RuleListRow>(sql`select watching as "isWatching", rules, last_id as "lastId", version
    from firewall_rule_list where deployment_id = ${db.deploymentId}`)
  return row ?? noList
}

export async function put(tx: Transaction, list: Omit<RuleListRow, 'version'>): Promise<RuleListRow> {
  const { isWatching, rules, lastId } = list
  const [row] = await tx.query<RuleListRow>(sql`insert into firewall_rule_list as known
      (deployment_id, watching, rules, last_id)
    values (${tx.deploymentId}, ${isWatching}, ${JSON.stringify(rules)}::jsonb, ${lastId})
    on conflict (deployment_id) do update set watching = excluded.watching, rules = excluded.rules,
      last_id = excluded.last_id, version = known.version + 1
    returning watching as "isWatching", rules, last_id as "lastId", version`)
  return row!
}
