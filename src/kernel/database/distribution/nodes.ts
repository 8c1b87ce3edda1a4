import type pg from 'pg'

export type NodeState = { address: string; isReady: boolean }

/** Every worker, and whether it has what `gatehouse db distribute` gives a node; one that was added later may not. */
export async function workersOf(client: pg.Client): Promise<NodeState[]> {
  const { rows } = await client.query<NodeState>(`select nodename || ':' || nodeport as address,
      success and result = 't' as "isReady"
    from run_command_on_workers($$select exists (select from pg_event_trigger where evtname = 'grant_columns_of_shards')$$)
    order by 1`)
  return rows
}
