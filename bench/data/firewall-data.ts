import pg from 'pg'
import type { ConnectionOptions } from '../../src/kernel/database/connections/connection.ts'

const days = 90
const artifacts = 500
const advisories = 400
/** Each with two tokens. */
const people = 200

/**
 * What the firewall has after ninety days, written straight into the tables because ten million requests are many: builds ask in
 * bursts, one request in twenty is refused. The rows are those that the requests would have become, counted from them.
 */
export async function fillFirewall(
  to: ConnectionOptions,
  deploymentId: number,
  events: number,
  bursts: number,
): Promise<void> {
  const client = new pg.Client(to)
  await client.connect()
  try {
    await client.query("set work_mem = '256MB'")
    await client.query(`insert into firewall_artifact (deployment_id, ecosystem, name, version)
      select ${deploymentId}, (array['npm', 'pypi', 'maven'])[1 + n % 3], 'package-' || n, '1.0.' || n % 7
      from generate_series(1, ${artifacts}) n`)
    await client.query(`create temporary table event as
      select date_trunc('second', now()) - (${days} * 86400 * (hashint4(burst)::bigint + 2147483648) / 4294967296.0)::int
          * interval '1 second' as second,
        (n::bigint * 7919 % 1000)::smallint as ms, 1 + hashint4(n)::bigint % ${artifacts} as artifact,
        n % 20 = 0 as refused
      from (select n, (n / ${Math.floor(events / bursts)})::int as burst from generate_series(1, ${events}) n) numbered`)
    await client.query(`update event set artifact = artifact + ${artifacts} where artifact < 1`)
    await client.query(`insert into firewall_second (deployment_id, at, ecosystem, allowed, blocked)
      select ${deploymentId}, second, (array['npm', 'pypi', 'maven'])[1 + artifact % 3],
        coalesce(array_agg(ms) filter (where not refused), '{}'), coalesce(array_agg(ms) filter (where refused), '{}')
      from event group by second, 1 + artifact % 3`)
    await client.query(`insert into firewall_refusal
        (deployment_id, at, artifact_id, advisory_id, person_id, token_id, rule, count)
      select ${deploymentId}, second + ms * interval '1 millisecond', artifact, 'MAL-2026-' || artifact % ${advisories}, person,
        person + ${people} * (ms % 2), case artifact % 100 when 0 then 'denied' when 1 then 'held' else 'malicious' end, count(*)
      from (select *, 1 + (hashint8(extract(epoch from second)::bigint)::bigint + 2147483648) % ${people} as person
        from event where refused) refused
      group by second, ms, artifact, person order by second, ms`)
    for (const [grain, unit] of [
      ['n', 'minute'],
      ['h', 'hour'],
      ['d', 'day'],
      ['m', 'month'],
    ]) {
      const start = `date_trunc('${unit}', at, 'UTC')`
      await client.query(`insert into firewall_activity (deployment_id, grain, start, ecosystem, allowed, blocked)
        select deployment_id, '${grain}', ${start}, ecosystem, sum(cardinality(allowed)), sum(cardinality(blocked))
        from firewall_second group by deployment_id, ${start}, ecosystem`)
    }
    await client.query(`insert into firewall_culprit (deployment_id, artifact_id, advisory_id, total, first_hour, last_hour)
      select deployment_id, artifact_id, advisory_id, sum(count), date_trunc('hour', min(at), 'UTC'),
        date_trunc('hour', max(at), 'UTC')
      from firewall_refusal group by 1, 2, 3`)
    await client.query(`insert into firewall_total (deployment_id, culprit_id, hour, total)
      select deployment_id, id, hour, sum(count) over (partition by id order by hour)
      from (select c.deployment_id, c.id, date_trunc('hour', r.at, 'UTC') as hour, sum(r.count) as count
        from firewall_refusal r join firewall_culprit c using (deployment_id, artifact_id, advisory_id)
        group by 1, 2, 3) hourly`)
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}
