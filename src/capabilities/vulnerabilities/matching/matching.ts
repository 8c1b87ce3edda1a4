import type { Transaction } from '../../../kernel/database/database.ts'
import { inStep } from '../../../kernel/database/in-step.ts'
import {
  type Covers,
  followInventory,
  hasStanding,
  listBranchStreams,
  listStoredFindings,
  openStream,
  type Reconcile,
} from '../../findings/public.ts'
import {
  type BroughtFiles,
  findInBatches,
  type PackedFile,
  type PathTo,
  pathsInFiles,
  pathsInInventory,
} from '../../inventory/public.ts'
import { enterMatching } from './match-lock.ts'
import { type Hit, hitsAmong, hitsAmongBrought, hitsInFiles, hitsInInventory } from './match-store.ts'
import { observations, type VulnerabilityObservation } from './observations.ts'
import { successorsAmong, successorsInMoved } from './successors.ts'

export const source = 'osv'

export type ScanTarget = {
  repositoryId: number
  ref: string
  pullRequest: number
  scanId: number
  at?: Date | undefined
  /** By path, which source each file of the inventory has or had before the scan. */
  sources?: ReadonlyMap<string, string> | undefined
  /** By where they lie now: where files lay in the inventory before it that are the same as they were. */
  movedFiles?: ReadonlyMap<string, string> | undefined
  /** Of a pull request: what of it was looked at; all where not said. */
  covers?: Covers | undefined
  /** Of a pull request: whether there is an inventory to compare with, and what to do where there is none. */
  base?: { isKnown: boolean; raiseUnknown: boolean } | undefined
}
/** Which findings are new, and how many are fixed. */
export type Matched = { newIds: number[]; fixed: number }
const nothingMatched: Matched = { newIds: [], fixed: 0 }

export type Matching = ReturnType<typeof createMatching>

/** What scans find in the light of the advisories, in the transaction of the scan. */
export function createMatching(reconcile: Reconcile) {
  /** A scan became the inventory of its repository; what it brought is stored by now, or is stored at the same time. */
  async function inventory(tx: Transaction, place: ScanTarget, brought?: BroughtFiles): Promise<Matched> {
    const { repositoryId } = place
    const [streams, hits, stood] = await Promise.all([
      enter(tx, listBranchStreams, place),
      brought ? hitsAmongBrought(tx, repositoryId, brought) : hitsInInventory(tx, repositoryId),
      standingOfSources(tx, place),
    ])
    if (hits.length === 0 && streams.length === 0) return nothingMatched
    const standing = (await followInventory(tx, { ...place, source }, streams))
      ? await standingOfSources(tx, place)
      : stood
    const [wayTo, finish] = await inStep(tx, [
      (tx) => (brought ? pathsToBrought(tx, repositoryId, brought, hits) : pathsInInventory(tx, repositoryId, hits)),
      (tx) => begin(tx, { ...place, base: undefined, complete: true }, hits),
    ])
    const observed = observations(hits, wayTo)
    const movedFrom = movesBetweenSources(place, standing, observed)
    return finish(tx, { observed, movedFrom, successors: successorsInMoved(observed, place.movedFiles) })
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
  ): Promise<Matched> {
    const [hasFindings, hits] = await Promise.all([
      enter(tx, hasStanding, place),
      findInBatches(files, (path, batch) => hitsAmong(tx, path, batch)),
    ])
    if (hits.length === 0 && !hasFindings) {
      // Without a stream nobody could tell that the pull request was scanned and is not over.
      await openStream(tx, { ...place, source, complete })
      return nothingMatched
    }
    const { movedFiles = new Map<string, string>() } = place
    const paths = [...new Set(hits.flatMap(({ path }) => [path, movedFiles.get(path) ?? path]))]
    const [before, wayTo, finish] = await inStep(tx, [
      async (tx) => (paths.length > 0 ? hitsInFiles(tx, place.repositoryId, paths) : []),
      (tx) => pathsInFiles(tx, files, hits),
      (tx) => begin(tx, { ...place, base: undefined, complete }, hits),
    ])
    const placeNow = new Map(Array.from(movedFiles, ([now, from]) => [from, now]))
    const known = new Set(
      observations(before, nowhere).flatMap(({ fingerprint, fingerprintAt, locations }) => {
        const now = placeNow.get(locations[0]!.path)
        return now === undefined ? [fingerprint] : [fingerprint, fingerprintAt(now)]
      }),
    )
    const base = { raiseUnknown: true, ...place.base, has: place.base?.isKnown === false ? undefined : known }
    const observed = observations(hits, wayTo)
    return finish(tx, { base, observed, successors: successorsAmong(observed) })
  }

  /** Reads what is stored of what the hits are known by, which does not depend on how they come in. */
  function begin(tx: Transaction, place: Omit<Parameters<Reconcile['begin']>[1], 'source'>, hits: readonly Hit[]) {
    return reconcile.begin(tx, { ...place, source }, observations(hits, nowhere))
  }

  /** What is asked for is sent behind the lock, and so is read when that is held. */
  async function enter<Answer>(tx: Transaction, ask: Ask<Answer>, place: ScanTarget): Promise<Answer> {
    const [, answer] = await Promise.all([enterMatching(tx), ask(tx, { ...place, source })])
    return answer
  }

  return { inventory, pullRequest }
}

type Ask<Answer> = (tx: Transaction, place: ScanTarget & { source: string }) => Promise<Answer>

/** What stands by the advisories, where several sources tell what the repository has. */
async function standingOfSources(tx: Transaction, { sources = new Map(), ...place }: ScanTarget): Promise<Set<string>> {
  if (new Set(sources.values()).size < 2) return new Set()
  return new Set((await listStoredFindings(tx, { ...place, source })).map((one) => one.fingerprint))
}

/** Where findings stood until now, and no longer stand, that another source has from now on, by their new fingerprint. */
function movesBetweenSources(
  { sources = new Map() }: ScanTarget,
  standing: ReadonlySet<string>,
  observed: readonly VulnerabilityObservation[],
): Map<string, string> {
  const moved = new Map<string, string>()
  if (standing.size === 0) return moved
  const gone = new Set(standing)
  for (const { fingerprint } of observed) gone.delete(fingerprint)
  for (const { fingerprint, fingerprintAt, locations } of observed) {
    if (standing.has(fingerprint)) continue
    const own = sources.get(locations[0]!.path)
    for (const [path, other] of sources) {
      if (other !== own && gone.has(fingerprintAt(path))) moved.set(fingerprint, fingerprintAt(path))
    }
  }
  return moved
}

const nowhere: PathTo = () => []

/** In one round trip. */
async function pathsToBrought(
  tx: Transaction,
  repositoryId: number,
  { files, keptPaths }: BroughtFiles,
  hits: readonly Hit[],
): Promise<PathTo> {
  const stayed = new Set(keptPaths)
  const kept = hits.filter((hit) => stayed.has(hit.path))
  const [toBrought, toKept] = await Promise.all([
    pathsInFiles(tx, files, hits),
    pathsInInventory(tx, repositoryId, kept, { atOnce: true }),
  ])
  return (entry) => (stayed.has(entry.path) ? toKept(entry) : toBrought(entry))
}
