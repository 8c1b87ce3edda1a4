import { systemActor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { KeyRing } from '../../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../../vault/rotation/sealed-columns.ts'
import type { EndBranch, EndPullRequest } from '../../findings/public.ts'
import { type FoundRepository, lockNamed } from '../../repositories/public.ts'
import { endDeletedBranches } from '../../scans/public.ts'
import * as store from '../store.ts'
import { readDeletedBranch } from './branch-event.ts'
import { readPullRequestEnd } from './pull-request-event.ts'
import { isSignedWith, nobodysSecret, type SignedRequest } from './signature.ts'

type ReceiverOptions = {
  db: Database
  ring: KeyRing
  clock: Clock
  endPullRequest: EndPullRequest
  endBranch: EndBranch
}

/** Takes the events of code hosts: a pull request that was merged or closed there ends here, and so does a deleted branch. */
export function createEventReceiver({ db, ring, clock, endPullRequest, endBranch }: ReceiverOptions) {
  return async (id: number, signed: SignedRequest, event: Record<string, unknown>, requestId: string) => {
    const deploymentId = await store.findDeploymentOf({ query: db.identityQuery }, id)
    const host = deploymentId && (await store.findWebhookSecret(db.as(systemActor(deploymentId, requestId)), id))
    const place = sealedFieldOf(sealedColumns.codeHostWebhookSecret, id)
    const secret = host
      ? (await ring.open(String(deploymentId), host.webhookSecret, place)).toString('utf8')
      : undefined
    const isSigned = isSignedWith(secret ?? nobodysSecret, host ? host.kind : 'github', signed)
    if (!isSigned || !host) {
      throw new Fault('unauthenticated', 'The signature or secret of the webhook is missing or not right.', {
        cause: 'webhook',
      })
    }
    const name = String(signed.headers['x-github-event'] ?? '')
    const end = readPullRequestEnd(host.kind, name, event)
    const deleted = end ? undefined : readDeletedBranch(host.kind, name, event)
    const told = end ?? deleted
    const actor = systemActor(deploymentId!, requestId)
    await db.transaction(actor, async (tx) => {
      const repository = told && (await lockOwn(tx, id, told.repository))
      if (repository && end) {
        const { pullRequest, merged } = end
        const why = `The pull request was ${merged ? 'merged' : 'closed'}.`
        const endedFindings = await endPullRequest(tx, { repositoryId: repository.id, pullRequest, why, scanId: 0 })
        const detail = { pullRequest, merged, endedFindings, codeHostId: id }
        tx.audit({ action: 'pull-request.end', target: `repository:${repository.id}`, detail })
      }
      if (repository && deleted) {
        await endDeletedBranches(tx, endBranch, { repository, refs: [deleted.ref], by: { codeHostId: id } })
      }
      await store.countEvent(tx, id, clock.now())
    })
  }
}

/** Other owners are none of its business, whatever it says: nor is what was of its owners before it was renamed. */
async function lockOwn(tx: Transaction, id: number, name: string): Promise<FoundRepository | undefined> {
  if ((await store.findFor(tx, name)) !== id) return undefined
  const repository = await lockNamed(tx, tx.actor, name)
  return repository && (await store.findFor(tx, repository.name)) === id ? repository : undefined
}
