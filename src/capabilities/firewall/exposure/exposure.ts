import type { Subject } from '../../../domain/trigger-event.ts'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { eachInTurn } from '../../../kernel/jobs/each-deployment.ts'
import { type Job, type JobHandler, type Periodic, Permanent, Transient } from '../../../kernel/jobs/job.ts'
import { enqueueMany } from '../../../kernel/jobs/outbox.ts'
import { lockInventory } from '../../scans/public.ts'
import { tellOfHolds } from '../overrides/review-news.ts'
import { type ClientExposureOptions, createClientExposure } from './client-exposure.ts'
import * as store from './exposure-store.ts'
import { isAboutReview } from './malicious-package.ts'
import { clientKind, recheck, repositoryKind } from './recheck.ts'

export type ExposureOptions = ClientExposureOptions & {
  db: Database
  /** Makes sure that what is in memory is at least that far, if anything is. */
  reach(deploymentId: number, state: { revision: number; configurationVersion: number }): Promise<boolean>
  /** Whether an advisory names the package. */
  isNamed(ecosystem: EcosystemId, name: string): boolean
  /** There are no advisories at all. */
  isEmpty(): boolean
}

const everySeconds = 10

/** What people are told of at once: what is malicious, and what an advisory names that waits for their decision. */
function isIncident({ malicious, ruleId }: Subject): boolean {
  return malicious || isAboutReview(ruleId)
}

/**
 * Who already has it: when advisories change, or what a deployment decided about packages, every repository that has what
 * they name and every client that was given it is looked at again. What changed is found by the revision, so nothing is lost
 * when a process dies in between.
 */
export function createExposure({ db, reach, isEmpty, isNamed, ...given }: ExposureOptions) {
  const { clock, malware, subjects, fire } = given
  const inspectClients = createClientExposure(given)

  const looking: Periodic = {
    name: 'firewall.exposure',
    everySeconds,
    run: async () =>
      eachInTurn(await store.deploymentsBehind({ query: db.workerQuery }, clock.now()), ({ id }) =>
        db.transaction(systemActor(id, 'firewall-exposure'), look),
      ),
  }

  async function look(tx: Transaction): Promise<void> {
    const { after, revision, configurationVersion } = await store.lockMark(tx)
    await recheck(tx, { names: await store.takeLapsed(tx, clock.now()), configurationVersion, isNamed })
    if (after >= revision) return
    const repositories = await store.repositoriesWith(tx, after)
    await enqueueMany(tx, [
      ...repositories.map((repositoryId) => ({ kind: repositoryKind, payload: { repositoryId, revision } })),
      { kind: clientKind, payload: { after, revision } },
    ])
    const holds = await store.announceReviews(tx)
    for (const { id, ...detail } of holds) {
      tx.audit({ action: 'held-advisory.hold', target: `held-advisory:${id}`, detail })
    }
    await tellOfHolds(
      tx,
      holds.map(({ id }) => id),
    )
    await store.moveMark(tx, revision)
  }

  const repositoryHandler: JobHandler = {
    kind: repositoryKind,
    run: (job) =>
      informed(job, async (tx) => {
        const { repositoryId } = job.payload as { repositoryId?: number }
        if (!repositoryId) throw new Permanent('The job names no repository.')
        await inspect(tx, repositoryId)
      }),
  }

  async function inspect(tx: Transaction, repositoryId: number): Promise<void> {
    const found = await lockInventory(tx, repositoryId)
    if (!found) return
    const { ref, name, tags } = found
    const { newIds, takenBack } = await malware.rematch(tx, repositoryId, ref)
    const target = `repository:${repositoryId}`
    if (takenBack.length > 0) tx.audit({ action: 'supply-chain-incident.take-back', target, detail: { takenBack } })
    if (newIds.length === 0) return
    const place = { repositoryId, ref, pullRequest: 0, newIds }
    // What merely has the name of a malicious package is a finding and no incident.
    const concerned = (await subjects(tx, place)).filter(isIncident)
    const findingIds = concerned.filter(({ isNew }) => isNew).map(({ id }) => Number(id))
    if (findingIds.length === 0) return
    tx.audit({ action: 'supply-chain-incident.repository', target, detail: { repository: name, findingIds } })
    await fire(tx, {
      source: 'TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT',
      repository: { id: repositoryId, name, tags },
      ref,
      scanId: 0,
      pullRequest: 0,
      subjects: async (at) => (await subjects(at, place)).filter(isIncident),
    })
  }

  const clientHandler: JobHandler = {
    kind: clientKind,
    run: (job) =>
      informed(job, async (tx) => {
        const { after, packages } = job.payload as { after?: number; packages?: store.PackageName[] }
        if (after === undefined && !packages) throw new Permanent('The job names no packages.')
        await inspectClients(tx, packages ?? (await store.askedPackages(tx, after!)))
      }),
  }

  /** In a transaction, once what the job is about is known here. */
  async function informed(job: Job, work: (tx: Transaction) => Promise<void>): Promise<void> {
    const { revision = 0, rules = 0 } = job.payload as { revision?: number; rules?: number }
    // What people decide about packages concerns nobody while nothing is known to be malicious.
    if (revision === 0 && isEmpty()) return
    if (!(await reach(job.deploymentId, { revision, configurationVersion: rules })))
      throw new Transient('The advisories could not be loaded.')
    await db.transaction(systemActor(job.deploymentId, job.key), work)
  }

  return { handlers: [repositoryHandler, clientHandler], periodic: looking }
}
