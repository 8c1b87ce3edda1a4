import sql, { type Sql } from 'sql-template-tag'
import * as codes from '../../../domain/finding-codes.ts'
import { decidedBy, stateIs } from '../../../domain/finding-sql.ts'
import { plainArray } from '../../../kernel/database/array-literal.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import { isFix, kindOf, type StateMoveRow, stateMoves, toStateMove } from '../counted-moves.ts'
import { noteComingChanges as noteComingMoves } from '../counters/counter-changes.ts'
import { touch } from '../ingest/duplicates.ts'

/** A finding's next state, in the numbers of the tables. */
export type Transition = {
  id: number
  state: number
  reason: number
  decidedBy: number
  deciderId: number
}

/** What is made ready for one statement, and read of its answer, takes the one thread some milliseconds. */
const mostAtOnce = 10_000

type About = {
  scanId: number
  note: string
  at?: Date | undefined
  /** Others of the same things change too, and are looked at for what stands on several branches. */
  alongWithOthers?: boolean
}

/**
 * Puts findings into other states, with a line of history each. Their repositories are held by the caller, who need not wait for
 * the answer where it is one statement: the end of the transaction does.
 */
export async function transition(tx: Transaction, transitions: readonly Transition[], about: About): Promise<void> {
  for (let from = 0; from < transitions.length; from += mostAtOnce) {
    await transitionSome(tx, transitions.slice(from, from + mostAtOnce), about)
  }
}

/** Puts findings into the state of what is no longer a matter of where it was found. Who had decided about them is kept beside it. */
export function endFindings(tx: Transaction, ids: readonly number[], about: About): Promise<void> {
  const ended = { state: codes.state.code('ended'), reason: 0, decidedBy: 0, deciderId: 0 }
  return transition(
    tx,
    ids.map((id) => ({ id, ...ended })),
    about,
  )
}

async function transitionSome(tx: Transaction, transitions: readonly Transition[], about: About): Promise<void> {
  const at = timeOf(about.at)
  const tokenId = about.scanId === 0 ? tx.actor.tokenId : 0
  const column = (name: keyof Transition) => plainArray(transitions.map((one) => one[name]))
  const ids = transitions.map((one) => one.id)
  if (!about.alongWithOthers) touch(tx, ids)
  const rows = tx.query<StateMoveRow>(sql`with former as materialized (
      select f.id, f.state, f.reason, f.rule_id, f.category, f.cell, ${kindOf} as kind,
        case when opened.by is null then t.to_state else ${stateIs.reopened} end as to_state, t.to_reason,
        case when opened.by is null then t.decided_by else ${decidedBy.observation} end as decided_by,
        case when opened.by is null then t.decider_id else 0 end as decider_id,
        case when t.to_state = ${stateIs.ended} and f.decided_by = ${decidedBy.person} then f.decider_id else opened.by end as person_id,
        -- A scan of the past that is sent later changes nothing before what was decided meanwhile.
        greatest(${at}, least(f.state_at, statement_timestamp())) as at,
        case when ${isFix} then date_trunc('day', f.fixed_at, 'UTC') end as fix_on
      from unnest(${column('id')}::bigint[], ${column('state')}::smallint[], ${column('reason')}::smallint[],
        ${column('decidedBy')}::smallint[], ${column('deciderId')}::bigint[]) as t (id, to_state, to_reason, decided_by, decider_id)
      join finding f on f.deployment_id = ${tx.deploymentId} and f.id = t.id
      left join lateral (${openedBefore(tx.deploymentId)}) opened on true
    ), changed as (
      update finding f set state = former.to_state, reason = former.to_reason,
        -- What a person had decided still counts: of what ends on other branches, of what comes back here.
        decided_by = case when former.person_id is null then former.decided_by else ${decidedBy.person} end,
        decider_id = coalesce(former.person_id, former.decider_id), state_at = former.at, change_count = f.change_count + 1,
        fixed_at = case when former.to_state = ${stateIs.fixed} then former.at end, version = f.version + 1,
        -- Observations and the rules of the lifecycle speak of what is there; others of what they think of it.
        absent = case when former.decided_by <= ${decidedBy.rule} then former.to_state = ${stateIs.fixed} else f.absent end
      from former where f.deployment_id = ${tx.deploymentId} and f.id = former.id
      returning f.id, f.repository_id, f.rule_id, f.category, f.cell, ${kindOf} as kind, f.raised_at, f.change_count, f.state_at,
        ${isFix} as fixes
    ), noted as (
      insert into finding_history (deployment_id, finding_id, seq, at, from_state, from_reason, to_state, to_reason,
        decided_by, decider_id, token_id, scan_id, note)
      select ${tx.deploymentId}::bigint, changed.id, changed.change_count, changed.state_at, former.state, former.reason,
        former.to_state, former.to_reason, former.decided_by, former.decider_id, ${tokenId}::bigint,
        ${about.scanId}::bigint, ${about.note}
      from changed join former on former.id = changed.id
      ${rowsNotCopied}
    ) ${stateMoves}`)
  const moved = rows.then((some) => some.map(toStateMove))
  noteComingMoves(tx, moved)
  await moved
}

/**
 * Of a finding `f` that was over and is seen again, by a transition `t`: the person who said last that it is open. Nobody who has
 * less say hides it from then on.
 */
function openedBefore(deploymentId: number): Sql {
  return sql`select said.decider_id as by from (
      select h.to_state, h.decider_id from finding_history h
      where h.deployment_id = ${deploymentId} and h.finding_id = f.id and h.decided_by = ${decidedBy.person}
        and f.state in (${stateIs.fixed}, ${stateIs.ended}) and t.to_state not in (${stateIs.fixed}, ${stateIs.ended})
        and t.decided_by <= ${decidedBy.rule}
      order by h.seq desc limit 1) said
    where said.to_state <= ${stateIs.lastOpen}`
}

/** When something was seen: now, if nobody says otherwise. */
export function timeOf(at: Date | undefined): Sql {
  return at ? sql`${at}::timestamptz` : sql`statement_timestamp()`
}
