import type { Actor } from '../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database, Queryable, Transaction } from '../../kernel/database/database.ts'
import { withFreeSlug } from '../../kernel/database/free-slug.ts'
import { named } from '../repositories/public.ts'
import type { NewRuleboard, Ruleboard, RuleboardOverview, RuleboardType, TypedRuleboard } from './contract.ts'
import * as store from './store.ts'

export type RuleboardService = ReturnType<typeof createRuleboardService>

/**
 * Boards only ever add: a repository may be claimed by several boards, and then all of them apply. Assigning it to one
 * never takes it away from another behind the back of whoever looks after that one. The default board of a type applies
 * where no other board of the type claims the repository, and to those assigned to it by name.
 */
export function createRuleboardService(db: Database) {
  async function list(actor: Actor, type: RuleboardType | 'RULEBOARD_TYPE_UNSPECIFIED' | undefined) {
    const wanted = type === 'RULEBOARD_TYPE_UNSPECIFIED' ? undefined : type
    return (await store.list(db.as(actor), actor, wanted)).map(toListed)
  }

  async function get(actor: Actor, slug: string): Promise<TypedRuleboard> {
    const row = await find(db.as(actor), actor, slug)
    return withVersion({ ...toListed(row), type: row.type }, row.version)
  }

  function create(actor: Actor, board: NewRuleboard): Promise<Ruleboard> {
    return db.transaction(actor, async (tx) => {
      const repositories = await named(tx, actor, board.assigned_repos ?? [], pointer)
      const inserted = await withFreeSlug(board.name, 'board', async (slug) => {
        const id = await store.insert(tx, { name: board.name, type: board.type, slug, isDefault: false })
        return id === undefined ? undefined : { id, slug }
      })
      await store.assign(tx, inserted.id, idsOf(repositories))
      tx.audit({ action: 'ruleboard.create', target: `ruleboard:${inserted.id}`, detail: auditDetail(board) })
      return toRuleboard(await find(tx, actor, inserted.slug))
    })
  }

  function update(actor: Actor, slug: string, to: RuleboardOverview): Promise<Ruleboard> {
    return db.transaction(actor, async (tx) => {
      const board = await lock(tx, slug)
      requireVersion(actor, board.version)
      const repositories = await named(tx, actor, to.assigned_repos, pointer)
      await store.rename(tx, board.id, to.name)
      await store.assign(tx, board.id, idsOf(repositories))
      tx.audit({ action: 'ruleboard.update', target: `ruleboard:${board.id}`, detail: auditDetail(to) })
      return toRuleboard(await find(tx, actor, slug))
    })
  }

  function remove(actor: Actor, slug: string): Promise<Ruleboard> {
    return db.transaction(actor, async (tx) => {
      const board = await lock(tx, slug)
      requireVersion(actor, board.version)
      if (board.is_default) throw new Fault('conflict', `'${board.name}' is a default board and cannot be deleted.`)
      await store.remove(tx, board.id)
      tx.audit({ action: 'ruleboard.delete', target: `ruleboard:${board.id}`, detail: { name: board.name, slug } })
      return toRuleboard(board)
    })
  }

  /** Which boards would apply to whom, if the board had these repositories. */
  function attempt(actor: Actor, slug: string, names: readonly string[]) {
    return db.transaction(actor, async (tx) => {
      const board = await find(tx, actor, slug)
      const wanted = new Set((await named(tx, actor, names, pointer)).map(({ name }) => name))
      const concerned = [...new Set([...(board.assigned ?? []), ...wanted])].sort()
      const claims = Map.groupBy(await store.listClaims(tx, actor, board.type, concerned), (each) => each.repository)
      const otherwise = await store.getDefault(tx, board.type)
      return concerned.flatMap((repository) => {
        const all = claims.get(repository) ?? []
        const others = all.filter(({ boardId }) => boardId !== board.id)
        const before = applying(all, otherwise)
        const after = applying(
          wanted.has(repository) ? [...others, { boardId: board.id, ...board }] : others,
          otherwise,
        )
        return before.join('\n') === after.join('\n') ? [] : [{ repository, before, after }]
      })
    })
  }

  return { list, get, create, update, remove, attempt }
}

/** The default boards that every new deployment has. */
export async function provisionRuleboards(tx: Transaction): Promise<void> {
  const boards = [
    { name: 'Code', slug: 'code', type: 'RULEBOARD_TYPE_SAST', isDefault: true },
    { name: 'Secrets', slug: 'secrets', type: 'RULEBOARD_TYPE_SECRETS', isDefault: true },
  ] as const
  for (const board of boards) {
    const id = await store.insert(tx, board)
    tx.audit({ action: 'ruleboard.create', target: `ruleboard:${id}`, detail: { name: board.name, type: board.type } })
  }
}

/** The names of the boards that apply to a repository: those that claim it, oldest first; the default one where none does. */
function applying(boards: readonly { boardId: number; name: string }[], otherwise: { name: string }): string[] {
  const claiming = boards.toSorted((a, b) => a.boardId - b.boardId).map(({ name }) => name)
  return claiming.length > 0 ? claiming : [otherwise.name]
}

/** Locked first and read second, so that what is read is what the former holder of the lock left. */
async function lock(tx: Transaction, slug: string): Promise<store.RuleboardRow> {
  if (!(await store.lock(tx, slug))) throw notFound(slug)
  return find(tx, tx.actor, slug)
}

async function find(db: Queryable, actor: Actor, slug: string): Promise<store.RuleboardRow> {
  const row = await store.find(db, actor, slug)
  if (!row) throw notFound(slug)
  return row
}

function notFound(slug: string): Fault {
  return new Fault('not_found', `No ruleboard '${slug}'.`)
}

function pointer(index: number): string {
  return `/assigned_repos/${index}`
}

/** How many, not which: ten thousand names would bloat the log, and repositories come and go. */
function auditDetail(board: { name: string; assigned_repos?: string[] }) {
  return { name: board.name, repositories: board.assigned_repos?.length ?? 0 }
}

function idsOf(rows: { id: number }[]): number[] {
  return rows.map((row) => row.id)
}

function toRuleboard(row: store.RuleboardRow): Ruleboard {
  return withVersion(toListed(row), row.version)
}

function toListed(row: store.ListedRow): Ruleboard {
  return { name: row.name, slug: row.slug, default: row.is_default, assigned_repos: row.assigned ?? [] }
}
