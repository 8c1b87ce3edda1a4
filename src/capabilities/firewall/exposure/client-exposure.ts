import type { Fire } from '../../../domain/trigger-event.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { Subjects } from '../../findings/public.ts'
import { expose, fetchedArtifacts, hasStandingExposures, takeBack } from '../../firewall-activity/public.ts'
import {
  clientsRef,
  ensurePackageClients,
  lockPackageClients,
  unarchivePackageClients,
} from '../../repositories/public.ts'
import type { MaliceOf } from '../verdicts/verdict.ts'
import { clientFingerprint } from './client-finding.ts'
import type { PackageName } from './exposure-store.ts'
import type { Malware } from './malware.ts'

export type ClientExposureOptions = {
  clock: Clock
  malware: Malware
  maliceOf: MaliceOf
  subjects: Subjects
  fire: Fire
}

/** Clients that were given what turned out to be malicious: exposures, and findings of the repository that stands for them. */
export function createClientExposure({ clock, malware, maliceOf, subjects, fire }: ClientExposureOptions) {
  /** Looks at everybody who was given a version of one of these packages. */
  return async function inspectClients(tx: Transaction, packages: readonly PackageName[]): Promise<void> {
    if (packages.length === 0) return
    const pardons = await settleExposures(tx, packages)
    if (!pardons) return
    const hasAny = await hasStandingExposures(tx)
    const clients = hasAny ? await ensurePackageClients(tx) : await lockPackageClients(tx)
    if (!clients) return
    // Only now, with the repository held: what others have exposed in the meantime is seen too.
    const { newIds } = await malware.rematch(tx, clients.id, clientsRef, pardons)
    if (newIds.length === 0) return
    await unarchivePackageClients(tx, clients.id)
    const place = { repositoryId: clients.id, ref: clientsRef, pullRequest: 0, newIds }
    await fire(tx, {
      source: 'TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT',
      repository: clients,
      ref: clientsRef,
      scanId: 0,
      pullRequest: 0,
      subjects: async (at) => (await subjects(at, place)).filter((subject) => subject.malicious),
    })
  }

  /** Answers why findings that are gone with this are, where people allow it; undefined where nobody is concerned. */
  async function settleExposures(tx: Transaction, packages: readonly PackageName[]) {
    const now = clock.now()
    const judged = (await fetchedArtifacts(tx, packages)).map((artifact) => {
      const { ecosystem, name, version } = artifact
      return { ...artifact, ...maliceOf(tx.deploymentId, ecosystem, name, version) }
    })
    const isBad = (each: (typeof judged)[number]) => each.advisoryIds.length > 0 && each.pardon === ''
    const bad = judged.filter(isBad)
    const exposed = await expose(tx, bad, now)
    const cleared = await takeBack(
      tx,
      judged.filter((each) => !isBad(each)).map(({ id }) => id),
      now,
    )
    if (bad.length === 0 && cleared.length === 0) return undefined
    const artifacts = new Map(judged.map((each) => [each.id, each]))
    const tell = (action: string, ids: readonly number[]) => {
      for (const id of new Set(ids)) {
        const { ecosystem, name, version, advisoryIds, pardon } = artifacts.get(id)!
        const detail = { ecosystem, name, version, advisoryIds, ...(pardon && { pardon }) }
        tx.audit({ action: `supply-chain-incident.${action}`, target: `firewall-artifact:${id}`, detail })
      }
    }
    tell(
      'clients',
      exposed.map((each) => each.artifactId),
    )
    tell(
      'take-back',
      cleared.map((each) => each.artifactId),
    )
    const pardoned = cleared.flatMap((client): [string, string][] => {
      const artifact = artifacts.get(client.artifactId)!
      return artifact.pardon ? [[clientFingerprint(artifact, client), artifact.pardon]] : []
    })
    return new Map(pardoned)
  }
}
