import pg from 'pg'
import { roleNames } from '../connections/connection.ts'

export type NodeState = { address: string; isReady: boolean }

/** Every worker, and whether it has what `gatehouse db distribute` gives a node; one that was added later may not. */
export async function workersOf(client: pg.Client): Promise<NodeState[]> {
  const { rows } = await client.query<NodeState>(`select nodename || ':' || nodeport as address,
      success and result = 't' as "isReady"
    from run_command_on_workers($$select exists (select from pg_event_trigger where evtname = 'grant_columns_of_shards')$$)
    order by 1`)
  return rows
}

/**
 * Where a node does not let another in as a role of Gatehouse, each in a sentence. Of roles that may sign in: before the database is
 * distributed they may not.
 */
export async function unreachedNodes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ role: string }>(
    'select rolname as role from pg_roles where rolcanlogin and rolname = any($1) order by 1',
    [Object.values(roleNames)],
  )
  const found: string[] = []
  for (const { role } of rows) {
    const links = await brokenLinks(client, role)
    if (links.length > 0) found.push(`Nodes do not let each other in as ${role}: ${links.join(', ')}.`)
  }
  return found
}

async function brokenLinks(client: pg.Client, role: string): Promise<string[]> {
  await client.query(`begin; set local role ${pg.escapeIdentifier(role)}`)
  try {
    const { rows } = await client.query<{ link: string }>(
      `select format('%s:%s', to_nodename, to_nodeport)
        || case when bool_or(result) then ' not from ' || string_agg(format('%s:%s', from_nodename, from_nodeport), ' and ')
          filter (where result is not true) else '' end as link
      from citus_check_cluster_node_health() group by to_nodename, to_nodeport having not coalesce(bool_and(result), false) order by 1`,
    )
    return rows.map(({ link }) => link)
  } finally {
    await client.query('rollback')
  }
}

/** The nodes that let whoever reaches them in as a role of Gatehouse. */
export async function openToAnybody(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ address: string }>(
    `select nodename || ':' || nodeport as address from run_command_on_all_nodes($1) join pg_dist_node using (nodeid)
    where success and result = 't' order by 1`,
    [trustsAnybody],
  )
  return rows.map(({ address }) => address)
}

const trustsAnybody = `select exists (select from pg_hba_file_rules
  where auth_method = 'trust' and type like 'host%' and (address = 'all' or address in ('0.0.0.0', '::') and netmask in ('0.0.0.0', '::'))
    and user_name && array['all', ${Object.values(roleNames)
      .map((role) => `'${role}'`)
      .join(', ')}] and database && array['all', current_database()::text])`
