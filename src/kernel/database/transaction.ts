import type { Sql } from 'sql-template-tag'
import type { Actor } from '../access/actor.ts'
import type { ChangeName } from '../changes/change.ts'

/** Something SQL can be sent to, bound to one deployment: row-level security shows it no other. */
export type Queryable = {
  readonly deploymentId: number
  query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]>
}

export type AuditEntry = { action: string; target: string; detail?: Record<string, unknown> }

export type Transaction = Queryable & {
  readonly actor: Actor
  /** The same for all of it, also for chains of statements that run side by side: what is kept for a transaction is kept by this. */
  readonly key: object
  /** Written to the deployment's hash chain with everything else of this transaction, or not at all. */
  audit(entry: AuditEntry): void
  /** Told to those who look on, once it is committed; what is audited need not say so. */
  changed(name: ChangeName, repositoryId: number): void
  /**
   * Done when all else is: for rows that every transaction of the deployment changes and others wait for. The statements that it
   * answers with are sent together with the commit.
   */
  atEnd(last: () => Promise<readonly Sql[]> | Promise<void>): void
}

/** The identity tables across deployments: who is this token, whose password is that. No tenant table. */
export type IdentityQueryable = { query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> }

/** The queue across deployments: which job is next. No other tenant table. */
export type WorkerQueryable = { query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> }
