import type { Transaction } from '../../../kernel/database/database.ts'
import type { BroughtFiles, StoredFile } from '../../inventory/public.ts'
import type { Matching } from '../../vulnerabilities/public.ts'
import { isInventoryFile, isUsable, mayHaveDependencies } from '../reading/read-file.ts'
import { type Completeness, isInPart, type ScanRequest } from '../reading/scan-request.ts'
import type { FileOutcome } from './receipt.ts'

type About = {
  request: ScanRequest
  repositoryId: number
  scanId: number
  isInventory: boolean
  raiseUnknown: boolean
  /** Whether the source of a pull request has told what the repository has. */
  hasInventory: boolean
  /** The files of the inventory before the scan, and those of them that are gone with it. */
  files: readonly StoredFile[]
  removed: readonly StoredFile[]
}

/** Which findings are new, and whether there was an inventory to compare a pull request with. */
type Matched = { newIds: number[]; fixed: number; baseKnown: boolean }

/** Raises what advisories say about a new inventory, or about what a pull request would bring in. */
export async function matchAdvisories(
  tx: Transaction,
  matching: Matching,
  { request, repositoryId, scanId, isInventory, raiseUnknown, hasInventory, files: before, removed }: About,
  outcomes: readonly FileOutcome[],
  /** What becomes the inventory while it is looked at; without it, that is stored. */
  brought?: BroughtFiles,
): Promise<Matched> {
  const { ref, pullRequest, performedAt: at } = request
  const place = { repositoryId, ref, pullRequest, scanId, at }
  if (isInventory) {
    const sources = new Map([
      ...before.map(({ path, source }) => [path, source] as const),
      ...outcomes.map(({ file }) => [file.path, request.source] as const),
    ])
    const movedFiles = filesMoved(before, removed, outcomes)
    return { ...(await matching.inventory(tx, { ...place, sources, movedFiles }, brought)), baseKnown: true }
  }
  const lockfiles = outcomes.filter(({ unchanged, reading }) => unchanged || isInventoryFile(reading!))
  // Without any file it says that there are no dependencies; with a log alone it says nothing of them.
  const isEmpty = outcomes.length === 0
  if (pullRequest === 0 || (lockfiles.length === 0 && !isEmpty)) return { newIds: [], fixed: 0, baseKnown: true }
  const files = lockfiles.flatMap(({ file, reading }) => {
    return reading?.packed ? [{ path: file.path, packed: reading.packed }] : []
  })
  // One that cannot be read may be what had a vulnerable dependency.
  const complete = outcomes.every(
    ({ file, reading }) => !reading || isUsable(reading) || !mayHaveDependencies(reading, file.path),
  )
  const base = { isKnown: hasInventory, raiseUnknown }
  const movedFiles = filesMoved(before, absentFrom(request, before), outcomes)
  const target = { ...place, base, covers: coversOf(request), movedFiles }
  const matched = await matching.pullRequest(tx, target, files, complete)
  return { ...matched, baseKnown: base.isKnown || isEmpty }
}

/** Of a part, what lies in it, and what was sent with it from elsewhere. */
function coversOf(request: ScanRequest): Completeness['covers'] {
  if (request.part === '') return undefined
  const sent = new Set(request.files.map((file) => file.path))
  return ({ path }) => isInPart(request, path) || sent.has(path)
}

/** What the inventory has and a pull request would take out of it. */
function absentFrom(request: ScanRequest, before: readonly StoredFile[]): StoredFile[] {
  const sent = new Set(request.files.map((file) => file.path))
  return before.filter(({ path, source }) => source === request.source && isInPart(request, path) && !sent.has(path))
}

/**
 * Files that lie elsewhere now, and are what they were to the byte: where they lay, by where they lie. Of several alike nobody knows
 * which is which.
 */
function filesMoved(
  before: readonly StoredFile[],
  removed: readonly StoredFile[],
  outcomes: readonly FileOutcome[],
): Map<string, string> {
  const moved = new Map<string, string>()
  if (removed.length === 0) return moved
  const known = new Set(before.map(({ path }) => path))
  const digestOf = ({ digest }: { digest: Buffer }) => digest.toString('hex')
  const gone = Map.groupBy(removed, digestOf)
  const brought = Map.groupBy(
    outcomes.flatMap(({ file }) => (known.has(file.path) ? [] : [file])),
    digestOf,
  )
  for (const [digest, files] of brought) {
    const former = gone.get(digest) ?? []
    if (files.length === 1 && former.length === 1) moved.set(files[0]!.path, former[0]!.path)
  }
  return moved
}
