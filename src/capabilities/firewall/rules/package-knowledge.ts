import { setTimeout as delay } from 'node:timers/promises'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { rangesOfPackage } from '../../vulnerabilities/public.ts'
import type { SeenArtifact } from '../verdicts/verdict.ts'
import { addArchive, putArchive, seenArchives } from './archive-store.ts'
import { versionsInUse } from './in-use-store.ts'
import type { KnownPackage } from './known-package.ts'
import { createOwnNames } from './names/own-names.ts'
import type { ArchiveFacts } from './release-facts.ts'

type Entry = { known: KnownPackage; loadedAt: number }

const freshMs = 60_000
const remembered = 20_000
/** A database that is slow is not waited for much longer than a client waits: less where something is known from before. */
const longestMs = { anew: 5_000, again: 1_000 }

export type PackageKnowledge = ReturnType<typeof createPackageKnowledge>

/**
 * What the database says of the packages that clients ask for, in memory, because verdicts wait for nothing: vulnerabilities, which
 * versions are in use, and what was seen in artifacts. Asked again after a minute; while the database is away or slow, what was known goes on counting.
 */
export function createPackageKnowledge({ db, clock }: { db: Database; clock: Clock }) {
  const entries = new Map<string, Entry>()
  const ownNames = createOwnNames({ db, clock })
  const loading = new Map<string, Promise<void>>()

  function peek(deploymentId: number, ecosystem: EcosystemId, name: string): KnownPackage | undefined {
    return entries.get(keyOf(deploymentId, ecosystem, name))?.known
  }

  /** Until it is known, or known not to be to be had now; undefined where there is nothing to wait for. */
  function load(deploymentId: number, ecosystem: EcosystemId, name: string): Promise<void> | undefined {
    const key = keyOf(deploymentId, ecosystem, name)
    const entry = entries.get(key)
    if (entry && clock.now().getTime() - entry.loadedAt < freshMs) return undefined
    const running = loading.get(key) ?? read(key, deploymentId, ecosystem, name).finally(() => loading.delete(key))
    loading.set(key, running)
    return Promise.race([running, delay(entry ? longestMs.again : longestMs.anew, undefined, { ref: false })])
  }

  async function read(key: string, deploymentId: number, ecosystem: EcosystemId, name: string): Promise<void> {
    try {
      const reader = db.as(systemActor(deploymentId, 'firewall'))
      const normalized = ecosystems[ecosystem].normalizeName(name)
      const [vulnerabilities, inUse, archives, near] = await Promise.all([
        rangesOfPackage(reader, ecosystem, normalized),
        versionsInUse(reader, ecosystem, normalized),
        seenArchives(reader, ecosystem, normalized),
        ownNames.near(deploymentId, ecosystem, normalized),
      ])
      if (entries.size >= remembered) entries.clear()
      entries.set(key, { known: { vulnerabilities, inUse, archives, near }, loadedAt: clock.now().getTime() })
    } catch {
      // A verdict that needs it and has nothing from before is undetermined.
    }
  }

  async function noteArchive(deploymentId: number, artifact: SeenArtifact, seen: ArchiveFacts): Promise<void> {
    const { ecosystem } = artifact
    const name = ecosystems[ecosystem].normalizeName(artifact.name)
    const key = keyOf(deploymentId, ecosystem, name)
    const entry = entries.get(key)
    if (entry) addArchive(entry.known.archives, artifact, seen)
    const actor = systemActor(deploymentId, 'firewall')
    await db.transaction(actor, (tx) => putArchive(tx, { ...artifact, name }, seen)).catch(() => {})
  }

  return { peek, load, noteArchive }
}

function keyOf(deploymentId: number, ecosystem: EcosystemId, name: string): string {
  return `${deploymentId} ${ecosystem} ${ecosystems[ecosystem].normalizeName(name)}`
}
