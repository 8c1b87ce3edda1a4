import { lastBackup } from '../backup/last-backup.ts'
import { type Archiving, readArchiving } from '../backup/point-in-time/archiving.ts'
import { derivations } from '../capabilities/people/public.ts'
import type { FeedRow } from '../feeds/feed-status-store.ts'
import type { Gauges, LabelledGauges } from '../http/metrics.ts'
import type { Database } from '../kernel/database/database.ts'
import type { DiskSpace } from '../kernel/disk/disk-space.ts'
import type { Clock } from '../kernel/time/clock.ts'
import type { Outbound } from '../outbound/client/client.ts'

type Feeds = { list(): Promise<FeedRow[]> }
type Pool = ReturnType<Database['load']>['pools']['readers']

export type MetricsParts = {
  db: Database
  clock: Clock
  circuits: Outbound['circuits']
  space: Pick<DiskSpace, 'spaces'>
  /** Whether this process makes backups by schedule. */
  backsUp: boolean
  /** Whether the embedded server archives WAL. */
  archivesWal: boolean
  version: string
  feeds: Record<string, Feeds>
  spansDropped(): number
}

/** What is one number. What is one for each value of a label is below. */
export function plainGauges({ db, circuits, spansDropped }: MetricsParts): Gauges {
  return {
    database_connections: { help: 'Open database connections', read: () => db.load().readers + db.load().writers },
    database_waiting: {
      help: 'Statements and transactions under way or waiting',
      read: () => db.load().readsWaiting + db.load().writesWaiting,
    },
    password_derivations: { help: 'Passwords derived since the start', read: () => derivations().done },
    password_derivations_waiting: { help: 'Sign-ins that wait for their turn', read: () => derivations().waiting },
    outbound_circuits_open: {
      help: 'Other servers that are left alone for a while because they failed several times in a row',
      read: () => circuits().filter(({ state }) => state !== 'closed').length,
    },
    spans_dropped: { help: 'Spans that the OpenTelemetry collector did not take', read: spansDropped },
  }
}

export function labelledGauges(parts: MetricsParts): LabelledGauges {
  const { db, clock, space, backsUp, archivesWal, version, feeds } = parts
  const pools = (of: (pool: Pool) => number) => () =>
    new Map(Object.entries(db.load().pools).map(([name, pool]) => [name, of(pool)]))
  return {
    build_info: { help: 'The version that runs', label: 'version', read: () => new Map([[version, 1]]) },
    database_pool_size: {
      help: 'Database connections that a pool may take',
      label: 'pool',
      read: pools(({ size }) => size),
    },
    database_pool_open: {
      help: 'Database connections that a pool has',
      label: 'pool',
      read: pools(({ open }) => open),
    },
    database_pool_busy: {
      help: 'Database connections of a pool that are at work',
      label: 'pool',
      read: pools(({ busy }) => busy),
    },
    database_pool_waiting: {
      help: 'Work that waits for a database connection of a pool',
      label: 'pool',
      read: pools(({ waiting }) => waiting),
    },
    feed_age_seconds: {
      help: 'Time since a feed of advisories was last known to be current, of the oldest one; +Inf where one never came in',
      label: 'feeds',
      read: () => ages(feeds, clock.now().getTime()),
    },
    backup_age_seconds: {
      help: 'Time since the last whole backup that Gatehouse made; before the first +Inf where a folder for backups is set, else none',
      label: 'of',
      read: () => backupAge(db, clock.now().getTime(), backsUp),
    },
    wal_archive_age_seconds: {
      help: 'Time since a segment of WAL last got into its archive, or since the server began to count',
      label: 'of',
      read: () => archiving(db, archivesWal, ({ archivedAt, since }) => ageOf(archivedAt ?? since, clock)),
    },
    wal_archive_failures_total: {
      help: 'Attempts to archive a segment of WAL that failed',
      label: 'of',
      isCounter: true,
      read: () => archiving(db, archivesWal, ({ failures }) => failures),
    },
    disk_free_bytes: {
      help: 'Room on the disks of this machine; below GATEHOUSE_DISK_RESERVE_BYTES nothing more is written',
      label: 'disk',
      read: () => new Map(space.spaces().map(({ what, freeBytes }) => [what.replace('the ', ''), freeBytes])),
    },
  }
}

/** A database that does not answer says nothing about backups. */
async function backupAge(db: Database, now: number, backsUp: boolean): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const last = await lastBackup({ query: db.workerQuery }).catch(() => 'unknown' as const)
  if (last === 'unknown') return found
  if (last) found.set('database', (now - last.at.getTime()) / 1000)
  else if (backsUp) found.set('database', Infinity)
  return found
}

/** Only where the embedded server archives WAL. A database that does not answer says nothing about it. */
async function archiving(
  db: Database,
  archivesWal: boolean,
  figure: (told: Archiving) => number,
): Promise<Map<string, number>> {
  const told = archivesWal ? await readArchiving({ query: db.workerQuery }).catch(() => undefined) : undefined
  return new Map(told ? [['database', figure(told)]] : [])
}

function ageOf(at: Date, clock: Clock): number {
  return (clock.now().getTime() - at.getTime()) / 1000
}

type Replica = NonNullable<Database['replica']>

/** These only where there is a replica. */
export function replicaGauges(replica: Replica): Gauges {
  return {
    replica_usable: { help: '1 while reads go to the replica, else 0', read: () => Number(replica.state().usable) },
    replica_lag_seconds: { help: 'How far the replica is behind the primary', read: () => replica.state().lagSeconds },
    replica_lag_bytes: {
      help: "How much of the primary's log the replica has not replayed",
      read: () => replica.state().lagBytes,
    },
  }
}

export function replicaCounters(replica: Replica): LabelledGauges {
  const { reads, fallbacks } = replica.figures()
  return {
    replica_reads_total: {
      help: 'Statements of requests that only read, by where they were answered',
      label: 'from',
      isCounter: true,
      read: () => new Map(Object.entries(reads)),
    },
    replica_fallbacks_total: {
      help: 'Requests that went to the primary because of the replica, by reason',
      label: 'reason',
      isCounter: true,
      read: () => new Map(Object.entries(fallbacks)),
    },
  }
}

/**
 * Kinds without a feed have no age. A database that does not answer is told by other metrics. One kind after the other, so that the
 * connections are not measured while all of them measure.
 */
async function ages(feeds: Record<string, Feeds>, now: number): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const [kind, { list }] of Object.entries(feeds)) {
    const rows = await list().catch(() => [])
    const all = rows.map(({ checkedAt }) => (checkedAt ? (now - checkedAt.getTime()) / 1000 : Infinity))
    if (all.length > 0) found.set(kind, Math.max(...all))
  }
  return found
}
