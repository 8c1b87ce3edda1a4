import { hash } from 'node:crypto'
import { type Actor, systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import type { JobHandler } from '../../../kernel/jobs/job.ts'
import { enqueue } from '../../../kernel/jobs/outbox.ts'
import type { WhenDecided } from '../../findings/public.ts'
import { withIds } from '../../repositories/public.ts'
import { replay } from '../applying/replay.ts'
import type { Scope } from '../scope.ts'
import { toMemory } from '../show.ts'
import * as store from '../store.ts'
import { allCovered, listIgnored, repositoriesWith } from './suggest-store.ts'
import { type Suggestion, suggestible } from './suggestible.ts'

const kind = 'memories.suggest'
const mostDecisions = 50_000
const reasons: Record<number, string> = {
  1: 'are false positives',
  2: 'are an acceptable risk',
  3: 'are not worth the time',
}

/** Turns what several people have decided alike into suggestions. What was suggested before is kept up to date, never doubled. */
export function createSuggestions(db: Database) {
  async function suggest(actor: Actor, repositoryIds: readonly number[] | undefined) {
    const ignored = await listIgnored(db.as(actor), actor, repositoryIds, mostDecisions)
    for (const [repositoryId, some] of Map.groupBy(ignored, (one) => one.repositoryId)) {
      const suggestions = await suggestible(some)
      if (suggestions.length > 0) await db.transaction(actor, (tx) => keepAll(tx, repositoryId, suggestions))
    }
    const rows = await store.listSuggested(db.as(actor), actor, repositoryIds)
    return { memories: rows.map((row) => toMemory(actor, row)) }
  }

  const handler: JobHandler = {
    kind,
    async run(job) {
      const { repositoryIds } = job.payload as { repositoryIds: number[] }
      await suggest(systemActor(job.deploymentId, `${kind}:${job.id}`), repositoryIds)
    },
  }

  return { suggest, handler }
}

/** People have ignored findings for a reason: a job will look whether that makes a suggestion. */
export const lookForSuggestions: WhenDecided = async (tx, { findingIds, triageState, triageReason }) => {
  if (!triageState.endsWith('IGNORED') || !triageReason || findingIds.length === 0) return
  const repositoryIds = await repositoriesWith(tx, findingIds)
  await enqueue(tx, { kind, payload: { repositoryIds } })
}

async function keepAll(tx: Transaction, repositoryId: number, suggestions: readonly Suggestion[]): Promise<void> {
  // It may have been deleted meanwhile.
  if ((await withIds(tx, tx.actor, [repositoryId])).size === 0) return
  // In one order everywhere, so that two who suggest the same wait for each other and not in a circle.
  const keyed = suggestions.map((suggestion) => ({ key: keyOf(repositoryId, suggestion), suggestion }))
  for (const { key, suggestion } of keyed.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    await keep(tx, repositoryId, key, suggestion)
  }
}

async function keep(tx: Transaction, repositoryId: number, key: string, suggestion: Suggestion): Promise<void> {
  const known = await store.lockSuggestion(tx, key)
  if (known && known.stage !== store.stages.suggested) return
  const { rule, pathPrefix, sources } = suggestion
  if (known) return void (await store.setSources(tx, known.id, sources))
  const findingIds = sources.map((source) => Number(source.sampleIssueId))
  if (await allCovered(tx, findingIds)) return
  const scope: Scope = { rule, repositoryId, tagId: null, pathPrefixes: [pathPrefix], vulnerabilityClass: '' }
  const content = contentOf(suggestion)
  const row = { ...scope, content, contexts: ['triage'], createdBy: 0, sources, suggestionKey: key }
  const id = await store.insert(tx, row)
  if (id === undefined) return
  await store.setCounts(tx, id, await replay(tx, id, scope))
  tx.audit({ action: 'memory.suggest', target: `memory:${id}`, detail: { repositoryId, rule, pathPrefix } })
}

function keyOf(repositoryId: number, { rule, reason, pathPrefix }: Suggestion): string {
  return hash('sha256', JSON.stringify([repositoryId, rule, reason, pathPrefix]), 'base64url')
}

function contentOf({ rule, reason, pathPrefix, people, sources }: Suggestion): string {
  const said = sources.find(({ note }) => note.trim() !== '')?.note.trim()
  const summary = `Findings of ${rule} in ${pathPrefix} ${reasons[reason]}: ${people} people have ignored some for that reason.`
  return said ? `${summary} One of them said: ${said}` : summary
}
