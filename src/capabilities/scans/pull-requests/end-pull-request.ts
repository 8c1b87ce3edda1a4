import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { EndPullRequest } from '../../findings/public.ts'
import { lockNamed, unknownRepositories } from '../../repositories/public.ts'
import { requireOwnPullRequest } from '../bound-scan.ts'
import type { EndedPullRequest } from '../contract.ts'
import type { ScanRequest } from '../reading/scan-request.ts'
import { isScanned } from './pull-request-store.ts'

type Outcome = { endedFindings: number; known: boolean }

/** Takes the word of a program that a pull request is over. */
export function createPullRequestEnd(db: Database, end: EndPullRequest) {
  return function endPullRequest(actor: Actor, ended: EndedPullRequest): Promise<Outcome> {
    requireOwnPullRequest(actor, ended)
    const { repository: name, pullRequest, merged = false } = ended
    return db.transaction(actor, async (tx) => {
      const repository = await lockNamed(tx, actor, name)
      if (!repository) throw new Fault('unknown_repository', unknownRepositories([name]))
      const why = `The pull request was ${merged ? 'merged' : 'closed'}.`
      const [endedFindings, known] = await Promise.all([
        end(tx, { repositoryId: repository.id, pullRequest, why, scanId: 0 }),
        isScanned(tx, repository.id, pullRequest),
      ])
      const detail = { pullRequest, merged, endedFindings }
      tx.audit({ action: 'pull-request.end', target: `repository:${repository.id}`, detail })
      return { endedFindings, known: known || endedFindings > 0 }
    })
  }
}

/** Whether it says so itself; else its commit alone tells. */
export function namesMerges({ parents, mergedPullRequests }: ScanRequest): boolean {
  return parents.length + mergedPullRequests.length > 0
}

/** What a full scan says about what its commit has brought into the ref. */
export function mergeOf({ ref, commit, parents, mergedPullRequests }: ScanRequest, repositoryId: number) {
  const commits = [commit, ...parents].filter((one) => one !== '')
  return { repositoryId, ref, commits, pullRequests: mergedPullRequests }
}
