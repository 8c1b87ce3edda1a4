import type { Actor } from '../../kernel/access/actor.ts'
import { cutPageBy } from '../../kernel/contract/pagination.ts'
import { readSearchCursor } from '../../kernel/contract/search-cursor.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { bucketsOf, type Period, previousPeriod, readPeriod, shownPeriod } from '../../kernel/time/time-buckets.ts'
import type { CursorSeal } from '../../vault/cursor-seal.ts'
import type {
  ActivityByEcosystem,
  AdvisoryPage,
  BlockedByAdvisory,
  BlockedDependencies,
  FirewallSummary,
  Paged,
  ScanActivity,
  ScanActivityQuery,
} from './contract.ts'
import * as store from './reports/activity-store.ts'
import * as blockedStore from './reports/blocked-store.ts'
import { keptByDayBefore } from './retention/retention-store.ts'
import { fewestDetailDays, wholeDays } from './retention/whole-days.ts'

export type FirewallReports = ReturnType<typeof createFirewallReports>

const pointer = '/filters/timePeriod'
const defaultLimit = 100
const dayMs = 86_400_000

export function createFirewallReports({ db, clock, cursors }: { db: Database; clock: Clock; cursors: CursorSeal }) {
  function asked(filters: Paged['filters']): Period {
    return readPeriod(filters?.timePeriod, clock.now(), pointer)
  }

  async function answerable(actor: Actor, period: Period): Promise<Period> {
    const isRecent = clock.now().getTime() - period.since.getTime() < fewestDetailDays * dayMs
    return isRecent ? period : wholeDays(period, await keptByDayBefore(db.as(actor)))
  }

  async function byDependency(actor: Actor, asked: Paged): Promise<BlockedDependencies> {
    return page(actor, asked, 'by-dependency', (period, after: blockedStore.Dependency | undefined, limit) =>
      blockedStore.blockedDependencies(db.as(actor), period, after, limit),
    )
  }

  async function byAdvisory(actor: Actor, { pageSize, ...asked }: AdvisoryPage): Promise<BlockedByAdvisory> {
    const limited = pageSize === undefined ? asked : { ...asked, limit: pageSize }
    const read = (period: Period, after: blockedStore.Advised | undefined, limit: number) =>
      blockedStore.blockedByAdvisory(db.as(actor), period, after, limit)
    const { rows, cursor } = await page(actor, limited, 'by-advisory', read)
    return { rows, hasMore: cursor !== '', cursor }
  }

  /** The cursor keeps the period of its first page: one that ends now would be another one on every page. */
  async function page<Row>(
    actor: Actor,
    { filters, cursor, limit = defaultLimit }: Paged,
    report: string,
    read: (period: Period, after: Row | undefined, limit: number) => Promise<Row[]>,
  ): Promise<{ rows: Row[]; cursor: string }> {
    const binding = [actor.deploymentId, report, moment(filters?.timePeriod?.since), moment(filters?.timePeriod?.until)]
    const written = readSearchCursor<Written<Row>>(cursors, binding, cursor, ofAnotherReport)
    const period = await answerable(actor, written ? periodOf(written) : asked(filters))
    const rows = await read(period, written?.[2], limit + 1)
    const page = cutPageBy(rows, { size: limit }, (last) =>
      cursors.write(binding, [period.since.getTime(), period.until.getTime(), last] satisfies Written<Row>),
    )
    return { rows: page.rows, cursor: page.cursor }
  }

  async function scanActivity(actor: Actor, { filters }: ScanActivityQuery): Promise<ScanActivity> {
    const wanted = asked(filters)
    const buckets = bucketsOf(wanted, filters?.timeBucketSize, pointer)
    const period = await answerable(actor, wanted)
    // Buckets begin and end with days, so whole days at the ends stay within them.
    buckets[0]!.since = period.since
    buckets.at(-1)!.until = period.until
    // No unit of time may lie across two buckets; months only fit where all of them are months.
    const inMonths = buckets.every(({ until }) => until === period.until || until.getUTCDate() === 1)
    const rows = await store.activity(db.as(actor), [period], inMonths ? 'm' : 'd')
    const counted = buckets.map((bucket) => ({ ...bucket, ...noScans }))
    rows.sort((a, b) => a.at.getTime() - b.at.getTime())
    let at = 0
    for (const row of rows) {
      while (row.at >= counted[at]!.until) at++
      counted[at]!.blockingScans += row.blocked
      counted[at]!.nonBlockingScans += row.allowed
    }
    return {
      buckets: counted.map(({ since, until, ...scans }) => ({ timePeriod: shownPeriod({ since, until }), ...scans })),
    }
  }

  async function byEcosystem(actor: Actor, { filters }: { filters?: Paged['filters'] }): Promise<ActivityByEcosystem> {
    const period = await answerable(actor, asked(filters))
    // A second at the edge may have had requests of an ecosystem, and all of them outside.
    const counted = (await store.activity(db.as(actor), [period], 'm')).filter((row) => row.blocked + row.allowed > 0)
    const rows = Map.groupBy(counted, (row) => row.ecosystem)
    const ecosystems = [...rows.keys()].sort()
    return { rows: ecosystems.map((ecosystem) => ({ ecosystem, ...scansOf(rows.get(ecosystem)!) })) }
  }

  async function summary(actor: Actor, { filters }: { filters?: Paged['filters'] }): Promise<FirewallSummary> {
    const period = await answerable(actor, asked(filters))
    const before = await answerable(actor, previousPeriod(period))
    const read = db.as(actor)
    const [rows, blocked] = await Promise.all([
      store.activity(read, [before, period], 'm'),
      blockedStore.blockedTotals(read, period, before),
    ])
    const isCurrent = (row: store.Activity) => row.at >= period.since
    return {
      current: figures(period, rows.filter(isCurrent), blocked.current),
      previous: figures(
        before,
        rows.filter((row) => !isCurrent(row)),
        blocked.previous,
      ),
    }
  }

  return { byDependency, byAdvisory, scanActivity, byEcosystem, summary }
}

const noScans = { blockingScans: 0, nonBlockingScans: 0 }

function figures(period: Period, rows: store.Activity[], { total, dependencies }: blockedStore.Blocked) {
  return {
    timePeriod: shownPeriod(period),
    ...scansOf(rows),
    totalBlocked: total,
    blockedDependencies: dependencies,
  }
}

function scansOf(rows: store.Activity[]): typeof noScans {
  return rows.reduce(
    (sum, row) => ({
      blockingScans: sum.blockingScans + row.blocked,
      nonBlockingScans: sum.nonBlockingScans + row.allowed,
    }),
    noScans,
  )
}

function moment(text: string | undefined): number | null {
  return text === undefined ? null : new Date(text).getTime()
}

const ofAnotherReport = { detail: 'was not issued by this report', boundTo: 'deployment, report or filter' }

type Written<Row> = [since: number, until: number, last: Row]

function periodOf<Row>([since, until]: Written<Row>): Period {
  return { since: new Date(since), until: new Date(until) }
}
