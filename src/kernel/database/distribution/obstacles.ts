import type pg from 'pg'
import { readMigrations } from '../migrations/migration-files.ts'
import { processesAtWork } from '../migrations/version-fence.ts'
import { unreachedNodes } from './nodes.ts'
import { unplaced } from './place-tables.ts'
import { besideAll, tablesToPlace, usualShards } from './placement.ts'

const oldestCitus = [12, 1]
/** Of Citus. */
const mostShards = 64_000

/** What keeps the database from being distributed, each in a sentence. Changes nothing. */
export async function obstacles(client: pg.Client, shardCount: number | undefined): Promise<string[]> {
  if (shardCount !== undefined && (shardCount < 1 || shardCount > mostShards))
    return [`Deployments are put into 1 to ${mostShards} parts, not ${shardCount}.`]
  const version = await citusVersion(client)
  if (!version) return ['The database has no extension citus. Create it on every node: create extension citus.']
  if (!isNewEnough(version)) return [`Citus 12.1 or newer is needed; this is ${version}.`]
  const ofShards = [parts, locks].map((check) => (of: pg.Client) => check(of, shardCount))
  // Without these nothing else can be looked at.
  const before = [...(await owner(client)), ...(await here(client))]
  if (before.length > 0) return before
  const checks = [nodes, unreachedNodes, schema, level, processes, otherPlaces, ...ofShards]
  const found: string[] = []
  for (const check of checks) found.push(...(await check(client)))
  return found
}

async function citusVersion(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query("select extversion as version from pg_extension where extname = 'citus'")
  return rows[0]?.version as string | undefined
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(/[.-]/).map(Number)
  const [oldestMajor, oldestMinor] = oldestCitus as [number, number]
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}

async function here(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ group: number }>('select groupid as group from pg_dist_local_group')
  return rows[0]?.group === 0 ? [] : ['This is a worker of Citus. DATABASE_URL has to name the coordinator.']
}

async function nodes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{
    coordinator: boolean
    workers: number
    unsynced: string | null
  }>(
    `select bool_or(groupid = 0) as coordinator,
      count(*) filter (where groupid > 0 and isactive)::int as workers,
      string_agg(nodename || ':' || nodeport, ', ') filter (where not isactive or not metadatasynced) as unsynced
    from pg_dist_node`,
  )
  const { coordinator, workers, unsynced } = rows[0]!
  const found: string[] = []
  if (!coordinator)
    found.push("The coordinator is not in its own list of nodes: select citus_set_coordinator_host('HOST').")
  if (workers === 0) found.push("Citus has no worker: select citus_add_node('HOST', 5432) for each.")
  if (unsynced) found.push(`Citus has nodes that are not active, or do not know of its tables: ${unsynced}.`)
  return found
}

async function owner(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    'select rolsuper as super, rolname as name from pg_roles where rolname = current_user',
  )
  if (rows[0].super) return []
  return [`${rows[0].name} is no superuser, and settings and roles of other nodes are changed by one alone.`]
}

async function schema(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(`select to_regclass('public.schema_migration') is not null as ours,
    current_schema() = 'public' as public`)
  if (!rows[0].ours) return ['The schema is not that of Gatehouse: run npx gatehouse db migrate first.']
  return rows[0].public ? [] : ['The tables of Gatehouse have to be in the schema public.']
}

async function level(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query("select to_regclass('schema_migration') is not null as found")
  if (!rows[0].found) return []
  const applied = (await client.query('select name from schema_migration')).rows.map(({ name }) => name as string)
  const known = readMigrations().map(({ name }) => name)
  const isThisLevel = known.length === applied.length && known.every((name) => applied.includes(name))
  return isThisLevel ? [] : ['The schema is not at the level of this Gatehouse: run npx gatehouse db migrate first.']
}

async function processes(client: pg.Client): Promise<string[]> {
  const working = await processesAtWork(client)
  return working.length === 0 ? [] : [`Gatehouse still works on the database (${working.join('; ')}). Stop it first.`]
}

/** Tables of ours that somebody has distributed otherwise. */
async function otherPlaces(client: pg.Client): Promise<string[]> {
  const { distributed, reference } = await placesOf(client)
  const { rows } = await client.query<{ table: string }>(
    `select c.relname as table from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.relnamespace = 'public'::regnamespace
      and (c.relname = any($1) and (p.partmethod <> 'h' or column_to_column_name(p.logicalrelid, p.partkey) <> 'deployment_id')
        or c.relname = any($2) and p.partmethod <> 'n') order by 1`,
    [distributed, reference],
  )
  if (rows.length === 0) return []
  const tables = rows.map(({ table }) => table).join(', ')
  return [`Tables are distributed in another way than Gatehouse needs (${tables}): select undistribute_table('NAME').`]
}

/** How many there are stays as it was when the first tables were placed. */
async function parts(client: pg.Client, shardCount: number | undefined): Promise<string[]> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_dist_shard where logicalrelid = to_regclass($1) having count(*) > 0`,
    [`public.${besideAll}`],
  )
  if (shardCount === undefined || rows.every(({ count }) => count === shardCount)) return []
  return [`Deployments are in ${rows[0]!.count} parts already. Leave --shards out.`]
}

/** All shards are made in one transaction, which holds a lock for each and for each of its indexes. */
async function locks(client: pg.Client, shardCount = usualShards): Promise<string[]> {
  const distributed = [...(await unplaced(client))]
    .filter(([, place]) => place === 'by deployment')
    .map(([table]) => table)
  const { rows } = await client.query<{ needed: number; least: number }>(
    `with own as (select c.oid, c.relname from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname = any($1)),
      needed as (select coalesce(sum((select count(*) + 2 from pg_index i where i.indrelid = own.oid))::int, 0) * $2::int as count
        from own)
    select needed.count as needed, (select min(result::int) from run_command_on_all_nodes(
      $$ select current_setting('max_locks_per_transaction')::int
        * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int) $$)) as least
    from needed`,
    [distributed, shardCount],
  )
  const { needed, least } = rows[0]!
  if (least >= needed) return []
  return [
    `A node has room for ${least} locks, and ${shardCount} shards need ${needed} at once: raise max_locks_per_transaction on every node and restart it, or ask for fewer shards.`,
  ]
}

async function placesOf(client: pg.Client): Promise<{ distributed: string[]; reference: string[] }> {
  const all = [...(await tablesToPlace(client))]
  const named = (place: string) => all.filter(([, where]) => where === place).map(([table]) => table)
  return { distributed: named('by deployment'), reference: named('everywhere') }
}
