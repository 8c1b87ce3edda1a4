import type { Actor } from '../../kernel/access/actor.ts'
import type { Permission } from '../../kernel/access/permission.ts'
import type { Api } from '../../kernel/contract/api.ts'
import type { Database } from '../../kernel/database/database.ts'
import { findByPrefix } from '../inventory/public.ts'
import { type SearchGroup, type SearchHit, type SearchKind, type SearchQuery, search, searchKinds } from './contract.ts'
import * as store from './store.ts'

const usualMs = 50

/** Findings have a search of their own, which finds them by words. */
export type FindFindings = (actor: Actor, text: string) => Promise<SearchHit[]>
type Source = { needs: Permission; find(actor: Actor, text: string): Promise<SearchHit[]> }

export function searchRoutes(api: Api, db: Database, findings: FindFindings): void {
  const sources: Record<SearchKind, Source> = {
    repositories: { needs: 'repositories:read', find: (actor, text) => store.repositories(db.as(actor), actor, text) },
    packages: {
      needs: 'dependencies:read',
      find: (actor, text) => findByPrefix(db.as(actor), actor, text, store.most),
    },
    vulnerabilities: {
      needs: 'dependencies:read',
      find: (actor, text) => store.vulnerabilities(db.as(actor), actor, text),
    },
    findings: { needs: 'findings:read', find: findings },
    rules: { needs: 'findings:read', find: (actor, text) => store.rules(db.as(actor), actor, text) },
    people: { needs: 'people:read', find: (actor, text) => store.people(db.as(actor), text) },
  }
  api.serve(search, ({ actor, query }) => searchAll(sources, actor, query))
}

async function searchAll(sources: Record<SearchKind, Source>, actor: Actor, query: SearchQuery) {
  const text = query.q.trim()
  const allowed = searchKinds.filter((kind) => actor.permissions.has(sources[kind].needs))
  const { promise: over, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(resolve, query.withinMs ?? usualMs, 'late')
  const found = await Promise.all(
    allowed.map(async (kind) => ({ kind, hits: await Promise.race([sources[kind].find(actor, text), over]) })),
  ).finally(() => clearTimeout(timer))
  const groups: SearchGroup[] = []
  const late: SearchKind[] = []
  for (const { kind, hits } of found) {
    if (hits === 'late') late.push(kind)
    else if (hits.length > 0) groups.push({ kind, hits })
  }
  return { groups, late }
}
