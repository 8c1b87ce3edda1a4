import { accounts } from './placement.ts'

/**
 * Citus locks a whole table on every node before it changes one that has copies, and all tables that it refers to. Two transactions
 * that change accounts, memberships or tokens, each in its own order, would wait for each other until one of them is ended.
 * So they take turns, before the first such statement.
 */
const turnKey = 4_283_746_521
export const turn = `pg_advisory_xact_lock(${turnKey})`

const names = accounts.join('|')
const changes = new RegExp(
  `\\b(insert into|update|delete from)\\s+(${names})\\b|\\b(create_\\w+_account|remove_service_account|member_added)\\(`,
  'i',
)
const locks = new RegExp(`\\bfrom (${names})\\b[\\s\\S]*\\bfor (no key )?(key )?(update|share)\\b`, 'i')

const known = new Map<string, boolean>()
const mostKnown = 2_000

export function changesAccounts(text: string): boolean {
  let answer = known.get(text)
  if (answer === undefined) {
    answer = changes.test(text) || locks.test(text)
    if (known.size >= mostKnown) known.clear()
    known.set(text, answer)
  }
  return answer
}
