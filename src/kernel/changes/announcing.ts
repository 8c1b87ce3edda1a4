import sql from 'sql-template-tag'
import { systemActor } from '../access/actor.ts'
import type { Database } from '../database/database.ts'
import { rowsNotCopied } from '../database/given-rows.ts'
import type { Change } from './change.ts'

/** Where those listen who tell people of changes. */
export const changesChannel = 'gatehouse_changes'

/** Changes of so long are one notice. */
const usualPauseMs = 200
const keptMinutes = 60
/** With one notice in this many, what is too old is removed. */
const cleanEvery = 100

/**
 * Writes down what was committed, a moment later and many at once: whoever changes something does not wait for it. One after
 * the other, so that who has read up to an id has missed none before it. A process that dies within the moment takes its
 * notices with it; whoever was connected to it reads everything again.
 */
export function createAnnouncing(db: Database, pauseMs = usualPauseMs) {
  const noted = new Map<number, Map<string, Change>>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let written = 0

  function note(deploymentId: number, changes: readonly Change[]): void {
    const known = noted.get(deploymentId) ?? new Map<string, Change>()
    for (const change of changes) known.set(`${change.name} ${change.repositoryId}`, change)
    noted.set(deploymentId, known)
    timer ??= setTimeout(write, pauseMs).unref()
  }

  function write(): void {
    timer = undefined
    const batches = [...noted]
    noted.clear()
    for (const [deploymentId, changes] of batches) {
      // A notice is not the change: one that cannot be written is let go.
      writing = writing.then(() => insert(deploymentId, [...changes.values()])).catch(() => {})
    }
  }

  async function insert(deploymentId: number, changes: readonly Change[]): Promise<void> {
    const clean = written++ % cleanEvery === 0
    await db.transaction(systemActor(deploymentId, 'changes'), async (tx) => {
      // Held until the commit: ids come in the order of commits.
      await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('gatehouse.changes', ${deploymentId}::bigint))`)
      await tx.query(sql`with told as (
          insert into change_notice (deployment_id, name, repository_id)
          select ${deploymentId}::bigint, given.name, given.repository_id
          from unnest(${changes.map(({ name }) => name)}::text[], ${changes.map((each) => each.repositoryId)}::bigint[])
            as given (name, repository_id) ${rowsNotCopied})
        select pg_notify(${changesChannel}, '')`)
      if (!clean) return
      await tx.query(sql`delete from change_notice where deployment_id = ${deploymentId}
        and at < now() - make_interval(mins => ${keptMinutes}::integer)`)
    })
  }

  /** Everything that was noted is written. */
  async function close(): Promise<void> {
    clearTimeout(timer)
    write()
    await writing
  }

  return { note, close }
}
