import type { Transaction } from '../../../kernel/database/database.ts'
import { inStep } from '../../../kernel/database/in-step.ts'
import { openStream, type PackedFindings, type ReconcilePacked } from '../../findings/public.ts'
import type { ScanFile } from '../contract.ts'
import { isUsable, mayHaveFindings } from '../reading/read-file.ts'
import { type Completeness, isInPart, type ScanRequest } from '../reading/scan-request.ts'
import { type FileOutcome, noFindings } from './receipt.ts'

type Part = { path: string; complete: boolean; unsearched: readonly string[]; packed: PackedFindings }
type Told = { source: string; parts: Part[]; complete: boolean }
type Tallies = Map<string, ScanFile['findings']>

/** The source of a log without a run, which names no tool. */
const noTool = 'sarif:'

/** What became of the findings, by the path of their file, and which are new or back again. */
export type RecordedFindings = {
  tallies: Tallies
  newIds: number[]
  /** Sources that have told nothing of the base of the pull request yet. */
  notCompared: string[]
}

/** Records the findings of an upload, of all its tools side by side. */
export async function recordFindings(
  tx: Transaction,
  reconcile: ReconcilePacked,
  about: { request: ScanRequest; repositoryId: number; scanId: number; raiseUnknown: boolean; outside: boolean },
  outcomes: readonly FileOutcome[],
): Promise<RecordedFindings> {
  const { request, repositoryId, scanId, raiseUnknown, outside } = about
  const { ref, pullRequest, baseRef, performedAt: at, scope } = request
  const base = pullRequest > 0 ? { has: { ref: baseRef }, raiseUnknown } : undefined
  const tallies: Tallies = new Map()
  const told: Told[] = []
  let silent: string | undefined
  const allRead = outcomes.every(isReadOrApart)
  for (const [source, parts] of partsBySource(outcomes)) {
    const complete = allRead && scope.closes && parts.every((part) => part.complete)
    // A tool that failed and found nothing says nothing.
    if (complete || parts.some((part) => part.packed.count > 0)) told.push({ source, parts, complete })
    else {
      silent = source
      for (const { path } of parts) add(tallies, path, { complete })
    }
  }
  const place = { repositoryId, ref, pullRequest, base, scanId, at, ends: scope.ends }
  const looked = coversOf(request, outside)
  const results = await inStep(
    tx,
    told.map(({ source, parts, complete }) => (tx: Transaction) => {
      const packed = parts.map((part) => part.packed)
      const covers = withoutUnsearched(looked, parts)
      return reconcile(tx, { ...place, source, complete, covers }, packed)
    }),
  )
  if (pullRequest > 0 && told.length === 0 && outcomes.some(({ reading }) => reading?.findings)) {
    // Without a stream nobody could tell that the pull request was scanned and is not over.
    await openStream(tx, { ...place, source: silent ?? noTool, complete: false })
  }
  const newIds: number[] = []
  const notCompared: string[] = []
  for (const [at, { source, parts, complete }] of told.entries()) {
    const result = results[at]!
    for (const id of result.newIds) newIds.push(id)
    if (!result.baseKnown) notCompared.push(source)
    parts.forEach(({ path, packed }, at) => {
      const { raised, reopened, inherited, undetermined } = result.parts[at]!
      const fixed = at === parts.length - 1 ? result.fixed : 0
      add(tallies, path, { total: packed.count, raised, reopened, fixed, inherited, undetermined, complete })
    })
  }
  return { tallies, newIds, notCompared }
}

/**
 * Of a part, what lies in it. Where nothing else was ever looked at here, all: a tool that ran in the folder may name its files
 * from there, and what it found would never be fixed.
 */
function coversOf(request: ScanRequest, outside: boolean): Completeness['covers'] {
  return outside ? ({ path }) => isInPart(request, path) : request.scope.covers
}

/** Of a file that a tool could not search to its end nobody knows whether what it found there is gone. */
function withoutUnsearched(looked: Completeness['covers'], parts: readonly Part[]): Completeness['covers'] {
  const unsearched = new Set(parts.flatMap((part) => part.unsearched))
  if (unsearched.size === 0) return looked
  return (finding) => !unsearched.has(finding.path) && (looked?.(finding) ?? true)
}

/** Of a log that cannot be read nobody knows which source it is of, and what it would have told of. */
function isReadOrApart({ file, reading }: FileOutcome): boolean {
  return !reading || isUsable(reading) || !mayHaveFindings(reading, file.path)
}

/** In one order everywhere: two uploads that bring the same new rules wait for each other at most, and never in a circle. */
function partsBySource(outcomes: readonly FileOutcome[]): [source: string, parts: Part[]][] {
  const sources = new Map<string, Part[]>()
  for (const { file, reading } of outcomes) {
    for (const { source, complete, unsearched, packed } of reading?.findings ?? []) {
      const parts = sources.get(source) ?? []
      sources.set(source, [...parts, { path: file.path, complete, unsearched, packed }])
    }
  }
  return [...sources].sort(([a], [b]) => (a < b ? -1 : 1))
}

function add(tallies: Tallies, path: string, more: Partial<ScanFile['findings']>): void {
  const sum = tallies.get(path) ?? noFindings
  tallies.set(path, {
    total: sum.total + (more.total ?? 0),
    raised: sum.raised + (more.raised ?? 0),
    reopened: sum.reopened + (more.reopened ?? 0),
    fixed: sum.fixed + (more.fixed ?? 0),
    inherited: sum.inherited + (more.inherited ?? 0),
    undetermined: sum.undetermined + (more.undetermined ?? 0),
    complete: sum.complete && (more.complete ?? true),
  })
}
