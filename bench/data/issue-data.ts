import pg from 'pg'
import type { ConnectionOptions } from '../../src/kernel/database/connections/connection.ts'

export const repositories = 2_000

/**
 * Issues as a large company has them after a year, written straight into the tables because a million of them are many: spread
 * over 2,000 repositories, most of them open or fixed, a few in every other state. The counters are counted.
 */
export async function fillIssues(to: ConnectionOptions, deploymentId: number, issues: number): Promise<void> {
  const client = new pg.Client(to)
  await client.connect()
  try {
    await client.query(fillRepositories(deploymentId))
    await client.query(fillScopes(deploymentId))
    await client.query(fillRows(deploymentId, issues))
    await client.query(fillCounts(deploymentId))
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

function fillRepositories(deploymentId: number): string {
  return `insert into repository (deployment_id, name, default_branch)
    select ${deploymentId}, 'group/repository-' || n, 'main' from generate_series(1, ${repositories}) n`
}

function fillScopes(deploymentId: number): string {
  return `with scope as (
      insert into issue_scope (deployment_id, key)
      select deployment_id, id::text from repository where deployment_id = ${deploymentId} returning *)
    insert into issue_scope_repository select deployment_id, id, key::bigint from scope`
}

/** In a hundred issues: 60 open, 24 fixed, 10 ignored for some reason, 6 in the other states. */
function fillRows(deploymentId: number, issues: number): string {
  const state = `case when r < 60 then 1 when r < 84 then 7 when r < 94 then 6 when r < 96 then 3 when r < 98 then 4
    when r < 99 then 2 else 5 end`
  return `insert into issue (deployment_id, external_key, scope_id, triage_state, triage_reason, severity, detected,
      created_at, last_detected_at, observed_at, title, content, content_digest)
    select ${deploymentId}, 'key-' || n, scope[1 + (n * 7919 % ${repositories})], ${state},
      case when r between 84 and 93 then 1 + n % 3 else 0 end, 1 + (n * 31 % 17) % 5, true, created, created + (n % 40) * interval '1 day',
      created, 'Workflow ' || n % 997 || ' lets a comment reach the model ' || n,
      jsonb_build_object('description', repeat('It can be steered from outside. ', 8), 'reasoning', md5(n::text),
        'actions', '[]'::jsonb, 'workflowIds', jsonb_build_array('release-' || n % 50), 'identities', '[]'::jsonb,
        'triggerSources', jsonb_build_array('issue_comment'), 'refIds', '[]'::jsonb,
        'filePaths', jsonb_build_array('.github/workflows/release.yml'), 'dependencyPaths', '[]'::jsonb,
        'directDependencies', '[]'::jsonb, 'domains', '[]'::jsonb, 'cwes', jsonb_build_array('CWE-94'), 'owasps', '[]'::jsonb),
      sha256(n::text::bytea)
    from (select n, (n * 7907 % 10007) % 100 as r,
        timestamptz '2026-10-01' - (n * 104729 % 31536000) * interval '1 second' as created
      from generate_series(1::bigint, ${issues}) n) spread,
      (select array_agg(id order by id) as scope from issue_scope where deployment_id = ${deploymentId}) scopes`
}

function fillCounts(deploymentId: number): string {
  const cell = 'triage_state, triage_reason, severity'
  return `insert into issue_count (deployment_id, scope_id, ${cell}, count)
    select deployment_id, scope_id, ${cell}, count(*) from issue where deployment_id = ${deploymentId}
    group by deployment_id, scope_id, ${cell}
    union all select deployment_id, 0, ${cell}, count(*) from issue where deployment_id = ${deploymentId}
    group by deployment_id, ${cell}`
}
