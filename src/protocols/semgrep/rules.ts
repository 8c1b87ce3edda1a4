import { modesInForce } from '../../capabilities/policies/public.ts'
import { advisoryRulePrefix } from '../../formats/semgrep-results/reader.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, pageRequest } from '../../kernel/contract/pagination.ts'
import type { Database, Queryable } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { NewSemgrepRule, SemgrepRule } from './contract.ts'
import * as store from './store.ts'

const mostRules = 5_000
const mostRuleBytes = 100_000

export type SemgrepRules = ReturnType<typeof createSemgrepRules>

/** Rules that a company wrote itself: `semgrep publish` brings them, clients get them back. */
export function createSemgrepRules(db: Database, clock: Clock) {
  async function publish(actor: Actor, { definition, visibility }: NewSemgrepRule) {
    const rule = definition.rules[0]!
    if (visibility === 'public') {
      throw new Fault('unprocessable', 'Gatehouse has no public registry. Publish with --visibility org_private.')
    }
    const ruleId = idOf(rule)
    return db.transaction(actor, async (tx) => {
      if ((await store.countOtherRules(tx, ruleId)) >= mostRules) {
        throw new Fault('unprocessable', `A deployment has at most ${mostRules} published rules.`)
      }
      const id = await store.putRule(tx, ruleId, rule, clock.now())
      tx.audit({ action: 'semgrep-rule.publish', target: `semgrep-rule:${id}`, detail: { ruleId } })
      return { id, path: ruleId }
    })
  }

  async function list(actor: Actor, query: { pageSize?: number; cursor?: number }) {
    const page = pageRequest(query)
    const { rows, ...rest } = cutPage(await store.pageOfRules(db.as(actor), page), page)
    return { rules: rows.map(shown), ...rest }
  }

  function remove(actor: Actor, id: number): Promise<SemgrepRule> {
    return db.transaction(actor, async (tx) => {
      const row = await store.removeRule(tx, id)
      if (!row) throw new Fault('not_found', `No rule ${id}.`)
      tx.audit({ action: 'semgrep-rule.delete', target: `semgrep-rule:${id}`, detail: { ruleId: row.ruleId } })
      return shown(row)
    })
  }

  async function all(actor: Actor) {
    return toFile(await store.listRules(db.as(actor)))
  }

  /** `p/all` has every rule. */
  function pack(actor: Actor, name: string) {
    return name === 'all' ? all(actor) : below(actor, name)
  }

  async function below(actor: Actor, name: string) {
    return found(await store.listRulesBelow(db.as(actor), name), name)
  }

  async function byNumber(actor: Actor, id: number) {
    const row = await store.findRule(db.as(actor), id)
    return found(row ? [row] : [], String(id))
  }

  return { publish, list, remove, all, pack, below, byNumber }
}

/** What a run of `semgrep ci` gets: by the policy in force, and blocking nothing, for that is decided when it is complete. */
export async function rulesInForce(db: Queryable): Promise<store.Definition[]> {
  const [rows, modeOf] = await Promise.all([store.listRules(db), modesInForce(db, 'PRODUCT_TYPE_SAST')])
  return rows.filter(({ ruleId }) => modeOf(ruleId) !== 'disabled').map(({ definition }) => withoutBlocking(definition))
}

/** A rule that does not say what happens blocks. */
function withoutBlocking(definition: store.Definition): store.Definition {
  const { metadata } = definition
  const known = typeof metadata === 'object' && metadata !== null ? metadata : {}
  return { ...definition, metadata: { ...known, 'dev.semgrep.actions': [] } }
}

function idOf(rule: store.Definition): string {
  const { id } = rule
  if (typeof id !== 'string' || !/^[A-Za-z0-9._-]{1,400}$/.test(id)) {
    throw new Fault('unprocessable', 'The id of a rule has 1 to 400 letters, digits, dots, hyphens and underscores.')
  }
  if (id.startsWith(advisoryRulePrefix)) {
    throw new Fault(
      'unprocessable',
      `Ids that begin with ${advisoryRulePrefix} are those of rules made from advisories.`,
    )
  }
  if (Buffer.byteLength(JSON.stringify(rule)) > mostRuleBytes) {
    throw new Fault('unprocessable', `The rule '${id}' is larger than 100 kB.`)
  }
  return id
}

function found(rows: readonly store.RuleRow[], name: string) {
  if (rows.length === 0) throw new Fault('not_found', `No rule '${name}' was published here.`)
  return toFile(rows)
}

function toFile(rows: readonly store.RuleRow[]) {
  return { rules: rows.map(({ definition }) => definition) }
}

function shown({ publishedAt, ...row }: store.RuleRow): SemgrepRule {
  return { ...row, publishedAt: publishedAt.toISOString() }
}
