import type { Transaction } from '../../../kernel/database/database.ts'
import { arePackageClients } from '../../repositories/public.ts'
import { settleDuplicatesEarly } from '../counters/counter-changes.ts'
import { endFindings } from '../lifecycle/transition-store.ts'
import {
  type BranchStream,
  exchangeRefs,
  listBranchStreams,
  listDuplicates,
  listUnsettled,
} from './default-branch-store.ts'
import { touch } from './duplicates.ts'

/** Those that tell of the inventory, of which a repository has one: that of its default branch. */
const inventorySources = ['osv', 'malware']

type InventoryPlace = { repositoryId: number; ref: string; source: string; scanId: number; at?: Date | undefined }

/**
 * What a source tells of the inventory follows it to another branch, with all that was decided, said and done about it. What
 * releases before have left on other branches ends: nobody looks there any more. Answers whether another stream is that of the
 * branch now. The repository is held by the caller.
 */
export async function followInventory(
  tx: Transaction,
  { repositoryId, ref, source, scanId, at }: InventoryPlace,
  streams: readonly BranchStream[],
): Promise<boolean> {
  const [last, ...others] = streams
  // A scan of the past says nothing of where the inventory is now.
  if (!last || at || (last.ref === ref && others.length === 0)) return false
  // What clients were given is told of beside what the repository has, on a branch of its own.
  if (source === 'malware' && (await arePackageClients(tx, repositoryId))) return false
  const moves = last.ref !== ref
  if (moves)
    await exchangeRefs(
      tx,
      last,
      others.find((one) => one.ref === ref),
      ref,
    )
  const ids = await listUnsettled(tx, others)
  const note = `The default branch is ${ref}: no other branch is compared with advisories.`
  await endFindings(tx, ids, { scanId, note })
  return moves
}

/** A repository has another default branch, and is held by the caller. */
export async function followDefaultBranch(tx: Transaction, repositoryId: number, ref: string): Promise<void> {
  for (const source of inventorySources) {
    const streams = await listBranchStreams(tx, { repositoryId, source })
    await followInventory(tx, { repositoryId, ref, source, scanId: 0 }, streams)
  }
  touch(tx, await listDuplicates(tx, repositoryId, ref))
  settleDuplicatesEarly(tx, repositoryId)
  tx.changed('findings', repositoryId)
}
