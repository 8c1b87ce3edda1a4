import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Period } from '../../../kernel/time/time-buckets.ts'
import { type Grain, type Piece, splitPeriod } from './split-period.ts'

export type Activity = { at: Date; ecosystem: string; blocked: number; allowed: number }

/**
 * How many requests there were, for each unit of time no larger than `grain` that the periods are made of, and ecosystem.
 * A cut minute is one row, at its beginning.
 */
export function activity(db: Queryable, periods: readonly Period[], grain: Grain): Promise<Activity[]> {
  const pieces = periods
    .flatMap((period) => splitPeriod(period, grain))
    .map((piece) => (piece.grain === 'cut' ? cutMinute(db, piece) : counted(db, piece)))
  return db.query(join(pieces, ' union all '))
}

function counted(db: Queryable, { grain, since, until }: Piece): Sql {
  return sql`select start as at, ecosystem, blocked, allowed from firewall_activity
    where deployment_id = ${db.deploymentId} and grain = ${literal(grain)}
      and start >= ${since}::timestamptz and start < ${until}::timestamptz`
}

/** Whole seconds by their number of requests; of the seconds at its ends, those requests that are within. */
function cutMinute(db: Queryable, { since, until }: Piece): Sql {
  const within = (requests: Sql) => sql`sum(case
    when at >= ${since}::timestamptz and at + interval '1 second' <= ${until}::timestamptz then cardinality(${requests})
    else (select count(*) from unnest(${requests}) as ms where at + ms * interval '1 millisecond' >= ${since}::timestamptz
      and at + ms * interval '1 millisecond' < ${until}::timestamptz) end)::bigint`
  return sql`select ${since}::timestamptz as at, ecosystem, ${within(sql`blocked`)} as blocked,
      ${within(sql`allowed`)} as allowed
    from firewall_second where deployment_id = ${db.deploymentId}
      and at > ${since}::timestamptz - interval '1 second' and at < ${until}::timestamptz
    group by ecosystem`
}

/** Part of the statement rather than a value of it: each grain has its own plan. */
function literal(grain: Piece['grain']): Sql {
  return raw(`'${grain}'`)
}
