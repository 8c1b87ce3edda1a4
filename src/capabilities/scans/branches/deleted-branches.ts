import type { Transaction } from '../../../kernel/database/database.ts'
import { type EndBranch, standingBranches } from '../../findings/public.ts'

type Told = {
  repository: { id: number; defaultBranch: string }
  refs: readonly string[]
  /** What the audit log says of who told it. */
  by: Record<string, number>
}

/**
 * Takes the word of a code host that branches were deleted. It is told of all there are: those that were never scanned, or are over,
 * are not worth a word. The default branch does not end, whatever is said.
 */
export async function endDeletedBranches(
  tx: Transaction,
  end: EndBranch,
  { repository, refs, by }: Told,
): Promise<void> {
  const { id: repositoryId, defaultBranch } = repository
  for (const ref of await standingBranches(tx, repositoryId, refs)) {
    if (ref === defaultBranch) continue
    const endedFindings = await end(tx, { repositoryId, ref, why: 'The branch was deleted.' })
    tx.audit({ action: 'branch.end', target: `repository:${repositoryId}`, detail: { ref, endedFindings, ...by } })
  }
}
