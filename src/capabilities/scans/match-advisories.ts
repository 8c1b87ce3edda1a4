import type { Transaction } from '../../kernel/database/database.ts'
import type { Matching } from '../vulnerabilities/public.ts'
import { isInventoryFile } from './read-file.ts'
import type { FileOutcome } from './receipt.ts'
import type { ScanRequest } from './scan-request.ts'

type About = { request: ScanRequest; repositoryId: number; scanId: number; isInventory: boolean }

/** Raises what advisories say about a new inventory, or about what a pull request would bring in. Answers what is new. */
export async function matchAdvisories(
  tx: Transaction,
  matching: Matching,
  { request, repositoryId, scanId, isInventory }: About,
  outcomes: readonly FileOutcome[],
): Promise<number[]> {
  const { ref, pullRequest, performedAt: at } = request
  const place = { repositoryId, ref, pullRequest, scanId, at }
  if (isInventory) return matching.inventory(tx, place)
  const lockfiles = outcomes.filter(({ unchanged, reading }) => unchanged || isInventoryFile(reading!))
  if (pullRequest === 0 || lockfiles.length === 0) return []
  const files = lockfiles.flatMap(({ file, reading }) => {
    return reading?.packed ? [{ path: file.path, packed: reading.packed }] : []
  })
  const complete = lockfiles.every(({ unchanged, reading }) => unchanged || reading?.packed)
  return matching.pullRequest(tx, place, files, complete)
}
