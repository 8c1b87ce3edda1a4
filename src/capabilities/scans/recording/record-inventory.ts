import type { Transaction } from '../../../kernel/database/database.ts'
import { inStep } from '../../../kernel/database/in-step.ts'
import * as inventory from '../../inventory/public.ts'
import type { FoundRepository } from '../../repositories/public.ts'
import type { ScanRequest } from '../reading/scan-request.ts'
import type { Looked } from './lock-and-look.ts'
import type { FileOutcome } from './receipt.ts'

/**
 * The files that were read, in place of those of the same paths and of those that are gone. `match` looks at the inventory that
 * comes of it: at the same time by what is brought or, if that is too much to be sent twice, when it is stored.
 */
export async function replaceInventory<Matched>(
  tx: Transaction,
  request: ScanRequest,
  before: Looked & Before,
  outcomes: readonly FileOutcome[],
  match: (tx: Transaction, brought?: inventory.BroughtFiles) => Promise<Matched>,
): Promise<Matched> {
  const { source } = request
  const { repository, scanId, prepared, former, removed } = before
  const read = outcomes.flatMap(({ file, reading }) => {
    if (!reading?.packed) return []
    const { format, problems, problemCount, packed } = reading
    const { path, digest, received } = file
    return { path, format, bytes: received.bytes, digest, problems, problemCount, packed }
  })
  const gone = [...removed, ...read.flatMap(({ path }) => former.get(path) ?? [])]
  const files = read.map((file, at) => ({ file, prepared: prepared[at]! }))
  const replace = (tx: Transaction) =>
    inventory.replaceFiles(tx, { repositoryId: repository.id, scanId, source }, files, gone)
  if (!inventory.isSentAtOnce(read)) {
    const { written } = await replace(tx)
    const matched = await match(tx)
    await written
    return matched
  }
  const goneIds = new Set(gone.map((file) => file.id))
  const keptPaths = before.files.flatMap(({ id, path }) => (goneIds.has(id) ? [] : [path]))
  const [, matched] = await inStep(tx, [
    async (tx) => (await replace(tx)).written,
    (tx) => match(tx, { source, files: read, keptPaths }),
  ])
  return matched
}

type Before = { former: ReadonlyMap<string, inventory.StoredFile>; removed: readonly inventory.StoredFile[] }

export async function keepVersion(
  tx: Transaction,
  { version, source }: ScanRequest,
  { id: repositoryId, defaultBranch }: FoundRepository,
  scanId: number,
  outcomes: readonly FileOutcome[],
): Promise<void> {
  if (!version) return
  // What is in the default branch, the inventory has.
  if (version.name === defaultBranch) return version.isLatest ? inventory.forgetLatest(tx, repositoryId) : undefined
  const files = outcomes.flatMap(({ file, reading }) =>
    reading?.packed ? [{ path: file.path, packed: reading.packed }] : [],
  )
  const bill = { repositoryId, scanId, source, version: version.name, isLatest: version.isLatest }
  await inventory.keepVersionBill(tx, bill, files)
}
