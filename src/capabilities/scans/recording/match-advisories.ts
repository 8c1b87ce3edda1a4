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
  /** The files of the inventory before the scan. */
  files: readonly StoredFile[]
}

/** Which findings are new, and whether there was an inventory to compare a pull request with. */
type Matched = { newIds: number[]; fixed: number; baseKnown: boolean }

/** Raises what advisories say about a new inventory, or about what a pull request would bring in. */
export async function matchAdvisories(
  tx: Transaction,
  matching: Matching,
  { request, repositoryId, scanId, isInventory, raiseUnknown, hasInventory, files: before }: About,
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
    return { ...(await matching.inventory(tx, { ...place, sources }, brought)), baseKnown: true }
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
  const matched = await matching.pullRequest(tx, { ...place, base, covers: coversOf(request) }, files, complete)
  return { ...matched, baseKnown: base.isKnown || isEmpty }
}

/** Of a part, what lies in it, and what was sent with it from elsewhere. */
function coversOf(request: ScanRequest): Completeness['covers'] {
  if (request.part === '') return undefined
  const sent = new Set(request.files.map((file) => file.path))
  return ({ path }) => isInPart(request, path) || sent.has(path)
}
