import { seesEverything } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import type { ListMerged } from '../../findings/public.ts'
import * as inventory from '../../inventory/public.ts'
import {
  create,
  type FoundRepository,
  lockNamed,
  mayClaim,
  nextRepositoryId,
  unknownRepositories,
} from '../../repositories/public.ts'
import { mergeOf } from '../pull-requests/end-pull-request.ts'
import type { ScanRequest } from '../reading/scan-request.ts'
import * as store from '../store.ts'

export type Looked = {
  repository: FoundRepository & { created: boolean }
  earlier: Awaited<ReturnType<typeof store.findRepeated>>
  /** Of the inventory as it is. */
  files: inventory.StoredFile[]
  /** Whether there is one of the same source, to compare a pull request with. */
  hasInventory: boolean
  tags: string[]
  /** What the scan will be known by, and the files that it may bring into the inventory. */
  scanId: number
  prepared: PreparedFiles
  /** A scan of the past came too late. */
  hasLater: boolean
  /** Of a part: before it more was looked at than the part. */
  outside: boolean
  /** Pull requests that the scan shows to be over. */
  merged: readonly number[]
}
type PreparedFiles = Awaited<ReturnType<typeof inventory.prepareFiles>>

/** In one round trip, where the repository is the one that was there before the transaction. */
export async function lockAndLook(
  tx: Transaction,
  request: ScanRequest,
  likely: FoundRepository | undefined,
  newFiles: readonly inventory.PackedInventory[],
  listMerged: ListMerged,
): Promise<Looked> {
  const look = (repository: FoundRepository) => lookAt(tx, request, repository, newFiles, listMerged)
  if (likely) {
    // What is sent after the lock sees what its former holder left.
    const [known, looked] = await Promise.all([lockNamed(tx, tx.actor, request.repository), look(likely)])
    if (known?.id === likely.id && known.defaultBranch === likely.defaultBranch) {
      return { repository: { ...known, created: false }, ...looked }
    }
    if (known) return { repository: { ...known, created: false }, ...(await look(known)) }
  }
  const id = await mayCreate(tx, request)
  // The first that is heard of it tells what its main line is called.
  const made = { id, name: request.repository, defaultBranch: request.baseRef || request.ref }
  const fields = { archived: false, publiclyExposed: false, ...made }
  const [created, known, looked] = await Promise.all([
    create(tx, id, fields),
    lockNamed(tx, tx.actor, request.repository),
    look(made),
  ])
  if (known) return { repository: { ...known, created }, ...(known.id === id ? looked : await look(known)) }
  if (!created) throw unknownRepository(tx, request)
  const { repository: name } = request
  throw new Fault('forbidden', `You are not in a team that new repositories join, so you cannot create '${name}'.`)
}

async function lookAt(
  tx: Transaction,
  request: ScanRequest,
  repository: FoundRepository,
  newFiles: readonly inventory.PackedInventory[],
  listMerged: ListMerged,
): Promise<Omit<Looked, 'repository'>> {
  const [earlier, files, hasInventory, tags, scanId, prepared, hasLater, outside, merged] = await Promise.all([
    findRepeated(tx, repository, request),
    inventory.listFiles(tx, repository.id),
    request.pullRequest > 0 && inventory.hasInventory(tx, repository.id, request.source),
    store.listTags(tx, repository.id),
    store.nextId(tx),
    becomesInventory(request, repository) ? inventory.prepareFiles(tx, newFiles) : [],
    request.performedAt ? store.hasLater(tx, { ...request, repositoryId: repository.id }) : false,
    request.part === '' ? false : store.sawOutside(tx, repository.id, request),
    request.kind === 'SCAN_KIND_FULL' ? listMerged(tx, mergeOf(request, repository.id)) : [],
  ])
  return { earlier, files, hasInventory, tags, scanId, prepared, hasLater, outside, merged }
}

/** What a new repository of that name will be known by. */
async function mayCreate(tx: Transaction, request: ScanRequest): Promise<number> {
  if (!request.createRepository) throw unknownRepository(tx, request)
  const [isAllowed, id] = await Promise.all([mayClaim(tx, tx.actor, request.repository), nextRepositoryId(tx)])
  if (!isAllowed) throw unknownRepository(tx, request)
  return id
}

/** The same whether it is hidden or not there: what to do is the same, too. */
function unknownRepository({ actor }: Transaction, { repository }: ScanRequest): Fault {
  if (seesEverything(actor) || actor.bound) {
    return new Fault('unknown_repository', unknownRepositories([repository]))
  }
  const [sees, its] = actor.tokenId > 0 ? ['this token sees', 'its'] : ['you see', 'your']
  return new Fault(
    'unknown_repository',
    `No repository '${repository}' that ${sees}. Somebody who sees all repositories has to create it, or add it to one of ${its} teams.`,
  )
}

export function findRepeated(
  db: Parameters<typeof store.findRepeated>[0],
  repository: FoundRepository,
  request: ScanRequest,
) {
  const isInventory = becomesInventory(request, repository)
  const { digest, commit, run } = request
  return store.findRepeated(db, repository.id, { digest, commit, isInventory, run })
}

export function becomesInventory(request: ScanRequest, repository: FoundRepository): boolean {
  return request.kind === 'SCAN_KIND_FULL' && request.ref === repository.defaultBranch
}
