import sql, { empty, type Sql } from 'sql-template-tag'
import { nameOfPerson } from '../../../domain/person-names.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { isNarrow, type RefusalQuestion, refusalCondition, sumCondition } from './refusal-condition.ts'
import type { RefusalEvent } from './refusal-contract.ts'
import { piecesOf } from './rollup/spans.ts'

export type RefusalRow = Omit<RefusalEvent, 'at'> & { at: Date }
export type Position = { at: Date; id: number }

/** Newest first, from after a position on. What is asked for by more than its time is looked for in what is added up. */
export function searchRefusals(
  db: Queryable,
  question: RefusalQuestion,
  after: Position | undefined,
  limit: number,
): Promise<RefusalRow[]> {
  return db.query(
    isNarrow(question) ? along(db, question, after, limit) : shown(db, byTime(db, question, after, limit)),
  )
}

/** Every refusal of a period, or all that are asked for as each is looked at. */
export function readRefusals(
  db: Queryable,
  question: RefusalQuestion,
  after: Position | undefined,
  limit: number,
): Promise<RefusalRow[]> {
  return db.query(shown(db, byTime(db, question, after, limit)))
}

function byTime(db: Queryable, question: RefusalQuestion, after: Position | undefined, limit: number): Sql {
  return sql`select * from firewall_refusal refusal where ${refusalCondition(db, question)} ${beyond(after)}
    order by refusal.at desc, refusal.id desc limit ${limit}`
}

/**
 * The latest sums that match, as many as the page has rows: each stands for a refusal at least, the last of its kind. So no refusal of
 * the page is older than the oldest of those, and each of them leads to its refusals by an index. Those of the same millisecond are
 * taken together: the page shows them in the order of their ids.
 */
function along(db: Queryable, question: RefusalQuestion, after: Position | undefined, limit: number): Sql {
  const { since, until } = question
  const { deploymentId } = db
  const kind = sql`refusal.artifact_id, refusal.person_id, refusal.token_id, refusal.advisory_id, refusal.rule, refusal.watched`
  // Positions are in whole milliseconds.
  const period = after ? { since, until: new Date(after.at.getTime() + 1), spansUntil: after.at } : { since, until }
  const refusals = sql`select refusal.* from place cross join lateral (
      select refusal.* from firewall_refusal refusal
      where refusal.deployment_id = ${deploymentId} and refusal.artifact_id = place.artifact_id
        and refusal.at >= greatest(place.first_at, (select at from oldest)) and refusal.at <= place.last_at
        and refusal.person_id = place.person_id and refusal.token_id = place.token_id
        and refusal.advisory_id = place.advisory_id and refusal.rule = place.rule and refusal.watched = place.watched
        and (place.id is null or refusal.id = place.id)
      order by refusal.at desc, refusal.id desc limit ${limit}) refusal
    order by refusal.at desc, refusal.id desc limit ${limit}`
  return sql`with ${piecesOf(db, period)},
    place as materialized (
      select found.* from (select * from piece order by start desc offset 0) piece cross join lateral (
        (select null::bigint as id, ${kind}, refusal.first_at, refusal.last_at from firewall_refusal_sum refusal
          where refusal.grain = piece.grain and refusal.start = piece.start and ${sumCondition(db, question)}
          order by refusal.last_at desc ${withTies(limit)})
        union all
        (select refusal.id, ${kind}, refusal.at, refusal.at from firewall_refusal refusal
          where piece.grain is null and refusal.at >= piece.start and refusal.at < piece.until
            and ${refusalCondition(db, question)} ${beyond(after)}
          order by refusal.at desc ${withTies(limit)})) found
      order by piece.start desc, found.last_at desc ${withTies(limit)}),
    oldest as materialized (
      select case when count(*) >= ${limit} then min(last_at) else '-infinity' end as at from place)
    ${shown(db, refusals)}`
}

function withTies(limit: number): Sql {
  return sql`fetch first (${limit}) rows with ties`
}

function beyond(after: Position | undefined): Sql {
  return after ? sql`and (refusal.at, refusal.id) < (${after.at}::timestamptz, ${after.id}::bigint)` : empty
}

function shown(db: Queryable, refusals: Sql): Sql {
  return sql`select refusal.id, refusal.at, artifact.ecosystem, artifact.name, artifact.version, refusal.rule,
      refusal.reason, refusal.advisory_id as "advisoryId", refusal.person_id as "personId",
      ${nameOfPerson(db.deploymentId, sql`refusal.person_id`)} as "personName", refusal.token_id as "tokenId", coalesce(token.name, '') as "tokenName",
      refusal.client, refusal.address, refusal.watched, refusal.count
    from (${refusals}) refusal
    join firewall_artifact artifact on artifact.deployment_id = ${db.deploymentId} and artifact.id = refusal.artifact_id
    left join api_token token on token.deployment_id = ${db.deploymentId} and token.id = refusal.token_id
    order by refusal.at desc, refusal.id desc`
}
