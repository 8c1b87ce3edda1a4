import { type Actor, seesEverything } from '../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import type { NewView, Preferences, SavedView, ViewChanges } from './contract.ts'
import * as store from './store.ts'

const mostOwn = 100
const mostShared = 300

export type Views = ReturnType<typeof createViews>

/** Questions people ask again, and how they want the console to look. */
export function createViews(db: Database) {
  async function list(actor: Actor, page: string | undefined): Promise<SavedView[]> {
    return (await store.list(db.as(actor), actor, page)).map(toView)
  }

  async function get(actor: Actor, id: number): Promise<SavedView> {
    const view = await store.find(db.as(actor), actor, id)
    if (!view) throw noView(id)
    return toView(view)
  }

  function create(actor: Actor, view: NewView): Promise<SavedView> {
    return db.transaction(actor, async (tx) => {
      requireSharing(actor, view)
      await store.holdViews(tx)
      const { own, shared } = await store.countViews(tx, actor)
      if (own >= mostOwn) throw new Fault('conflict', `You have ${mostOwn} views already; delete one first.`)
      if (view.shared) requireRoomFor(shared)
      await requireName(tx, actor.personId, view.page, view, 0)
      const made = await store.insert(tx, view)
      tx.audit({ action: 'view.create', target: `view:${made.id}`, detail: { name: view.name, shared: view.shared } })
      return toView(made)
    })
  }

  function replace(actor: Actor, id: number, changes: ViewChanges): Promise<SavedView> {
    return db.transaction(actor, async (tx) => {
      await store.holdViews(tx)
      const view = await changeable(tx, actor, id)
      if (changes.shared !== view.shared) requireSharing(actor, changes)
      if (changes.shared && !view.shared) requireRoomFor((await store.countViews(tx, actor)).shared)
      await requireName(tx, view.owner_id, view.page, changes, id)
      const changed = await store.update(tx, id, changes)
      tx.audit({ action: 'view.replace', target: `view:${id}`, detail: { name: changes.name, shared: changes.shared } })
      return toView(changed)
    })
  }

  function remove(actor: Actor, id: number): Promise<SavedView> {
    return db.transaction(actor, async (tx) => {
      const view = await changeable(tx, actor, id)
      await store.remove(tx, id)
      tx.audit({ action: 'view.delete', target: `view:${id}`, detail: { name: view.name, shared: view.shared } })
      return toView(view)
    })
  }

  async function preferences(actor: Actor): Promise<Preferences> {
    return toPreferences(await store.findPreferences(db.as(actor), actor.personId))
  }

  function replacePreferences(actor: Actor, content: Preferences): Promise<Preferences> {
    return db.transaction(actor, async (tx) => {
      const { version } = await store.findPreferences(tx, actor.personId, true)
      requireVersion(actor, version)
      return toPreferences(await store.savePreferences(tx, content))
    })
  }

  return { list, get, create, replace, remove, preferences, replacePreferences }
}

async function changeable(tx: Transaction, actor: Actor, id: number): Promise<store.ViewRow> {
  const view = await store.lock(tx, actor, id)
  if (!view) throw noView(id)
  if (view.owner_id !== actor.personId && !seesEverything(actor))
    throw new Fault('forbidden', 'Only the person who made a shared view, an owner or an admin may change it.')
  requireVersion(actor, view.version)
  return view
}

function requireRoomFor(shared: number): void {
  if (shared >= mostShared) throw new Fault('conflict', `${mostShared} views are shared already; delete one first.`)
}

function noView(id: number): Fault {
  return new Fault('not_found', `No view ${id}.`)
}

function requireSharing(actor: Actor, { shared }: { shared: boolean }): void {
  if (shared && actor.role === 'readonly') throw new Fault('forbidden', 'Sharing a view takes the role member.')
}

async function requireName(
  tx: Transaction,
  ownerId: number,
  page: string,
  { name, shared }: ViewChanges | NewView,
  not: number,
): Promise<void> {
  if (!(await store.hasNamesake(tx, { ownerId, page, name, shared, not }))) return
  throw new Fault('conflict', `There is a ${shared ? 'shared view' : 'view of yours'} of that name already.`)
}

function toView(row: store.ViewRow): SavedView {
  const view: SavedView = {
    id: String(row.id),
    page: row.page,
    name: row.name,
    search: row.search,
    shared: row.shared,
    ownerId: String(row.owner_id),
    ownerName: row.owner_name,
    createdAt: row.created_at.toISOString(),
  }
  return withVersion(view, row.version)
}

function toPreferences({ content, version }: store.PreferenceRow): Preferences {
  return withVersion({ ...content }, version)
}
