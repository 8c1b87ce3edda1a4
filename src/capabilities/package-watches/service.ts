import { findEcosystem } from '../../ecosystems/registry.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import { mostWatches, type Watch, type WatchQuery, type WatchWithNews } from './contract.ts'
import { type KnownNow, packageKey, readKnown, type WatchedFirewall } from './known.ts'
import { isNews, newsSince } from './news.ts'
import * as store from './store.ts'

export type PackageWatches = ReturnType<typeof createPackageWatches>

const nothing: KnownNow = {
  repositories: [],
  repositoryIds: [],
  versions: [],
  vulnerabilityIds: [],
  isKeptOut: false,
}

/** Packages that people want to hear about: who began to use them, in which versions, and what became known. */
export function createPackageWatches(db: Database, firewall: WatchedFirewall) {
  async function list(actor: Actor, filter: WatchQuery = {}): Promise<WatchWithNews[]> {
    const tenant = db.as(actor)
    const rows = (await store.list(tenant, actor.personId)).filter((row) => isWanted(row, filter))
    const known = await readKnown(tenant, actor, rows, firewall)
    const mayReadFirewall = actor.permissions.has('firewall:read')
    return rows
      .map((row) => {
        const now = known.get(packageKey(row)) ?? nothing
        const news = newsSince(seenBy(row, mayReadFirewall), now)
        return { ...toWatch(row), repositoryCount: now.repositoryIds.length, hasNews: isNews(news), news }
      })
      .sort((a, b) => Number(b.hasNews) - Number(a.hasNews))
  }

  async function countNews(actor: Actor): Promise<number> {
    return (await list(actor)).filter(({ hasNews }) => hasNews).length
  }

  async function watch(actor: Actor, ecosystem: string, shownName: string): Promise<Watch> {
    const own = { ...normalised(ecosystem, shownName), shownName }
    const known = (await readKnown(db.as(actor), actor, [own], firewall)).get(packageKey(own)) ?? nothing
    return db.transaction(actor, async (tx) => {
      await store.lockWatches(tx)
      const others = (await store.list(tx, actor.personId)).filter((each) => packageKey(each) !== packageKey(own))
      if (others.length >= mostWatches)
        throw new Fault('conflict', `You watch ${mostWatches} packages already; stop watching one first.`)
      return toWatch(await store.save(tx, own, known))
    })
  }

  function unwatch(actor: Actor, ecosystem: string, name: string): Promise<Watch> {
    const own = normalised(ecosystem, name)
    return db.transaction(actor, async (tx) => {
      const removed = await store.remove(tx, own.ecosystem, own.name)
      if (!removed) throw new Fault('not_found', `You do not watch a package '${name}' of ${ecosystem}.`)
      return toWatch(removed)
    })
  }

  return { list, countNews, watch, unwatch }
}

function isWanted(row: store.WatchRow, { ecosystem, name }: WatchQuery): boolean {
  const rules = findEcosystem(row.ecosystem)!
  if (ecosystem !== undefined && findEcosystem(ecosystem) !== rules) return false
  return name === undefined || rules.normalizeName(name) === row.name
}

/** Whoever may not read the firewall is not told by a difference either. */
function seenBy(row: store.WatchRow, mayReadFirewall: boolean): store.Known {
  return {
    repositoryIds: row.seen_repositories,
    versions: row.seen_versions,
    vulnerabilityIds: row.seen_vulnerabilities,
    isKeptOut: mayReadFirewall && row.seen_kept_out,
  }
}

function normalised(ecosystem: string, name: string) {
  const rules = findEcosystem(ecosystem)
  if (!rules) throw new Fault('unprocessable', `Packages of ${ecosystem} cannot be watched.`)
  return { ecosystem: rules.id, name: rules.normalizeName(name) }
}

function toWatch(row: store.WatchedRow): Watch {
  return {
    ecosystem: row.ecosystem,
    name: row.shown_name,
    createdAt: row.created_at.toISOString(),
    seenAt: row.seen_at.toISOString(),
  }
}
