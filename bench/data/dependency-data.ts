import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { EcosystemId } from '../../src/ecosystems/ecosystem.ts'
import { ecosystems } from '../../src/ecosystems/registry.ts'
import type { ConnectionOptions } from '../../src/kernel/database/connections/connection.ts'

const packageCount = 50_000
const picksPerRepository = 720

/** Shares of the ecosystems among a hundred packages. */
const shares: [EcosystemId, number][] = [
  ['npm', 70],
  ['pypi', 12],
  ['maven', 8],
  ['gomod', 5],
  ['nuget', 3],
  ['hex', 2],
]
const first = 'react vue node web http async data cloud json core test type log auth cache table form date image route'
const second = 'client server parser utils loader plugin model stream tools config helper adapter runtime schema driver'
const [starts, ends] = [first.split(' '), second.split(' ')]

export type World = { deploymentId: number; repositories: number }

/** The name of the package at a rank of popularity, from 1. */
export function packageName(rank: number): string {
  const start = starts[rank % starts.length]
  const end = ends[Math.floor(rank / starts.length) % ends.length]
  return ecosystemOf(rank) === 'maven' ? `org.${start}:${end}-${rank}` : `${start}-${end}-${rank}`
}

function ecosystemOf(rank: number): EcosystemId {
  let place = (rank * 37) % 100
  for (const [id, share] of shares) {
    if (place < share) return id
    place -= share
  }
  return 'npm'
}

/** Popular packages have many versions: some two hundred for the first, four for the last; about 290,000 in all. */
function versionsOf(rank: number): string[] {
  const count = 4 + Math.floor(200 / Math.sqrt(rank))
  return Array.from({ length: count }, (_, n) => `${1 + Math.floor(n / 20)}.${Math.floor((n % 20) / 4)}.${n % 4}`)
}

/** Packages and their versions, with real order keys. The ids are the ranks. */
export async function fillPackages(connection: ConnectionOptions, deploymentId: number): Promise<void> {
  await withClient(connection, async (client) => {
    await copy(client, 'package (deployment_id, id, ecosystem, name, shown_name, search_text)', function* () {
      for (let rank = 1; rank <= packageCount; rank++) {
        const name = packageName(rank)
        yield [deploymentId, rank, ecosystemOf(rank), name, name, name].join('\t')
      }
    })
    // The ids were given: what is uploaded beside it gets the next ones.
    await client.query("select setval('package_id_seq', $1)", [packageCount])
    await copy(client, 'package_version (deployment_id, package_id, version, order_key)', function* () {
      for (let rank = 1; rank <= packageCount; rank++) {
        const { orderKey } = ecosystems[ecosystemOf(rank)]
        for (const version of versionsOf(rank)) {
          yield [deploymentId, rank, version, `\\\\x${Buffer.from(orderKey(version)).toString('hex')}`].join('\t')
        }
      }
    })
    await client.query(
      `insert into licence (deployment_id, expression, digest, spdx_ids)
      select $1, id, sha256(id::bytea), array[id] from unnest(array['MIT', 'Apache-2.0', 'ISC', 'BSD-3-Clause', 'AGPL-3.0-only']) id`,
      [deploymentId],
    )
  })
}

/**
 * More repositories with about 500 dependencies each, most of them on few packages: the package at rank r is picked with
 * a probability of about 1/r (Zipf), and of its versions the later ones more often.
 */
export async function addRepositories(connection: ConnectionOptions, world: World): Promise<number> {
  return withClient(connection, async (client) => {
    const indexes = await dropIndexes(client)
    await client.query(
      `with made as (
        insert into repository (deployment_id, name, default_branch)
        select $1, 'group/repository-' || gen_random_uuid(), 'main' from generate_series(1, $2::int) returning id)
      insert into lockfile (deployment_id, repository_id, path, format, bytes, digest, scan_id, dependency_count, problems,
        problem_count, has_graph, graph)
      select $1, id, 'package-lock.json', 'package-lock', 1, '', 1, 0, '[]', 0, true, '' from made`,
      [world.deploymentId, world.repositories],
    )
    await client.query(
      `insert into dependency
      select $1, repository_id, lockfile_id, package_id, version_id, licences[1 + floor(licences_count * random() ^ 3)],
        row_number() over (partition by repository_id) - 1, 1, case when random() < 0.1 then 'D' else 'T' end, false, ''
      from (select distinct on (l.repository_id, p.package_id) l.repository_id, l.id as lockfile_id, p.package_id, p.ids[1 + floor(p.count * sqrt(random()))] as version_id
        from lockfile l cross join lateral (select floor($2 ^ random())::bigint as rank from generate_series(1, $3 + l.id % 2)) pick
        join (select package_id, array_agg(id order by order_key) as ids, count(*) as count from package_version
          where deployment_id = $1 group by package_id) p on p.package_id = pick.rank
        where l.deployment_id = $1 and l.dependency_count = 0) picked,
        (select array_agg(id) as licences, count(*) as licences_count from licence where deployment_id = $1) l
      order by repository_id`,
      [world.deploymentId, packageCount, picksPerRepository],
    )
    await client.query(
      `update lockfile l set dependency_count = counted.count
      from (select lockfile_id, count(*) as count from dependency where deployment_id = $1 group by 1) counted
      where l.deployment_id = $1 and l.id = counted.lockfile_id and l.dependency_count = 0`,
      [world.deploymentId],
    )
    await client.query(
      `insert into inventory (deployment_id, repository_id, scan_id, lockfile_count, dependency_count, has_graph)
      select $1, repository_id, 1, 1, dependency_count, true from lockfile where deployment_id = $1 on conflict do nothing`,
      [world.deploymentId],
    )
    for (const definition of indexes) await client.query(definition)
    await client.query('vacuum analyze package, package_version, licence, dependency, lockfile, inventory, repository')
    const { rows } = await client.query('select count(*)::int as count from dependency')
    return rows[0].count
  })
}

/** Making an index at the end takes a fraction of keeping it up row by row. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(`select indexname as name, indexdef as definition from pg_indexes
    where tablename = 'dependency' and indexname <> 'dependency_pkey'`)
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map((row) => row.definition)
}

async function copy(client: pg.Client, target: string, lines: () => Iterable<string>): Promise<void> {
  const chunks = function* () {
    let chunk = ''
    for (const line of lines()) {
      chunk += `${line}\n`
      if (chunk.length < 65_536) continue
      yield chunk
      chunk = ''
    }
    yield chunk
  }
  await pipeline(chunks, client.query(copyFrom(`copy ${target} from stdin`)))
}

async function withClient<T>(connection: ConnectionOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
