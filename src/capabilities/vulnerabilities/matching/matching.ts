import type { Transaction } from '../../../kernel/database/database.ts'
import { listStoredFindings, type Reconcile, wasObserved } from '../../findings/public.ts'
import { type PackedFile, type PathTo, pathsInFiles, pathsInInventory } from '../../inventory/public.ts'
import { enterMatching } from './match-lock.ts'
import { describe, type Hit, hitsAmong, hitsInFiles, hitsInInventory, isAnythingKnown } from './match-store.ts'
import { observations, type VulnerabilityObservation } from './observations.ts'

export const source = 'osv'

export type ScanTarget = {
  repositoryId: number
  ref: string
  pullRequest: number
  scanId: number
  at?: Date | undefined
  /** By path, which source each file of the inventory has or had before the scan. */
  sources?: ReadonlyMap<string, string> | undefined
  /** Of a pull request: whether there is an inventory to compare with, and what to do where there is none. */
  base?: { isKnown: boolean; raiseUnknown: boolean } | undefined
}
export type Matching = ReturnType<typeof createMatching>

/** What scans find in the light of the advisories, in the transaction of the scan. Answers which findings are new. */
export function createMatching(reconcile: Reconcile) {
  /** A scan became the inventory of its repository. */
  async function inventory(tx: Transaction, place: ScanTarget): Promise<number[]> {
    const { isWorthLooking, isObserved } = await enter(tx, place)
    if (!isWorthLooking) return []
    const { repositoryId } = place
    const hits = await hitsInInventory(tx, repositoryId)
    if (hits.length === 0 && !isObserved) return []
    const observed = await toObservations(tx, hits, () => pathsInInventory(tx, repositoryId, hits))
    const movedFrom = await movesBetweenSources(tx, place, observed)
    return (await reconcile(tx, { ...place, base: undefined, source, complete: true, observed, movedFrom })).newIds
  }

  /**
   * A pull request has these files: what they have and the inventory has not is what it would bring in. `complete` says that all
   * of its files could be read.
   */
  async function pullRequest(
    tx: Transaction,
    place: ScanTarget,
    files: readonly PackedFile[],
    complete: boolean,
  ): Promise<number[]> {
    const { isWorthLooking, isObserved } = await enter(tx, place)
    if (!isWorthLooking) return []
    const hits: Hit[] = []
    for (const { path, packed } of files) {
      for (const batch of packed.batches) for (const hit of await hitsAmong(tx, path, batch)) hits.push(hit)
    }
    if (hits.length === 0 && !isObserved) return []
    const paths = [...new Set(hits.map((hit) => hit.path))]
    const before = paths.length > 0 ? await hitsInFiles(tx, place.repositoryId, paths) : []
    const known = new Set((await toObservations(tx, before, nowhere)).map((one) => one.fingerprint))
    const found = await toObservations(tx, hits, () => pathsInFiles(tx, files, hits))
    const base = { raiseUnknown: true, ...place.base, has: place.base?.isKnown === false ? undefined : known }
    return (await reconcile(tx, { ...place, source, complete, base, observed: found })).newIds
  }

  /** What is read is sent behind the lock, and so is read when that is held. */
  async function enter(tx: Transaction, place: ScanTarget) {
    const [, isKnown, isObserved] = await Promise.all([
      enterMatching(tx),
      isAnythingKnown(tx),
      wasObserved(tx, { ...place, source }),
    ])
    return { isWorthLooking: isKnown || isObserved, isObserved }
  }

  return { inventory, pullRequest }
}

/** Where findings stood until now that another source has from now on, by their new fingerprint. */
async function movesBetweenSources(
  tx: Transaction,
  { sources = new Map(), ...place }: ScanTarget,
  observed: readonly VulnerabilityObservation[],
): Promise<Map<string, string>> {
  const moved = new Map<string, string>()
  if (new Set(sources.values()).size < 2) return moved
  const standing = new Set((await listStoredFindings(tx, { ...place, source })).map((one) => one.fingerprint))
  for (const { fingerprint, fingerprintAt, locations } of observed) {
    if (standing.has(fingerprint)) continue
    const own = sources.get(locations[0]!.path)
    for (const [path, other] of sources) {
      if (other !== own && standing.has(fingerprintAt(path))) moved.set(fingerprint, fingerprintAt(path))
    }
  }
  return moved
}

const nowhere = async (): Promise<PathTo> => () => []

export async function toObservations(tx: Transaction, hits: readonly Hit[], ways: () => Promise<PathTo>) {
  if (hits.length === 0) return []
  const told = await describe(tx, [...new Set(hits.map((hit) => hit.vulnerabilityId))])
  return observations(hits, told, await ways())
}
