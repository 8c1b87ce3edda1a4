import type { EcosystemId } from '../../../../ecosystems/ecosystem.ts'
import { systemActor } from '../../../../kernel/access/actor.ts'
import type { Database } from '../../../../kernel/database/database.ts'
import type { Clock } from '../../../../kernel/time/clock.ts'
import { packageNamesInUse } from '../../../inventory/public.ts'
import { privateNames } from '../../../package-names/public.ts'
import type { OwnName } from '../known-package.ts'
import { canHonour } from '../rule.ts'
import { createNameIndex, type NameIndex } from './name-index.ts'

type Entry = { names: Promise<{ used: NameIndex; own: NameIndex }>; loadedAt: number }

const freshMs = 10 * 60_000
/** More than the largest companies use; what is beyond is not compared with. */
const mostNames = 100_000

/** The names that a deployment uses or owns, in memory: what imitates them is aimed at it. */
export function createOwnNames({ db, clock }: { db: Database; clock: Clock }) {
  const entries = new Map<string, Entry>()

  async function near(deploymentId: number, ecosystem: EcosystemId, name: string): Promise<OwnName | undefined> {
    if (!canHonour(ecosystem, 'typosquat')) return undefined
    const { used, own } = await namesOf(deploymentId, ecosystem)
    // What is used itself, or belongs to the deployment, imitates nobody.
    if (used.has(name) || own.has(name)) return undefined
    const similar = own.near(name)
    if (similar !== undefined) return { name: similar, isPrivate: true }
    const known = used.near(name)
    return known === undefined ? undefined : { name: known, isPrivate: false }
  }

  function namesOf(deploymentId: number, ecosystem: EcosystemId): Entry['names'] {
    const key = `${deploymentId} ${ecosystem}`
    const entry = entries.get(key)
    const now = clock.now().getTime()
    if (entry && now - entry.loadedAt < freshMs) return entry.names
    const names = load(deploymentId, ecosystem)
    entries.set(key, { names, loadedAt: now })
    names.catch(() => entries.delete(key))
    return names
  }

  async function load(deploymentId: number, ecosystem: EcosystemId) {
    const reader = db.as(systemActor(deploymentId, 'firewall'))
    const [used, own] = await Promise.all([
      packageNamesInUse(reader, ecosystem, mostNames),
      privateNames(reader, ecosystem, mostNames),
    ])
    return { used: createNameIndex(used), own: createNameIndex(own) }
  }

  return { near }
}
