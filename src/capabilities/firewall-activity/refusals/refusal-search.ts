import { ecosystems } from '../../../ecosystems/registry.ts'
import { type Actor, doneEachTime } from '../../../kernel/access/actor.ts'
import type { Download } from '../../../kernel/contract/api.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import { cutPageBy } from '../../../kernel/contract/pagination.ts'
import { readSearchCursor } from '../../../kernel/contract/search-cursor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { CursorSeal } from '../../../vault/cursor-seal.ts'
import { seesPackageClients } from '../../repositories/public.ts'
import { refusedPeople } from './people-store.ts'
import type { RefusalQuestion } from './refusal-condition.ts'
import type { RefusalEvent, RefusalFilter, RefusalSearch, RefusedPerson } from './refusal-contract.ts'
import { type Position, type RefusalRow, readRefusals, searchRefusals } from './refusal-store.ts'

export type RefusalRecord = ReturnType<typeof createRefusalRecord>

type Written = [at: number, id: number]

const ofAnotherSearch = { detail: 'was not issued for this search', boundTo: 'deployment or filter' }
const defaultSize = 50
const exportedAtOnce = 1_000
const mostPeople = 100

/** Who was refused what, and why. */
export function createRefusalRecord({ db, cursors }: { db: Database; cursors: CursorSeal }) {
  async function search(actor: Actor, { filter = {}, pageSize = defaultSize, cursor }: RefusalSearch) {
    const question = await questionOf(actor, filter)
    const binding = [actor.deploymentId, 'firewall-events', filter]
    const written = readSearchCursor<Written>(cursors, binding, cursor, ofAnotherSearch)
    const after = written && { at: new Date(written[0]), id: written[1] }
    const rows = await searchRefusals(db.as(actor), question, after, pageSize + 1)
    const { rows: shown, ...page } = cutPageBy(rows, { size: pageSize }, ({ at, id }) =>
      cursors.write(binding, [at.getTime(), id] satisfies Written),
    )
    return { events: shown.map(shownEvent), ...page }
  }

  async function exportAll(actor: Actor, filter: RefusalFilter = {}): Promise<Download> {
    const question = await questionOf(actor, filter)
    await db.transaction(doneEachTime(actor), async (tx) =>
      tx.audit({ action: 'firewall-events.export', target: 'firewall-events', detail: { filter } }),
    )
    return { mediaType: 'application/x-ndjson', fileName: 'firewall-events.ndjson', pieces: lines(actor, question) }
  }

  async function people(actor: Actor, filter: RefusalFilter = {}): Promise<{ people: RefusedPerson[] }> {
    const rows = await refusedPeople(db.as(actor), await questionOf(actor, filter), mostPeople)
    return { people: rows.map(({ lastAt, ...row }) => ({ ...row, lastAt: lastAt.toISOString() })) }
  }

  async function* lines(actor: Actor, question: RefusalQuestion): AsyncGenerator<string> {
    let after: Position | undefined
    for (;;) {
      const rows = await readRefusals(db.as(actor), question, after, exportedAtOnce)
      for (const row of rows) yield `${JSON.stringify(shownEvent(row))}\n`
      after = rows.at(-1)
      if (rows.length < exportedAtOnce) return
    }
  }

  /** Whoever does not see everybody's clients sees their own. */
  async function questionOf(actor: Actor, { package: sent, since, until, ...filter }: RefusalFilter) {
    const period = { since: since ? new Date(since) : undefined, until: until ? new Date(until) : undefined }
    if (period.since && period.until && period.since > period.until) throw reversed()
    const question: RefusalQuestion = {
      ...filter,
      ...period,
      name: sent === undefined ? undefined : nameOf(sent, filter),
    }
    if (await seesPackageClients(db.as(actor), actor)) return question
    const others = question.personIds?.some((id) => id !== actor.personId) ?? false
    return { ...question, personIds: others ? [] : [actor.personId] }
  }

  return { search, exportAll, people }
}

/** By the rules of its ecosystem, where one is asked for. */
function nameOf(sent: string, { ecosystems: asked }: Pick<RefusalFilter, 'ecosystems'>): RefusalQuestion['name'] {
  const ecosystem = asked?.length === 1 ? ecosystems[asked[0]!] : undefined
  const isStart = sent.endsWith('*')
  const bare = isStart ? sent.slice(0, -1) : sent
  const name = ecosystem?.normalizeName(bare) ?? bare.trim()
  return isStart ? { starts: [name] } : { exact: name }
}

function shownEvent({ at, ...row }: RefusalRow): RefusalEvent {
  return { ...row, at: at.toISOString() }
}

function reversed(): Fault {
  const errors = [{ pointer: '/filter/until', detail: 'is before since' }]
  return new Fault('unprocessable', 'The period ends before it begins.', { errors })
}
