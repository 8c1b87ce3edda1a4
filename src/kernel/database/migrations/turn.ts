import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

export type Turn = keyof typeof lockKeys

// Any numbers will do as long as all Gatehouse processes take the same.
const lockKeys = { migrating: 4_283_746_501, 'starting first': 4_283_746_503 }
const pauseMs = 200

/**
 * One process at a time, until the session ends. Asked for again and again: a statement that waits is a transaction that is under way,
 * and whoever builds an index beside others waits for all of those. Who has the turn is told once.
 */
export async function takeTurn(client: pg.Client, turn: Turn, tell?: (sentence: string) => void): Promise<void> {
  for (let isTold = false; ; ) {
    if ((await client.query('select pg_try_advisory_lock($1) as mine', [lockKeys[turn]])).rows[0].mine) return
    const holder: string | undefined = isTold ? undefined : await holderOf(client, turn)
    if (holder) tell?.(`Another process changes the schema (${holder}). This one waits until that is done.`)
    isTold ||= holder !== undefined
    await delay(pauseMs)
  }
}

/** In words; undefined where it has just ended. */
async function holderOf(client: pg.Client, turn: Turn): Promise<string | undefined> {
  const { rows } = await client.query<{ pid: number; address: string | null }>(
    `select l.pid, host(a.client_addr) as address
      from pg_locks l join pg_database d on d.oid = l.database left join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.classid::bigint << 32 | l.objid::bigint = $1
        and d.datname = current_database()`,
    [lockKeys[turn]],
  )
  return rows[0] && `${rows[0].address ?? 'this machine'}, server process ${rows[0].pid}`
}
