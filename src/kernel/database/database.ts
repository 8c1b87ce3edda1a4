import type pg from 'pg'
import sql, { type Sql } from 'sql-template-tag'
import type { Actor, ReplicaUse } from '../access/actor.ts'
import { type Change, type ChangeName, changesOf } from '../changes/change.ts'
import { createFairSemaphore } from '../threads/fair-semaphore.ts'
import { traced } from '../tracing/tracing.ts'
import { createAbortReason } from './abort-reason.ts'
import { type AuditKeys, nextAudit } from './audit-chain.ts'
import { CollectingClient } from './connections/collect-writes.ts'
import type { ConnectionOptions } from './connections/connection.ts'
import { acquire, waitingFor } from './connections/connection-shortage.ts'
import { createHeartbeat } from './connections/heartbeat.ts'
import { listen } from './connections/listener.ts'
import { type PoolSizes, shareConnections, usualConnections } from './connections/pool-sizes.ts'
import { bindTenant, executeFor, prepareTenants } from './connections/prepared-query.ts'
import { createReadPool } from './connections/read-pool.ts'
import { createPool, createRolePool, rollback } from './connections/role-pool.ts'
import { sessions } from './connections/session-pooling.ts'
import { executeTraced, statementSpan, transactionSpan } from './database-spans.ts'
import { retryDeadlocks } from './deadlock-retry.ts'
import { claimIdempotencyKey, type IdempotencyVault, keptResult } from './idempotency.ts'
import { positionOf, writeProof } from './replica/position.ts'
import { createReplica } from './replica/replica.ts'
import type { AuditEntry, Queryable, Transaction } from './transaction.ts'

export type { IdentityQueryable, Queryable, Transaction, WorkerQueryable } from './transaction.ts'

export type Database = ReturnType<typeof createDatabase>

/** What is done with keys on the way to the database. */
export type DatabaseVault = IdempotencyVault & { auditKeys(): Promise<AuditKeys> }

/** Answers how its result is read. */
type Work<T> = (tx: Transaction) => Promise<() => Promise<T>>

const farewellMs = 3_000
const longestWaitMs = 20_000
const longestStatementMs = 605_000
const noTenant = 0

export function createDatabase(
  to: ConnectionOptions,
  vault: DatabaseVault,
  sizes: PoolSizes = shareConnections(usualConnections),
  /** A replica of it, for requests that only read. */
  readFrom?: ConnectionOptions,
) {
  const heartbeat = createHeartbeat(to)
  let checkRoom = () => {}
  const toldOfChanges: ((deploymentId: number, changes: readonly Change[]) => void)[] = []
  const readers = createReadPool<number>(to, sizes.readers, heartbeat, {
    prepare: prepareTenants,
    execute: executeFor,
    longestWaitMs,
  })
  const writerOptions = {
    // A transaction may give one of its statements more time than most have.
    query_timeout: longestStatementMs,
    pipeline: true,
    Client: CollectingClient,
    max: sizes.writers,
  }
  const writers = createPool(to, sessions.writer, heartbeat, writerOptions)
  // In front of the pool, which gives who waits no longer than a connection may take to be made. By deployment: one that
  // writes much leaves connections for the others.
  const writing = createFairSemaphore<number>(sizes.writers, longestWaitMs)
  /** The identity tables across deployments. */
  const identities = createRolePool(to, sessions.identity, { size: sizes.identity, heartbeat, longestWaitMs })
  /** The queue across deployments. */
  const workers = createRolePool(to, sessions.worker, { size: sizes.worker, heartbeat, longestWaitMs })

  const replica =
    readFrom &&
    createReplica(readFrom, sizes.readers, {
      position: () => positionOf((statement) => readers.query(noTenant, statement)),
      prove: () => writeProof(identities.query),
    })

  /** Reads of one deployment, outside a transaction. */
  function as(actor: { deploymentId: number; replica?: ReplicaUse }): Queryable {
    const { deploymentId, replica: use } = actor
    function read<Row>(statement: Sql): Promise<Row[]> {
      const fromPrimary = () => readers.query<Row>(deploymentId, statement)
      return replica && use ? replica.query(use, deploymentId, statement, fromPrimary) : fromPrimary()
    }
    return {
      deploymentId,
      query: <Row>(statement: Sql) => traced(statementSpan(statement), () => read<Row>(statement)),
    }
  }

  /**
   * Runs `work` in one transaction. It may run more than once (deadlocks are retried), so it does no I/O but SQL.
   * With an `Idempotency-Key` it happens at most once, and a repetition gets the first one's result.
   */
  function transaction<T>(actor: Actor, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return transactionWithReply(actor, async (tx) => {
      const result = await work(tx)
      return async () => result
    })
  }

  /** The same for work that ends with reading what it answers: that is sent together with the commit. */
  function transactionWithReply<T>(actor: Actor, work: Work<T>): Promise<T> {
    return traced(transactionSpan, () => retriedTransaction(actor, work))
  }

  async function retriedTransaction<T>(actor: Actor, work: Work<T>): Promise<T> {
    if (isAsked(actor)) checkRoom()
    // What the request reads from here on has what it wrote.
    if (actor.replica) actor.replica.left = true
    const ordinal = actor.idempotencyKey ? actor.idempotencyKey.transactions++ : 0
    return retryDeadlocks(() => writing.run(actor.deploymentId, () => attemptTransaction(actor, ordinal, work)))
  }

  async function attemptTransaction<T>(actor: Actor, ordinal: number, work: Work<T>): Promise<T> {
    heartbeat.check()
    // Before the transaction, which waits for nothing else.
    const auditKeys = await vault.auditKeys()
    const client: pg.PoolClient = await acquire(writers, heartbeat, longestWaitMs)
    let broken: Error | undefined
    const reason = createAbortReason()
    try {
      // The first statements are sent with it. Where it fails, PostgreSQL refuses them.
      const begun = reason.watch(begin(client, actor.deploymentId))
      begun.catch(() => {})
      const audits: AuditEntry[] = []
      const changes = new Map<string, Change>()
      const ending: Parameters<Transaction['atEnd']>[0][] = []
      const tx: Transaction = {
        actor,
        deploymentId: actor.deploymentId,
        key: changes,
        query: <Row>(statement: Sql) => reason.watch(executeTraced<Row>(client, statement)),
        audit: (entry) => void audits.push(entry),
        changed: (name: ChangeName, repositoryId: number) =>
          void changes.set(`${name} ${repositoryId}`, { name, repositoryId }),
        atEnd: (last) => void ending.push(last),
      }
      if (actor.idempotencyKey) {
        const earlier = await claimIdempotencyKey<T>(tx, vault, actor, actor.idempotencyKey, ordinal)
        if (earlier) {
          await client.query('rollback')
          return earlier.result
        }
      }
      const reply = (await work(tx))()
      // Whoever waits for the commit hears of it.
      reply.catch(() => {})
      // Before the commit, which would take back without a word what did not begin.
      await begun
      const last: Sql[] = []
      for (const end of ending) last.push(...((await end()) ?? []))
      const { idempotencyKey } = actor
      if (!idempotencyKey && audits.length === 0) await Promise.all([reply, commit(client, last)])
      else {
        const moved = Promise.all(last.map(tx.query))
        // After all else, because the head of the chain is locked from here to the commit.
        const chained = audits.length > 0 ? [nextAudit(tx, auditKeys, actor, audits)] : []
        const [result, , ...appended] = await Promise.all([reply, moved, ...chained])
        const kept = idempotencyKey ? [keptResult(tx, vault, actor, idempotencyKey, ordinal, result)] : []
        await commit(client, [...kept, ...appended])
      }
      const result = await reply
      const all = [...changes.values(), ...changesOf(audits)]
      if (all.length > 0) for (const told of toldOfChanges) told(actor.deploymentId, all)
      return result
    } catch (error) {
      broken = await rollback(client, error)
      throw reason.of(error)
    } finally {
      client.release(broken)
    }
  }

  async function ping(): Promise<void> {
    await identities.query(sql`select 1`)
  }

  function cut(): void {
    heartbeat.cut()
    replica?.cut()
  }

  async function close(): Promise<void> {
    // A database that does not answer does not say goodbye either, and the pools do not wait for it: what is still
    // connected then is cut. While nothing is, the timer keeps nobody.
    setTimeout(cut, farewellMs).unref()
    // First, because it asks the primary.
    await replica?.close()
    await Promise.all([readers.close(), writers.end(), identities.end(), workers.end(), heartbeat.close()])
  }

  function onChange(told: (typeof toldOfChanges)[number]): void {
    toldOfChanges.push(told)
  }

  /** Called before what somebody asks for is written; throws where there is no room for it. */
  function requireRoom(check: () => void): void {
    checkRoom = check
  }

  function load() {
    const writesWaiting = writing.waiting() + waitingFor(writers)
    return {
      readers: readers.count(),
      readsWaiting: readers.waiting(),
      writers: writers.totalCount,
      writesWaiting,
      pools: {
        readers: { size: sizes.readers, open: readers.count(), busy: readers.busy(), waiting: readers.queued() },
        writers: {
          size: sizes.writers,
          open: writers.totalCount,
          busy: writers.totalCount - writers.idleCount,
          waiting: writesWaiting,
        },
        identity: identities.load(),
        worker: workers.load(),
        ...(replica && { replica: replica.load() }),
      },
    }
  }

  return {
    as,
    transaction,
    transactionWithReply,
    identity: identities.transaction,
    identityQuery: identities.query,
    worker: workers.transaction,
    workerQuery: workers.query,
    /** Calls `heard` when somebody notifies the channel, and when the connection stands again after it was lost. */
    listen: (channel: string, heard: () => void) => listen(to, heartbeat, channel, heard),
    requireRoom,
    /** Told after every commit that changed something that has a name. */
    onChange,
    /** For those who write to audit logs in transactions across deployments. */
    auditKeys: vault.auditKeys,
    ping,
    close,
    cut,
    replica,
    load,
  }
}

/** What follows from earlier requests, and makes room, goes on. */
function isAsked({ personId, tokenId }: Actor): boolean {
  return personId !== 0 || tokenId !== 0
}

/** At once with what comes last: where that fails, PostgreSQL takes the commit for a rollback. */
async function commit(client: pg.PoolClient, last: readonly Sql[]): Promise<void> {
  await Promise.all([...last.map((statement) => executeTraced(client, statement)), client.query('commit')])
}

/** The tenant is the transaction's, and travels with its begin: whatever ends the transaction ends that too. */
async function begin(client: pg.PoolClient, deploymentId: number): Promise<void> {
  await Promise.all([client.query('begin'), bindTenant(client, deploymentId)])
}
