import type { Transaction } from '../../kernel/database/database.ts'
import type { PackedFindings, ReconcilePacked } from '../findings/public.ts'
import type { ScanFile } from './contract.ts'
import type { FileOutcome } from './receipt.ts'
import type { ScanRequest } from './scan-request.ts'

type Part = { path: string; complete: boolean; packed: PackedFindings }
type Tallies = Map<string, ScanFile['findings']>

/** What became of the findings, by the path of their file, and which are new or back again. */
export type RecordedFindings = { tallies: Tallies; newIds: number[] }

/** Records the findings of an upload, tool by tool. */
export async function recordFindings(
  tx: Transaction,
  reconcile: ReconcilePacked,
  about: { request: ScanRequest; repositoryId: number; scanId: number },
  outcomes: readonly FileOutcome[],
): Promise<RecordedFindings> {
  const { request, repositoryId, scanId } = about
  const { ref, pullRequest, performedAt: at } = request
  const tallies: Tallies = new Map()
  const newIds: number[] = []
  for (const [source, parts] of partsBySource(outcomes)) {
    const complete = parts.every((part) => part.complete)
    // A tool that failed and found nothing says nothing.
    if (!complete && parts.every((part) => part.packed.count === 0)) {
      for (const { path } of parts) add(tallies, path, { complete })
      continue
    }
    const observation = { repositoryId, ref, pullRequest, source, scanId, at, complete }
    const result = await reconcile(
      tx,
      observation,
      parts.map((part) => part.packed),
    )
    for (const id of result.newIds) newIds.push(id)
    parts.forEach(({ path, packed }, at) => {
      const { raised, reopened } = result.parts[at]!
      const fixed = at === parts.length - 1 ? result.fixed : 0
      add(tallies, path, { total: packed.count, raised, reopened, fixed, complete })
    })
  }
  return { tallies, newIds }
}

/** In one order everywhere: two uploads that bring the same new rules wait for each other at most, and never in a circle. */
function partsBySource(outcomes: readonly FileOutcome[]): [source: string, parts: Part[]][] {
  const sources = new Map<string, Part[]>()
  for (const { file, reading } of outcomes) {
    for (const { source, complete, packed } of reading?.findings ?? []) {
      const parts = sources.get(source) ?? []
      sources.set(source, [...parts, { path: file.path, complete, packed }])
    }
  }
  return [...sources].sort(([a], [b]) => (a < b ? -1 : 1))
}

function add(tallies: Tallies, path: string, more: Partial<ScanFile['findings']>): void {
  const { total = 0, raised = 0, reopened = 0, fixed = 0, complete = true } = more
  const sum = tallies.get(path) ?? { total: 0, raised: 0, reopened: 0, fixed: 0, complete: true }
  tallies.set(path, {
    total: sum.total + total,
    raised: sum.raised + raised,
    reopened: sum.reopened + reopened,
    fixed: sum.fixed + fixed,
    complete: sum.complete && complete,
  })
}
