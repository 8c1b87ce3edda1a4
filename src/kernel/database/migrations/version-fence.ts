import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { DatabaseProblem } from '../database-problem.ts'
import { schemaLevel } from './migration-files.ts'

// Any numbers will do as long as all Gatehouse processes take the same. The second is in enter_fence too.
const processClass = 428_374_650
const writersKey = 4_283_746_512
const lookMs = 250
/** Processes from before the fence send something twice a second. A session of a pooler keeps their name after they have gone. */
const quietSeconds = 10

/** What a transaction that writes begins with. Fails with `overtakenCode` where the schema is for a newer Gatehouse. */
export const enterFence = `select enter_fence(${schemaLevel})`

/** How a process names its sessions. Those from before the fence say `gatehouse` alone. */
export const applicationName = `gatehouse ${schemaLevel}`

/** Says for as long as the session lives which schema this process is for. Migrations that it would not survive wait. */
export async function announceLevel(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1::int, $2::int)', [processClass, schemaLevel])
}

/** Where processes work that know only older migrations than `oldest`: waits for them to end, and refuses if they do not. */
export async function waitForOlderProcesses(client: pg.Client, oldest: number, waitMs: number): Promise<void> {
  const deadline = Date.now() + waitMs
  for (;;) {
    const older = await olderProcesses(client, oldest)
    if (older.length === 0) return
    if (Date.now() >= deadline) throw refusal(older)
    await delay(Math.min(lookMs, Math.max(1, deadline - Date.now())))
  }
}

/** Until the transaction ends, none that writes begins, and none is under way. */
export async function holdBackWriters(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [writersKey])
}

/** Undefined before the fence. */
export async function readFence(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query("select to_regclass('schema_fence') is not null as found")
  if (!rows[0].found) return undefined
  return (await client.query('select oldest from schema_fence')).rows[0]?.oldest as number | undefined
}

export async function raiseFence(client: pg.Client, oldest: number): Promise<void> {
  if ((await readFence(client)) === undefined) return
  await client.query('update schema_fence set oldest = $1 where oldest < $1', [oldest])
}

type OlderProcess = { level: number | null; pid: number; address: string | null }

async function olderProcesses(client: pg.Client, oldest: number): Promise<OlderProcess[]> {
  const { rows } = await client.query<OlderProcess>(
    `select l.objid::int as level, l.pid, host(a.client_addr) as address
      from pg_locks l join pg_database d on d.oid = l.database left join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.classid = $1::int::oid and l.objsubid = 2 and l.objid::int < $2
        and d.datname = current_database()
    union
    select null, min(pid), host(client_addr) from pg_stat_activity
      where datname = current_database() and application_name = 'gatehouse'
        and (state_change is null or state_change > clock_timestamp() - make_interval(secs => $3))
      group by client_addr
    order by 1 nulls first, 2`,
    [processClass, oldest, quietSeconds],
  )
  return rows
}

/** Every process of Gatehouse that has the database open, in words. */
export async function processesAtWork(client: pg.Client): Promise<string[]> {
  const afterAll = 2 ** 31 - 1
  const announced = await olderProcesses(client, afterAll)
  if (announced.length > 0) return announced.map(inWords)
  // A process has connections before it says which schema it is for, and a command may end without saying so.
  const { rows } = await client.query<{ pid: number; address: string | null }>(
    `select min(pid) as pid, host(client_addr) as address from pg_stat_activity
    where datname = current_database() and application_name ~ '^gatehouse [0-9]+' group by client_addr order by 1`,
  )
  return rows.map(({ pid, address }) => `${address ?? 'this machine'}, server process ${pid}`)
}

function inWords({ level, pid, address }: OlderProcess): string {
  const knows = level === null ? 'an early version' : `knows migrations up to ${String(level).padStart(4, '0')}`
  return `${address ?? 'this machine'}, server process ${pid}, ${knows}`
}

function refusal(older: OlderProcess[]): DatabaseProblem {
  const each = older.map(inWords)
  return new DatabaseProblem(
    `An older Gatehouse still works on the database and would not survive this version's schema (${each.join('; ')}). ` +
      'Nothing was changed. Stop it, then start this version again.',
  )
}
