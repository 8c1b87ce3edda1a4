import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Api } from '../../../kernel/contract/api.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import { cutPage, pageRequest } from '../../../kernel/contract/pagination.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { branchesOf, type EndBranch } from '../../findings/public.ts'
import { lockNamed, unknownRepositories, visibleTo } from '../../repositories/public.ts'
import { requireOwnDefaultBranch } from '../bound-scan.ts'
import { branchOf } from '../reading/scan-request.ts'
import { type EndedBranch, endBranch, listBranches, type ScannedBranch } from './branch-contract.ts'

type BranchRow = { id: number; ref: string; is_default: boolean; over: boolean; open: number; at: Date }

export function branchRoutes(api: Api, db: Database, end: EndBranch): void {
  api.serve(listBranches, async ({ actor, query }) => {
    const page = pageRequest(query)
    const { rows, ...rest } = cutPage(await list(db, actor, query.repositoryId, page), page)
    return { branches: rows.map(toBranch), ...rest }
  })
  api.serve(endBranch, ({ actor, body }) => endNamed(db, end, actor, body))
}

function list(db: Database, actor: Actor, repositoryId: number, page: { after: number; size: number }) {
  const repository = sql`select r.id, r.default_branch from repository r where r.deployment_id = ${actor.deploymentId}
    and r.id = ${repositoryId} and ${visibleTo(actor, sql`r.id`)}`
  return db.as(actor).query<BranchRow>(sql`${branchesOf(actor.deploymentId, repository, page)}`)
}

/** Takes the word of a person or a program that a branch is no longer there. */
function endNamed(db: Database, end: EndBranch, actor: Actor, ended: EndedBranch): Promise<{ endedFindings: number }> {
  const name = ended.repository
  const ref = branchOf(ended.ref)
  return db.transaction(actor, async (tx) => {
    const repository = await lockNamed(tx, actor, name)
    if (!repository) throw new Fault('unknown_repository', unknownRepositories([name]))
    requireOwnDefaultBranch(actor, name, repository.defaultBranch)
    if (ref === repository.defaultBranch) {
      const detail = 'is the default branch: name another one in the settings of the repository first'
      throw new Fault('validation_failed', 'The default branch cannot end.', { errors: [{ pointer: '/ref', detail }] })
    }
    const endedFindings = await end(tx, { repositoryId: repository.id, ref, why: 'The branch was deleted.' })
    tx.audit({ action: 'branch.end', target: `repository:${repository.id}`, detail: { ref, endedFindings } })
    return { endedFindings }
  })
}

function toBranch({ ref, is_default, over, open, at }: BranchRow): ScannedBranch {
  return { ref, isDefault: is_default, over, openFindings: open, lastScanAt: at.toISOString() }
}
