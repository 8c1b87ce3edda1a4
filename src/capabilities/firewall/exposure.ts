import { systemActor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database, Transaction } from '../../kernel/database.ts'
import { type JobHandler, type Periodic, Permanent, Transient } from '../../kernel/job.ts'
import { enqueueMany } from '../../kernel/outbox.ts'
import type { Fire, Subject } from '../../kernel/trigger.ts'
import type { Subjects } from '../findings/reads.ts'
import { expose, fetchedArtifacts, takeBack } from '../firewall-activity/reads.ts'
import * as store from './exposure-store.ts'
import type { Malware } from './malware.ts'
import type { Firewall } from './verdict.ts'

export type ExposureOptions = {
  db: Database
  clock: Clock
  malware: Malware
  verdict: Firewall['verdict']
  subjects: Subjects
  fire: Fire
  /** Makes sure that what is in memory is at least at this revision. */
  reach(revision: number): Promise<boolean>
}

const repositoryKind = 'firewall.exposed-repository'
const clientKind = 'firewall.exposed-clients'
const everySeconds = 10

/**
 * Who already has it: when advisories change, every repository that has what they name and every client that was given it is
 * looked at again. What changed is found by the revision, so nothing is lost when a process dies in between.
 */
export function createExposure({ db, clock, malware, verdict, subjects, fire, reach }: ExposureOptions) {
  const looking: Periodic = {
    name: 'firewall.exposure',
    everySeconds,
    run: async () => {
      for (const { id } of await store.deploymentsBehind({ query: db.workerQuery })) {
        await db.transaction(systemActor(id, 'firewall-exposure'), look)
      }
    },
  }

  async function look(tx: Transaction): Promise<void> {
    const { after, revision } = await store.lockMark(tx)
    if (after >= revision) return
    const repositories = await store.repositoriesWith(tx, after)
    await enqueueMany(tx, [
      ...repositories.map((repositoryId) => ({ kind: repositoryKind, payload: { repositoryId, revision } })),
      { kind: clientKind, payload: { after, revision } },
    ])
    for (const { id, ...detail } of await store.announceHolds(tx)) {
      tx.audit({ action: 'held-advisory.hold', target: `held-advisory:${id}`, detail })
    }
    await store.moveMark(tx, revision)
  }

  const repositoryHandler: JobHandler = {
    kind: repositoryKind,
    run: async ({ deploymentId, payload, key }) => {
      const { repositoryId, revision } = payload as { repositoryId?: number; revision?: number }
      if (!repositoryId || !revision) throw new Permanent('The job names no repository.')
      if (!(await reach(revision))) throw new Transient('The advisories could not be loaded.')
      await db.transaction(systemActor(deploymentId, key), (tx) => inspect(tx, repositoryId))
    },
  }

  async function inspect(tx: Transaction, repositoryId: number): Promise<void> {
    const found = await store.lockInventory(tx, repositoryId)
    if (!found) return
    const { ref, name, tags } = found
    const { newIds, takenBack } = await malware.rematch(tx, repositoryId, ref)
    const target = `repository:${repositoryId}`
    if (takenBack.length > 0) tx.audit({ action: 'supply-chain-incident.take-back', target, detail: { takenBack } })
    if (newIds.length === 0) return
    tx.audit({ action: 'supply-chain-incident.repository', target, detail: { repository: name, findingIds: newIds } })
    await fire(tx, {
      source: 'TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT',
      repository: { id: repositoryId, name, tags },
      ref,
      scanId: 0,
      pullRequest: 0,
      subjects: async (at) => {
        const all = await subjects(at, { repositoryId, ref, pullRequest: 0, newIds })
        return all.filter((subject) => subject.malicious)
      },
    })
  }

  const clientHandler: JobHandler = {
    kind: clientKind,
    run: async ({ deploymentId, payload, key }) => {
      const { after, revision } = payload as { after?: number; revision?: number }
      if (after === undefined || !revision) throw new Permanent('The job names no revision.')
      if (!(await reach(revision))) throw new Transient('The advisories could not be loaded.')
      await db.transaction(systemActor(deploymentId, key), (tx) => inspectClients(tx, after))
    },
  }

  async function inspectClients(tx: Transaction, after: number): Promise<void> {
    const packages = await store.askedPackages(tx, after)
    if (packages.length === 0) return
    const fetched = await fetchedArtifacts(tx, packages)
    const judged = fetched.map((artifact) => {
      const { decision, advisoryIds } = verdict(tx.deploymentId, artifact.ecosystem, artifact.name, artifact.version)
      const isMalicious = decision === 'block' && advisoryIds.some((id) => !id.startsWith('override-'))
      return { ...artifact, advisoryIds, isMalicious }
    })
    const bad = judged.filter((each) => each.isMalicious)
    const good = judged.filter((each) => !each.isMalicious).map((each) => each.id)
    const news = new Set((await expose(tx, bad, clock.now())).map((each) => each.artifactId))
    const cleared = new Set((await takeBack(tx, good, clock.now())).map((each) => each.artifactId))
    for (const { id, ecosystem, name, version, advisoryIds } of judged) {
      const detail = { ecosystem, name, version, advisoryIds }
      const target = `firewall-artifact:${id}`
      if (news.has(id)) tx.audit({ action: 'supply-chain-incident.clients', target, detail })
      if (cleared.has(id)) tx.audit({ action: 'supply-chain-incident.take-back', target, detail })
    }
    if (news.size === 0) return
    const incident = bad.filter((each) => news.has(each.id)).map(toSubject)
    await fire(tx, {
      source: 'TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT',
      repository: null,
      ref: '',
      scanId: 0,
      pullRequest: 0,
      subjects: async () => incident,
    })
  }

  return { handlers: [repositoryHandler, clientHandler], periodic: looking }
}

function toSubject(artifact: { id: number; name: string; version: string; advisoryIds: readonly string[] }): Subject {
  return {
    kind: 'dependency',
    id: String(artifact.id),
    title: `Malicious package ${artifact.name} ${artifact.version} was given to clients`,
    path: '',
    severity: 'SEVERITY_CRITICAL',
    confidence: 'CONFIDENCE_HIGH',
    product: 'PRODUCT_TYPE_SCA',
    reachability: '',
    ruleId: artifact.advisoryIds[0]!,
    category: 'security',
    cwes: ['CWE-506'],
    malicious: true,
    triageState: 'TRIAGE_STATE_OPEN',
    isNew: true,
  }
}
