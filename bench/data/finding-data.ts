import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Content } from '../../src/capabilities/findings/ingest/pack.ts'
import { segmentBlocks } from '../../src/capabilities/findings/word-index/bit-slices.ts'
import type { ConnectionOptions } from '../../src/kernel/database/connections/connection.ts'

export const repositories = 2_000
export const rules = 500
const since = '2025-10-01T00:00:00Z'
/** Ten million in one statement would be sorted on the disk, in five times the space that they take. */
const rowsAtOnce = 500_000
/** What a finding has besides its columns. */
export const content: Content = {
  ruleName: '',
  owasp: [],
  suppressions: [],
  locations: [],
  logicalLocations: [],
  codeFlow: null,
  secretHint: '',
  dependency: null,
}

/**
 * Findings as a large company has them after a year, written straight into the tables because a million of them are many: 2,000
 * repositories in 20 teams with 20 tags, 500 rules of which a few find most, six in ten findings in pull requests. The
 * counters are counted by the function that moves them.
 */
export async function fillFindings(to: ConnectionOptions, deploymentId: number, findings: number): Promise<void> {
  const client = new pg.Client(to)
  await client.connect()
  try {
    await client.query(`set work_mem = '256MB'`)
    for (const statement of fillScopes(deploymentId)) await client.query(statement)
    for (let from = 1; from <= findings; from += rowsAtOnce)
      await client.query(fillRows(deploymentId, findings, from, Math.min(from + rowsAtOnce - 1, findings)))
    await client.query(fillPullRequests(deploymentId))
    for (let month = 0; month < 12; month++) {
      await client.query(fillCounts(deploymentId, month))
      await client.query(fillHistory(deploymentId, month))
    }
    await client.query(fillTallies(deploymentId))
    // Counted by the task of the server, as after an upgrade.
    await client.query(
      `insert into finding_days_due select deployment_id, id from repository where deployment_id = ${deploymentId}`,
    )
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

/** The same, a few of which say something that others do not, once the word index has them all and their days are counted. */
export async function fillSearchable(to: ConnectionOptions, deploymentId: number, findings: number): Promise<void> {
  await fillFindings(to, deploymentId, findings)
  const client = new pg.Client(to)
  await client.connect()
  try {
    await client.query(`with changed as (
        update finding set message = 'It can be steered by way of lodash.', path = 'lib/legacy/' || id,
          vulnerability_ids = '{CVE-2026-4711}' where deployment_id = ${deploymentId} and id % 20011 = 7 returning id)
      insert into finding_unsigned select ${deploymentId}, id from changed`)
    await client.query(`delete from finding_tally where deployment_id = ${deploymentId}`)
    await client.query(fillTallies(deploymentId))
    const indexed = `select (select count(*) filter (where part_bits is not null) from finding_block) >= ${Math.floor(findings / 64)}
        and (select count(*) filter (where segment is null) from finding_block) < ${segmentBlocks}
        and not exists (select from finding_unsigned) and not exists (select from finding_days_due) as done`
    while (!(await client.query(indexed)).rows[0].done) await delay(500)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

function fillScopes(deploymentId: number): string[] {
  return [
    `insert into repository (deployment_id, name, default_branch, publicly_exposed)
      select ${deploymentId}, 'group/repository-' || n, 'main', n % 3 = 0 from generate_series(1, ${repositories}) n`,
    `insert into tag (deployment_id, name) select ${deploymentId}, 'tag-' || n from generate_series(0, 19) n`,
    `insert into repository_tag select r.deployment_id, r.id, t.id from repository r
      join tag t on t.deployment_id = r.deployment_id and t.name = 'tag-' || r.id % 20`,
    `insert into team (deployment_id, name, slug, level)
      select ${deploymentId}, 'Team ' || n, 'team-' || n, 1 from generate_series(0, 19) n`,
    `insert into team_repository select r.deployment_id, t.id, r.id from repository r
      join team t on t.deployment_id = r.deployment_id and t.slug = 'team-' || r.id / 7 % 20`,
    `insert into finding_rule (deployment_id, source, external_id, name, title)
      select ${deploymentId}, 'sarif:bench', 'rule-' || n, '', 'Rule ' || n from generate_series(1, ${rules}) n`,
    `insert into finding_stream (deployment_id, id, repository_id, pull_request, ref, source, scan_id)
      overriding system value select deployment_id, id, id, 0, 'main', 'sarif:bench', id from repository
      where deployment_id = ${deploymentId}`,
  ]
}

/** In a hundred findings: 50 open, 30 fixed, 10 ignored, 5 provisionally ignored, 5 in the other states. */
function fillRows(deploymentId: number, findings: number, from: number, to: number): string {
  const state = 'case when r < 50 then 1 when r < 80 then 7 when r < 90 then 6 when r < 95 then 5 else 2 + r % 3 end'
  return `insert into finding (deployment_id, repository_id, stream_id, rule_id, fingerprint, pull_request, product, category,
      severity, confidence, reachability, validity, verdict, malicious, silenced, exposed, state, raised_at, state_at, fixed_at,
      change_count, scan_id, start_line, path, title, message, cwes, vulnerability_ids, content, digest)
    select ${deploymentId}, repository.id, repository.id, rule_ids[1 + (${rules} * power(random(), 2))::integer % ${rules}],
      'fingerprint-' || n, case when n % 10 < 6 then 1 + n % 500 else 0 end, 1 + n % 3, 1 + (n * 31 % 17) % 8,
      1 + (n * 37 % 19) % 5, (n * 41 % 23) % 4, (n * 43 % 29) % 4, (n * 47 % 31) % 4, 0, false, n % 10 = 0,
      repository.publicly_exposed, ${state}, raised, case when r < 50 then raised else changed end,
      case when r >= 50 and r < 80 then changed end, case when r < 50 then 0 else 1 end, n, n % 900, 'src/module-' || n % 997 || '.ts', 'A flaw',
      repeat('It can be steered from outside. ', 4), '{CWE-79}', '{}', '${JSON.stringify(content)}', md5(n::text)
    from (select n, (n * 7907 % 10007) % 100 as r, raised, raised + (1 + n % 40) * interval '1 day' as changed
      from generate_series(${from}::bigint, ${to}) n
      cross join lateral (select timestamptz '${since}' + n * (interval '365 days' / ${findings}) as raised) moment) spread
    join repository on repository.deployment_id = ${deploymentId} and repository.id = 1 + (n * 7919 % ${repositories}),
      (select array_agg(id order by id) as rule_ids from finding_rule where deployment_id = ${deploymentId}) rules
    order by n`
}

/** The findings of a repository are all of one pull request, or of none: their stream says so too. */
function fillPullRequests(deploymentId: number): string {
  return `update finding_stream s set pull_request = f.pull_request
    from (select distinct on (stream_id) stream_id, pull_request from finding where deployment_id = ${deploymentId}) f
    where s.deployment_id = ${deploymentId} and s.id = f.stream_id`
}

/** What lists and their facets are counted by. */
function fillTallies(deploymentId: number): string {
  return `insert into finding_tally (deployment_id, repository_id, kind, number, merged)
    select f.deployment_id, scope.id, finding_kind(f.state, f.severity, f.product, f.pull_request), count(*), true
    from finding f cross join lateral (values (0::bigint), (f.repository_id)) as scope (id)
    where f.deployment_id = ${deploymentId} group by 1, 2, 3`
}

const start = (months: number) => `(timestamptz '${since}' + interval '${months} months')`

/** Those that are not open any more changed once, up to forty days after they were raised. */
function fillHistory(deploymentId: number, month: number): string {
  return `insert into finding_history (deployment_id, finding_id, seq, at, from_state, from_reason, to_state, to_reason, decided_by,
      decider_id, token_id, scan_id, note)
    select deployment_id, id, 1, state_at, 1, 0, state, 0, 0, 0, 0, scan_id, '' from finding
    where deployment_id = ${deploymentId} and change_count = 1
      and raised_at >= ${start(month)} and raised_at < ${start(month + 1)}`
}

/** Of the findings of one month: no counter spans more. */
function fillCounts(deploymentId: number, month: number): string {
  const sums = Array.from({ length: 17 }, (_, at) => `coalesce(sums[${at + 1}], 0)`).join(', ')
  return `insert into finding_count (deployment_id, repository_id, rule_id, category, grain, starts_at, silenced, open, fixed,
      ignored, provisional, code_standing, code_exploitable, code_exposed, code_priority, sca_standing, sca_exploitable,
      sca_exposed, sca_priority, secrets_standing, secrets_exploitable, secrets_exposed, secrets_priority, merged)
    select ${deploymentId}, s.repository_id, s.rule_id, s.category, s.grain, s.starts_at, ${sums}, true
    from (
      select array_agg(repository_id) as repositories, array_agg(rule_id) as rules, array_agg(category) as categories,
        array_agg(day) as days, array_agg(cell) as cells, array_agg(number) as numbers
      from (
        select repository_id, rule_id, category, date_trunc('day', raised_at, 'UTC') as day, cell, count(*)::integer as number
        from finding where deployment_id = ${deploymentId} and raised_at >= ${start(month)} and raised_at < ${start(month + 1)}
        group by 1, 2, 3, 4, 5) places) list
    cross join lateral finding_sums(repositories, rules, categories, days, cells, numbers) s
    where exists (select from unnest(s.sums) as one (sum) where one.sum <> 0)
    order by s.starts_at`
}
