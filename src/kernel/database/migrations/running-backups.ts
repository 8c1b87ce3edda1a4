import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { DatabaseProblem } from '../database-problem.ts'

/** How a session of a backup is named. */
export const backupSession = 'gatehouse backup'

/** pg_dump keeps the same locks, for as long. */
const names = [backupSession, 'pg_dump']
const lookMs = 250

export type BackupPatience = {
  /** How long backups may take to end. */
  backupWaitMs: number
  /** Told once who is waited for, in words. */
  tell?(sentence: string): void
}

/**
 * A backup keeps every table from being changed until it is over, which may take hours. Waits for it without asking for a lock:
 * whoever comes after one that waits for a lock waits too.
 */
export async function waitForBackups(client: pg.Client, migration: string, patience: BackupPatience): Promise<void> {
  const deadline = Date.now() + patience.backupWaitMs
  for (let isTold = false; ; isTold = true) {
    const backups = (await runningBackups(client)).map(inWords).join('; ')
    if (backups === '') return
    if (Date.now() >= deadline) throw refusal(migration, backups, patience.backupWaitMs)
    if (!isTold) patience.tell?.(waiting(migration, backups, patience.backupWaitMs))
    await delay(Math.min(lookMs, Math.max(1, deadline - Date.now())))
  }
}

type RunningBackup = { name: string; pid: number; address: string | null; since: Date | null }

/** Those that read. Others of the same name only keep a place, and are in nobody's way. */
async function runningBackups(client: pg.Client): Promise<RunningBackup[]> {
  const { rows } = await client.query<RunningBackup>(
    `select application_name as name, pid, host(client_addr) as address, backend_start as since from pg_stat_activity a
      where datname = current_database() and application_name = any($1) and exists (
        select from pg_locks l join pg_class c on c.oid = l.relation
          where l.pid = a.pid and l.granted and l.database = a.datid and c.relkind = 'r'
            and c.relnamespace = to_regnamespace(quote_ident(current_schema())))
      order by pid`,
    [names],
  )
  return rows
}

function inWords({ name, pid, address, since }: RunningBackup): string {
  // Unknown where another role makes it.
  const begun = since ? `, since ${since.toISOString()}` : ''
  return `${name}, ${address ?? 'this machine'}, server process ${pid}${begun}`
}

function waiting(migration: string, backups: string, waitMs: number): string {
  return `Migration ${migration} waits for a backup to end, for at most ${minutes(waitMs)} (${backups}).`
}

function refusal(migration: string, backups: string, waitMs: number): DatabaseProblem {
  return new DatabaseProblem(
    `Migration ${migration} was not applied: a backup reads the tables and had not ended after ${minutes(waitMs)} (${backups}). ` +
      'Wait until it is over, or stop it, then start this version again.',
  )
}

function minutes(ms: number): string {
  return `${Math.ceil(ms / 60_000)} minutes`
}
