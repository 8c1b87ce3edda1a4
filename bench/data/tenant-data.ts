import pg from 'pg'
import type { ConnectionOptions } from '../../src/kernel/database/connections/connection.ts'
import type { BenchServer } from '../server.ts'
import { content } from './finding-data.ts'
import { post, signIn } from './ruleboard-data.ts'

export type Caller = { deploymentId: number; token: string }

const largest = 20_000

/**
 * Deployments of mixed size beside the one that is there: the first has 20,000 findings, the n-th an n-th of that. Of so many of
 * them, spread over all sizes, a caller.
 */
export async function fillTenants(
  to: ConnectionOptions,
  server: BenchServer,
  { deployments, callers }: { deployments: number; callers: number },
): Promise<Caller[]> {
  const jwt = await signIn(server.url, server.owner)
  const ids: number[] = []
  for (let n = 1; n <= deployments; n++) {
    const made = await post(`${server.url}/api/deployments/v1/deployments`, jwt, { name: `Tenant ${n}` })
    ids.push(Number(made.deployment.id))
  }
  await fillFindingsOf(to, ids)
  // Once, and after all of them are there: checking a password takes its time.
  const jwtOfAll = await signIn(server.url, server.owner)
  const every = Math.floor(deployments / callers)
  const asking: Caller[] = []
  for (let n = 0; n < callers; n++) {
    const deploymentId = ids[n * every]!
    const tokens = `${server.url}/api/tokens/v1/deployments/${deploymentId}/tokens`
    asking.push({ deploymentId, token: (await post(tokens, jwtOfAll, { name: 'benchmark', webApi: true })).secret })
  }
  return asking
}

async function fillFindingsOf(to: ConnectionOptions, ids: readonly number[]): Promise<void> {
  const client = new pg.Client(to)
  await client.connect()
  try {
    const sized = `(select id, ${largest} / rank as size from unnest($1::bigint[]) with ordinality as given (id, rank)) tenant`
    await client.query(
      `insert into repository (deployment_id, name, default_branch)
        select tenant.id, 'group/repository-' || n, 'main' from ${sized}, generate_series(0, tenant.size / 100) n`,
      [ids],
    )
    await client.query(
      `insert into finding_rule (deployment_id, source, external_id, name, title)
        select id, 'sarif:bench', 'rule', '', 'Rule' from unnest($1::bigint[]) as given (id)`,
      [ids],
    )
    await client.query(
      `insert into finding_stream (deployment_id, repository_id, pull_request, ref, source, scan_id)
        select deployment_id, id, 0, 'main', 'sarif:bench', id from repository where deployment_id = any($1)`,
      [ids],
    )
    await client.query(
      `insert into finding (deployment_id, repository_id, stream_id, rule_id, fingerprint, pull_request, product, category, severity,
          confidence, reachability, validity, verdict, malicious, silenced, exposed, state, raised_at, state_at, scan_id, start_line,
          path, title, message, cwes, vulnerability_ids, content, digest)
        select s.deployment_id, s.repository_id, s.id, rule.id, 'fingerprint-' || n, 0, 1, 1, 1 + n % 5, 1, 1, 1, 0, false, false,
          false, 1, now() - n * interval '1 minute', now(), 1, n, 'src/module.ts', 'A flaw', 'It can be steered from outside.', '{}',
          '{}', '${JSON.stringify(content)}', ''
        from ${sized} join finding_stream s on s.deployment_id = tenant.id
        join finding_rule rule on rule.deployment_id = tenant.id, generate_series(1, least(100, tenant.size)) n`,
      [ids],
    )
    await client.query(
      `insert into finding_tally (deployment_id, repository_id, kind, number, merged)
        select f.deployment_id, scope.id, finding_kind(f.state, f.severity, f.product, f.pull_request), count(*), true
        from finding f cross join lateral (values (0::bigint), (f.repository_id)) as scope (id)
        where f.deployment_id = any($1) group by 1, 2, 3`,
      [ids],
    )
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}
