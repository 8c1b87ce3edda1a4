import sql, { raw, type Sql } from 'sql-template-tag'
import { type Decider, decider, type State, state } from './finding-codes.ts'

/**
 * The numbers of `finding-codes.ts` for use in SQL. They are written into the statement and not bound as parameters: a partial
 * index is used only where the planner sees the number itself.
 */
export const stateIs = {
  reopened: literal('reopened'),
  /** The last state of work that is still to be done: up to here a finding is open. */
  lastOpen: literal('fixing'),
  provisionallyIgnored: literal('provisionally-ignored'),
  ignored: literal('ignored'),
  fixed: literal('fixed'),
  ended: literal('ended'),
}

/** In the order of their say: who has a lower number overrules nobody. */
export const decidedBy = {
  observation: byDecider('observation'),
  rule: byDecider('rule'),
  memory: byDecider('memory'),
  person: byDecider('person'),
}

function literal(word: State): Sql {
  return raw(String(state.code(word)))
}

function byDecider(word: Decider): Sql {
  return raw(String(decider.code(word)))
}

/** Whether a finding `f` stands where it is, and nobody has decided to ignore it for the time being. */
export const standsUndecided: Sql = sql`(f.state <= ${stateIs.lastOpen}
  or f.state = ${stateIs.provisionallyIgnored} and f.decided_by <> ${decidedBy.person})`
