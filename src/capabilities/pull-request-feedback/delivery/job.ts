import type { Reaction } from '../../../domain/event-reactions.ts'
import type { ExpectedPlace, TriggerSource } from '../../../domain/trigger-event.ts'
import { type Actor, systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { createReadAhead } from '../../../kernel/database/read-ahead.ts'
import { type JobHandler, Permanent, Transient } from '../../../kernel/jobs/job.ts'
import { enqueue } from '../../../kernel/jobs/outbox.ts'
import { type EndPullRequest, shownInPullRequest } from '../../findings/public.ts'
import { lastPullRequestScan } from '../../scans/public.ts'
import type { HostedPullRequest } from '../hosts/code-host.ts'
import { HostError } from '../hosts/host-error.ts'
import { createHostOpener, type HostOptions } from '../hosts/open-host.ts'
import { isAddressable } from '../hosts/repository-address.ts'
import * as store from '../store.ts'
import { markersOf } from '../text/comment-text.ts'
import { deliver } from './deliver.ts'
import { listCommented, noteCommented } from './feedback-store.ts'

const kind = 'pull-request.feedback'
/** Of more findings the comment says how many there are. */
const mostRead = 1_000
const mostRemembered = 5_000

type Payload = { codeHostId: number; repositoryId: number; pullRequest: number; scanId: number }

/** Writes down that a pull request is to be told, with everything else of its scan. One code host is one lane. */
const onEvent: Reaction = async (tx, { source, repository, pullRequest, scanId }) => {
  if (source !== 'TRIGGER_SOURCE_SCAN' || pullRequest === 0 || !repository) return
  const codeHostId = await hostFor.take(tx, repository.name)
  if (codeHostId === undefined) return
  const payload: Payload = { codeHostId, repositoryId: repository.id, pullRequest, scanId }
  await enqueue(tx, { kind, payload, lane: `code-host ${codeHostId}` })
}

const hostFor = createReadAhead((tx, repositoryName: string) => store.findFor(tx, repositoryName))

export const tellPullRequest: Reaction = Object.assign(onEvent, {
  expect(tx: Transaction, _source: TriggerSource, { repositoryName, pullRequest }: ExpectedPlace) {
    if (pullRequest > 0) hostFor.begin(tx, repositoryName)
  },
})

export type FeedbackOptions = HostOptions & { db: Database; publicUrl: string; endPullRequest: EndPullRequest }

export function createFeedbackJob(options: FeedbackOptions): JobHandler {
  const { db, clock, publicUrl } = options
  const openHost = createHostOpener(options)

  async function run(actor: Actor, payload: Payload, signal: AbortSignal): Promise<void> {
    const { codeHostId, pullRequest: number, ...place } = payload
    const reads = db.as(actor)
    const host = await store.findWithCredential(reads, codeHostId)
    const scan = await lastPullRequestScan(reads, place.repositoryId, number)
    // Removed meanwhile; told of by the job of a newer scan; or brought in from the past, which nobody waits for.
    if (!host || !scan || scan.id > place.scanId || scan.performedAt) return
    const { repository } = scan
    if ((await store.findFor(reads, repository)) !== codeHostId || !isAddressable(host.kind, repository)) return
    const note = (outcome: store.Delivery['outcome'], detail: string) =>
      db.transaction(actor, (tx) =>
        store.noteDelivery(tx, codeHostId, { outcome, detail, repository, pullRequest: number, at: clock.now() }),
      )
    try {
      const client = await openHost(actor.deploymentId, host, repository, signal)
      const pullRequest = await client.getPullRequest(number)
      if (!pullRequest.isOpen) {
        await end(actor, place.repositoryId, number, pullRequest)
        const how = pullRequest.isMerged ? 'merged' : 'closed'
        return await note('skipped', `The pull request is ${how}. It was ended here too.`)
      }
      const account = host.account || (await client.findAccount())
      const about = { repositoryId: place.repositoryId, pullRequest: number }
      const blocking = scan.blockingFindings.map(({ id }) => id)
      const shown = await shownInPullRequest(reads, about, blocking, mostRead)
      const commented = await listCommented(reads, about)
      const markers = markersOf(publicUrl, actor.deploymentId)
      const done = await deliver({
        client,
        host,
        account,
        markers,
        number,
        pullRequest,
        scan,
        ...shown,
        publicUrl,
        commented,
      })
      await db.transaction(actor, async (tx) => {
        await store.noteAccount(tx, codeHostId, host.version, account)
        await noteCommented(tx, about, codeHostId, done.commented.slice(-mostRemembered), clock.now())
      })
      await note('delivered', done.detail)
    } catch (error) {
      if (!(error instanceof HostError)) throw error
      await note('failed', error.message)
      throw error.isPassing ? new Transient(error.message, error.retryAfterSeconds) : new Permanent(error.message)
    }
  }

  /** The event may have been lost, or the scan may have come after it. */
  function end(actor: Actor, repositoryId: number, pullRequest: number, { isMerged: merged }: HostedPullRequest) {
    return db.transaction(actor, async (tx) => {
      const why = `The pull request was ${merged ? 'merged' : 'closed'}.`
      const endedFindings = await options.endPullRequest(tx, { repositoryId, pullRequest, why, scanId: 0 })
      const detail = { pullRequest, merged, endedFindings }
      tx.audit({ action: 'pull-request.end', target: `repository:${repositoryId}`, detail })
    })
  }

  return {
    kind,
    run: ({ id, deploymentId, payload, signal }) =>
      run(systemActor(deploymentId, `job-${id}`), payload as Payload, signal),
  }
}
