import type { FeedRow } from '../../feeds/feed-status-store.ts'
import { feedAdvice, shownFeed } from '../../feeds/shown-feed.ts'
import type { OsvPackage } from '../../formats/osv/record.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, pageRequest } from '../../kernel/contract/pagination.ts'
import type { Database } from '../../kernel/database/database.ts'
import { listFoundRules, repositoriesWithoutOpen } from '../findings/public.ts'
import type {
  AdvisoryRecord,
  RepositoryQuery,
  Vulnerability,
  VulnerabilityFeeds,
  VulnerabilityQuery,
} from './contract.ts'
import { epssOf } from './epss/epss-store.ts'
import { exploitedAmong, exploitedSince } from './exploited/exploited-store.ts'
import { idsOf } from './feeds/aliases.ts'
import { severityName } from './feeds/codes.ts'
import { source } from './matching/matching.ts'
import * as store from './store.ts'

export type VulnerabilityService = ReturnType<typeof createVulnerabilityService>

type FeedList = { list(): Promise<FeedRow[]> }

type Keepers = Record<'advisories' | 'exploited' | 'epss', FeedList>

export function createVulnerabilityService(db: Database, keepers: Keepers) {
  async function list(actor: Actor, query: VulnerabilityQuery) {
    const page = pageRequest(query)
    const found = await listFoundRules(db.as(actor), actor, { source, repositoryId: query.repositoryId, page })
    const { rows, ...rest } = cutPage(found, page)
    const exploited = await exploitedAmong(
      db.as(actor),
      rows.map(({ externalId }) => externalId),
    )
    const vulnerabilities = rows.map(({ externalId: id, title, severity, findingCount, repositoryCount }) => {
      const grave = { severity: severityName(severity), exploited: exploited.has(id) }
      return { id, title, ...grave, findingCount, repositoryCount }
    })
    return { vulnerabilities, ...rest }
  }

  async function get(actor: Actor, id: string): Promise<Vulnerability> {
    const rows = await known(actor, id)
    const ids = idsOf(rows)
    const reads = db.as(actor)
    const [since, epss] = await Promise.all([exploitedSince(reads, ids), epssOf(reads, ids)])
    return { id: ids[0]!, ids, exploitedSince: since, epss, records: rows.map(toRecord) }
  }

  async function repositories(actor: Actor, id: string, query: RepositoryQuery) {
    const page = pageRequest(query)
    const records = await known(actor, id)
    const live = records.filter((row) => row.live).map((row) => row.id)
    const { rows, ...rest } = cutPage(await store.listRepositories(db.as(actor), actor, live, page), page)
    const ignored = await repositoriesWithoutOpen(
      db.as(actor),
      { source, externalIds: idsOf(records) },
      rows.map((row) => row.id),
    )
    const shown = rows.map(({ id: repositoryId, ...row }) => {
      return { repositoryId, ...row, ignored: ignored.has(repositoryId) }
    })
    return { repositories: shown, ...rest }
  }

  async function known(actor: Actor, id: string): Promise<store.VulnerabilityRow[]> {
    const rows = await store.listNamed(db.as(actor), id)
    if (rows.length === 0) throw new Fault('not_found', `No vulnerability '${id}' in the advisories.`)
    return rows
  }

  async function feeds(isOperator: boolean): Promise<VulnerabilityFeeds> {
    const rows = await keepers.advisories.list()
    const exploited = await keepers.exploited.list()
    const epss = await keepers.epss.list()
    const advice = feedAdvice([...rows, ...exploited, ...epss], isOperator) ?? (rows.length > 0 ? '' : nothingLoaded)
    const shown = (feeds: FeedRow[]) => feeds.map((feed) => shownFeed(feed, isOperator))
    return { advice, feeds: shown(rows), exploitedFeeds: shown(exploited), epssFeeds: shown(epss) }
  }

  return { list, get, repositories, feeds }
}

const nothingLoaded =
  "No advisories are loaded. Set GATEHOUSE_VULNERABILITY_FEED, or run 'gatehouse feed sync --vulnerabilities PLACE'."

function toRecord(row: store.VulnerabilityRow): AdvisoryRecord {
  return {
    id: row.externalId,
    aliases: row.ids.slice(1),
    summary: row.summary,
    details: row.details,
    severity: severityName(row.severity),
    cvssVector: row.vector,
    cvssScore: row.score,
    cwes: row.cwes,
    links: row.links,
    publishedAt: row.publishedAt.toISOString(),
    modifiedAt: row.modifiedAt.toISOString(),
    withdrawnAt: row.withdrawnAt?.toISOString() ?? null,
    listed: row.listed,
    affected: row.packages.map(toAffected),
  }
}

function toAffected({ ecosystem, name, ranges, versions }: OsvPackage): AdvisoryRecord['affected'][number] {
  const shown = ranges.map(({ type, events }) => ({
    type,
    events: events.map(({ introduced = '', fixed = '', last_affected: lastAffected = '', limit = '' }) => {
      return { introduced, fixed, lastAffected, limit }
    }),
  }))
  return { ecosystem, name, ranges: shown, versions }
}
