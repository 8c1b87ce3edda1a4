import { type Actor, seesEverything } from '../../kernel/access/actor.ts'
import { requireVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, pageRequest } from '../../kernel/contract/pagination.ts'
import type { Database, Queryable, Transaction } from '../../kernel/database/database.ts'
import { unknownRepositories, withIds } from '../repositories/public.ts'
import { lockMemories, lockRepositories, reapplyMemory, reapplyScope } from './applying/apply-memories.ts'
import { type Counts, replay } from './applying/replay.ts'
import type { MemoryChanges, MemoryFilter, MemoryQuery, NewMemory } from './contract.ts'
import type { Memory, PreanalysisCounts } from './memory.ts'
import { readFields } from './read-fields.ts'
import type { Scope } from './scope.ts'
import { stagesOf, toCounts, toMemory } from './show.ts'
import * as store from './store.ts'
import { stages } from './store.ts'

const mostMemories = 10_000
const mostBytes = 20_000_000
/** What can be ignored within a few minutes, for which nobody else observes or decides anything there. */
const mostFindings = 1_000_000

export function createMemoryService(db: Database) {
  async function listLive(actor: Actor, { repositoryIds = [], exactScope = false }: MemoryFilter) {
    const filter = { repositoryIds: repositoryIds.map(Number), exactScope }
    const rows = await store.listLive(db.as(actor), actor, filter)
    return { memories: rows.map((row) => toMemory(actor, row)) }
  }

  async function list(actor: Actor, query: MemoryQuery) {
    const page = pageRequest(query)
    const { rows, ...rest } = cutPage(await store.list(db.as(actor), actor, stagesOf(query.stage), page), page)
    return { memories: rows.map((row) => toMemory(actor, row)), ...rest }
  }

  async function get(actor: Actor, id: number): Promise<Memory> {
    return toMemory(actor, await found(db.as(actor), actor, id))
  }

  function create(actor: Actor, sent: NewMemory): Promise<Memory> {
    const fields = readFields(sent)
    return db.transaction(actor, async (tx) => {
      await lockMemories(tx)
      await requireScope(tx, actor, fields)
      const sources = sent.suggestionSources?.sources ?? []
      const id = (await store.insert(tx, { ...fields, createdBy: actor.personId, sources, suggestionKey: null }))!
      await requireRoom(tx)
      const live = sent.stage !== 'AI_MEMORY_STAGE_SUGGESTED'
      const counts = live ? await goLive(tx, id, fields) : await replay(tx, id, fields)
      await store.setCounts(tx, id, counts)
      tx.audit({ action: 'memory.create', target: targetOf(id), detail: { live, ...fields, ...counts } })
      return toMemory(actor, await found(tx, actor, id))
    })
  }

  function update(actor: Actor, id: number, changes: MemoryChanges): Promise<Memory> {
    return change(actor, id, async (tx, row) => {
      if (row.stage === stages.deleted) throw deleted(id)
      const fields = readFields(changes, row)
      await requireScope(tx, actor, fields)
      const live = row.stage === stages.live
      if (live) await lockRepositories(tx, [row, fields])
      await store.update(tx, id, fields)
      await requireRoom(tx)
      const counts = await replay(tx, id, fields)
      if (live) {
        requireFeasible(counts)
        counts.newlyTrue = await reapplyMemory(tx, id)
        await reapplyScope(tx, fields)
      }
      await store.setCounts(tx, id, counts)
      tx.audit({ action: 'memory.update', target: targetOf(id), detail: { ...fields, ...counts } })
    })
  }

  function remove(actor: Actor, id: number): Promise<Memory> {
    return change(actor, id, async (tx, row) => {
      if (row.stage === stages.deleted) return
      if (row.stage === stages.live) await lockRepositories(tx, [row])
      await store.setStage(tx, id, stages.deleted)
      const returned = row.stage === stages.live ? await reapplyMemory(tx, id) : 0
      tx.audit({ action: 'memory.delete', target: targetOf(id), detail: { returned } })
    })
  }

  function preanalyze(actor: Actor, id: number): Promise<Memory> {
    return change(actor, id, async (tx, row) => {
      if (row.stage !== stages.suggested) throw new Fault('conflict', `Memory ${id} is not a suggestion any more.`)
      await store.setCounts(tx, id, await replay(tx, id, row))
    })
  }

  /** `announced`: what the caller was told it would do. */
  function promote(actor: Actor, id: number, announced: PreanalysisCounts | undefined): Promise<Memory> {
    return change(actor, id, async (tx, row) => {
      if (row.stage === stages.deleted) throw deleted(id)
      if (row.stage === stages.live) return
      const counts = await goLive(tx, id, row)
      if (announced && !same(announced, toCounts(counts))) {
        const detail = JSON.stringify(toCounts(counts))
        throw new Fault('conflict', `The findings in its scope have changed; now it would be ${detail}.`)
      }
      await store.setCounts(tx, id, counts)
      tx.audit({ action: 'memory.promote', target: targetOf(id), detail: counts })
    })
  }

  function change(actor: Actor, id: number, work: (tx: Transaction, row: store.MemoryRow) => Promise<void>) {
    return db.transaction(actor, async (tx) => {
      await lockMemories(tx)
      const row = await store.lock(tx, actor, id)
      if (!row) throw notFound(id)
      requireVersion(actor, row.version)
      requireReach(actor, row)
      await work(tx, row)
      return toMemory(actor, await found(tx, actor, id))
    })
  }

  return { listLive, list, get, create, update, remove, preanalyze, promote }
}

/** The repositories are held from before the replay, so that what it announces is what is done. */
async function goLive(tx: Transaction, id: number, scope: Scope): Promise<Counts> {
  await lockRepositories(tx, [scope])
  const counts = await replay(tx, id, scope)
  requireFeasible(counts)
  await store.setStage(tx, id, stages.live)
  await reapplyScope(tx, scope)
  return counts
}

/** With what was just written. */
async function requireRoom(tx: Transaction): Promise<void> {
  const { count, bytes } = await store.extent(tx)
  if (count > mostMemories) {
    throw new Fault('unprocessable', `There are ${mostMemories} memories already; delete some first.`)
  }
  if (bytes > mostBytes) {
    throw new Fault(
      'unprocessable',
      `All memories together may have at most ${mostBytes / 1_000_000} MB of text; delete some first.`,
    )
  }
}

function requireFeasible({ newlyFalse }: Counts): void {
  if (newlyFalse <= mostFindings) return
  throw new Fault('unprocessable', `It would ignore ${newlyFalse} findings, more than ${mostFindings}; narrow it down.`)
}

/** What reaches beyond one repository also reaches those that the caller may not see. */
function requireReach(actor: Actor, { repositoryId }: Scope): void {
  if (repositoryId !== null || seesEverything(actor)) return
  throw new Fault('forbidden', 'Only owners and admins change memories that are about more than one repository.')
}

async function requireScope(tx: Transaction, actor: Actor, scope: Scope): Promise<void> {
  const { repositoryId, tagId } = scope
  requireReach(actor, scope)
  if (repositoryId !== null && (await withIds(tx, actor, [repositoryId])).size === 0) {
    const errors = [{ pointer: '/repositoryId', detail: `no repository ${repositoryId}` }]
    throw new Fault('unknown_repository', unknownRepositories([repositoryId]), { errors })
  }
  if (tagId !== null && !(await store.tagExists(tx, tagId))) {
    const errors = [{ pointer: '/projectTagId', detail: `no tag ${tagId}` }]
    throw new Fault('unprocessable', `No tag ${tagId}.`, { errors })
  }
}

async function found(db: Queryable, actor: Actor, id: number): Promise<store.MemoryRow> {
  const row = await store.find(db, actor, id)
  if (!row) throw notFound(id)
  return row
}

function same(a: PreanalysisCounts, b: PreanalysisCounts): boolean {
  return Object.entries(a).every(([name, count]) => BigInt(count) === BigInt(b[name as keyof PreanalysisCounts]))
}

function notFound(id: number): Fault {
  return new Fault('not_found', `No memory ${id}.`)
}

function deleted(id: number): Fault {
  return new Fault('conflict', `Memory ${id} was deleted.`)
}

function targetOf(id: number): string {
  return `memory:${id}`
}
