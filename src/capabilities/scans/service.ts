import type { Fire } from '../../domain/trigger-event.ts'
import { namesRegistries, type PastFirewall } from '../../formats/registry-references.ts'
import { type Actor, seesEverything } from '../../kernel/access/actor.ts'
import type { ReceivedFile } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, pageRequest } from '../../kernel/contract/pagination.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import { createKeyedQueue } from '../../kernel/threads/keyed-queue.ts'
import type {
  BlockingFindings,
  BlockingRules,
  EndMerged,
  EndPullRequest,
  ListMerged,
  ReconcilePacked,
  Subjects,
} from '../findings/public.ts'
import * as inventory from '../inventory/public.ts'
import { create, lockNamed, mayClaim, unknownRepositories } from '../repositories/public.ts'
import { advisedVersion, type Matching } from '../vulnerabilities/public.ts'
import { requireOwnSubject, withOwnTag } from './bound-scan.ts'
import type { NewScan, RawScanQuery, Receipt, Scan, ScanQuery } from './contract.ts'
import { createPullRequestEnd, mergeOf } from './pull-requests/end-pull-request.ts'
import { withCompanionFiles } from './reading/companion-files.ts'
import { isInventoryFile, isUsable } from './reading/read-file.ts'
import type { ReadingPool } from './reading/reading-pool.ts'
import { type Origin, ownOrigin, readScanRequest, type ScanRequest } from './reading/scan-request.ts'
import { matchAdvisories } from './recording/match-advisories.ts'
import { type FileOutcome, fatalProblems, fileReceipts, toReceipt, toScan } from './recording/receipt.ts'
import { recordFindings } from './recording/record-findings.ts'
import { addSharedRows } from './recording/shared-rows.ts'
import * as store from './store.ts'

const longestWaitMs = 60_000
const mostPast = 200

export type ScanService = ReturnType<typeof createScanService>

export type ScanParts = {
  db: Database
  pool: ReadingPool
  /** What the identity of secrets is made with, by deployment. */
  identityKey: (deploymentId: number) => Promise<Uint8Array>
  findings: {
    reconcilePacked: ReconcilePacked
    subjects: Subjects
    blockingRules: BlockingRules
    blockingFindings: BlockingFindings
    endPullRequest: EndPullRequest
    listMerged: ListMerged
    endMerged: EndMerged
  }
  /** Raises findings of pull requests also where nobody can say whether they are new. */
  raiseUnknown: boolean
  matching: Matching
  fire?: Fire | undefined
  /** Where the firewall is, and whether clients of a deployment use it. */
  firewall: { address: string; isUsed(deploymentId: number): Promise<boolean> }
}

export function createScanService(parts: ScanParts) {
  const { db, pool, identityKey, findings, raiseUnknown, matching, fire, firewall } = parts
  // They would wait for each other in the database, each with a connection that others could use.
  const recording = createKeyedQueue<string>(longestWaitMs)

  /** `from` says which interface it came through, where that is not our own. */
  async function upload(
    actor: Actor,
    scan: NewScan,
    received: readonly ReceivedFile[],
    from: Origin = ownOrigin,
  ): Promise<Receipt> {
    const asked = readScanRequest(withOwnTag(actor, scan), received, from)
    requireOwnSubject(actor, asked)
    const request = { ...asked, files: await withCompanionFiles(asked.files) }
    const repository = await store.findRepository(db.as(actor), actor, request.repository)
    // With an Idempotency-Key the transaction has the first answer; without, a repetition need not even be read.
    const earlier = repository && !actor.once && (await findRepeated(db.as(actor), repository, request))
    if (earlier && !earlier.outdated) return toReceipt(earlier, true)
    // A version is kept apart from the inventory, so that what is in it has to be read.
    const isApart = request.version !== undefined && request.version.name !== repository?.defaultBranch
    const known = repository && !isApart ? await inventory.listFiles(db.as(actor), repository.id) : []
    let outcomes = await read(actor, request, known)
    const past = await pastFirewall(actor, request)
    if (repository || request.createRepository) {
      const isInventory = repository ? becomesInventory(request, repository) : request.kind === 'SCAN_KIND_FULL'
      await addSharedRows(db, actor, outcomes, isInventory)
    }
    for (;;) {
      const receipt = await recording.run(`${actor.deploymentId} ${request.repository}`, () =>
        db.transaction(actor, (tx) => record(tx, request, repository, { outcomes, past })),
      )
      if (receipt) return receipt
      // Another upload came in between and replaced a file that was to be left as it was.
      outcomes = await read(actor, request, [])
    }
  }

  function uploadDocument(actor: Actor, query: RawScanQuery, received: readonly ReceivedFile[]): Promise<Receipt> {
    const { path, createRepository, ...scan } = query
    const files = received.map((file) => ({ ...file, name: path }))
    return upload(actor, { ...scan, createRepository: createRepository !== 'false' }, files)
  }

  /** All reading is done before the transaction begins, one file of an upload after the other. */
  async function read(actor: Actor, request: ScanRequest, known: inventory.StoredFile[]): Promise<FileOutcome[]> {
    const key = await identityKey(actor.deploymentId)
    const byPath = new Map(known.map((file) => [file.path, file]))
    const outcomes: FileOutcome[] = []
    for (const file of request.files) {
      const stored = byPath.get(file.path)
      if (stored?.digest.equals(file.digest)) outcomes.push({ file, unchanged: stored })
      else
        outcomes.push({
          file,
          reading: await pool.read(
            actor.deploymentId,
            { ...file.received, identityKey: key, root: request.root, wanted: request.wanted, beside: file.beside },
            file.path,
          ),
        })
    }
    if (outcomes.length > 0 && outcomes.every(({ reading }) => reading && !isUsable(reading))) {
      const errors = fatalProblems(outcomes)
      throw new Fault('unprocessable', 'None of the files can be read; nothing was changed.', { errors })
    }
    return outcomes
  }

  /** What of a deployment that uses the firewall is asked for past it. */
  async function pastFirewall({ deploymentId }: Actor, { files }: ScanRequest): Promise<PastFirewall[]> {
    const named = files.filter(({ path }) => namesRegistries(path))
    if (named.length === 0 || !(await firewall.isUsed(deploymentId))) return []
    const past: PastFirewall[] = []
    for (const { path, received } of named)
      past.push(...(await pool.pastFirewall(deploymentId, received, path, firewall.address)))
    return past.slice(0, mostPast)
  }

  /** Everything an upload changes. Undefined where a file that was not read again is no longer what it was. */
  async function record(
    tx: Transaction,
    request: ScanRequest,
    likely: store.RepositoryRow | undefined,
    { outcomes, past }: { outcomes: FileOutcome[]; past: PastFirewall[] },
  ): Promise<Receipt | undefined> {
    const { repository, earlier, files } = await lockAndLook(tx, request, likely)
    if (earlier && !earlier.outdated) return toReceipt(earlier, true)
    if (request.performedAt) await checkTime(tx, request, repository.id)
    const findingsOnly =
      outcomes.length > 0 && !outcomes.some(({ unchanged, reading }) => unchanged || isInventoryFile(reading!))
    const isInventory = becomesInventory(request, repository) && !findingsOnly
    const former = new Map(files.filter(({ source }) => source === request.source).map((file) => [file.path, file]))
    if (outcomes.some(({ file, unchanged }) => unchanged && !former.get(file.path)?.digest.equals(file.digest))) {
      return undefined
    }
    if (earlier) return matchAgain(tx, request, repository, earlier, outcomes)
    const sent = new Set(outcomes.map(({ file }) => file.path))
    const removed = isInventory ? [...former.values()].filter((file) => !sent.has(file.path)) : []
    const receipt: store.StoredReceipt = {
      createdRepository: repository.created,
      files: fileReceipts(outcomes, (path) => isInventory && former.has(path)),
      removedPaths: removed.map((file) => file.path).sort(),
      ...(past.length > 0 && { pastFirewall: past }),
    }
    // What is read here and not by the scan itself is asked for at once with it.
    fire?.expect?.(tx, 'TRIGGER_SOURCE_SCAN')
    const isFull = request.kind === 'SCAN_KIND_FULL'
    const [scanId, tags, merged] = await Promise.all([
      store.insert(tx, { ...request, repositoryId: repository.id, isInventory, findingsOnly }, receipt),
      store.listTags(tx, repository.id),
      isFull ? findings.listMerged(tx, mergeOf(request, repository.id)) : [],
    ])
    tx.changed('scans', repository.id)
    const tagged = { ...repository, tags }
    if (isInventory) {
      tx.changed('dependencies', repository.id)
      const replaced = outcomes.flatMap(({ file, reading }) => {
        if (!reading?.packed) return []
        const { format, problems, problemCount, packed } = reading
        const { path, digest, received } = file
        return { path, format, bytes: received.bytes, digest, problems, problemCount, packed }
      })
      const gone = [...removed, ...replaced.flatMap(({ path }) => former.get(path) ?? [])]
      await inventory.replaceFiles(tx, { repositoryId: repository.id, scanId, source: request.source }, replaced, gone)
    }
    if (!findingsOnly) await keepVersion(tx, request, repository, scanId, outcomes)
    const about = { request, repositoryId: repository.id, scanId, raiseUnknown: raiseUnknown || request.sendsNewOnly }
    const observed = await recordFindings(tx, findings.reconcilePacked, about, outcomes)
    const matched = await matchAdvisories(tx, matching, { ...about, isInventory, files }, outcomes)
    const notCompared = [...observed.notCompared, ...(matched.baseKnown ? [] : ['dependencies'])]
    const ending = { repositoryId: repository.id, ref: request.ref, scanId, at: request.performedAt }
    await findings.endMerged(tx, merged, ending)
    const newIds = [...observed.newIds, ...matched.newIds]
    const blocked = await act(tx, request, tagged, scanId, newIds)
    const { tallies } = observed
    if (tallies.size > 0 || isBlocked(blocked) || notCompared.length > 0) {
      const files = receipt.files.map((file) => ({ ...file, findings: tallies.get(file.path) ?? file.findings! }))
      return settle(tx, scanId, { ...receipt, files, notCompared, ...blocked })
    }
    const row = await store.findReceipt(tx, tx.actor, scanId)
    return toReceipt(row!, false)
  }

  /** The same upload as before, and advisories have changed since: what they say of it now, as of today. */
  async function matchAgain(
    tx: Transaction,
    request: ScanRequest,
    repository: store.RepositoryRow,
    { id, is_inventory: isInventory, receipt }: store.ReceiptRow,
    outcomes: FileOutcome[],
  ): Promise<Receipt> {
    const today = { ...request, performedAt: undefined }
    const about = { request: today, repositoryId: repository.id, scanId: id, isInventory, raiseUnknown, files: [] }
    const { newIds } = await matchAdvisories(tx, matching, about, outcomes)
    const tagged = { ...repository, tags: await store.listTags(tx, repository.id) }
    return settle(tx, id, { ...receipt, ...(await act(tx, request, tagged, id, newIds)) }, true)
  }

  async function settle(tx: Transaction, id: number, receipt: store.StoredReceipt, repeated = false): Promise<Receipt> {
    const [, row] = await Promise.all([store.settleReceipt(tx, id, receipt), store.findReceipt(tx, tx.actor, id)])
    return toReceipt(row!, repeated)
  }

  /** Automations see what the ref or pull request is left with; they and the policies may want it blocked. */
  async function act(
    tx: Transaction,
    { ref, pullRequest, repository: name }: ScanRequest,
    { id, tags }: store.RepositoryRow & { tags: string[] },
    scanId: number,
    newIds: number[],
  ) {
    const fired = await fire?.(tx, {
      source: 'TRIGGER_SOURCE_SCAN',
      repository: { id, name, tags },
      ref,
      scanId,
      pullRequest,
      subjects: (db) => findings.subjects(db, { repositoryId: id, ref, pullRequest, newIds }),
    })
    const blockedByRules = pullRequest > 0 ? await findings.blockingRules(tx, id, pullRequest) : []
    const blocked = { blockedBy: fired?.blockedBy ?? [], blockedByRules }
    if (!isBlocked(blocked)) return { ...blocked, blockingFindings: [], blockingFindingCount: 0 }
    const told = await findings.blockingFindings(tx, { repositoryId: id, pullRequest }, fired?.blocking ?? [])
    const blockingFindings = told.findings.map((one) => ({
      ...one,
      fixedVersion: one.dependency ? advisedVersion(one.message) : '',
    }))
    return { ...blocked, blockingFindings, blockingFindingCount: told.total }
  }

  /** Undefined where the actor sees no repository of this name. */
  async function defaultBranchOf(actor: Actor, repository: string): Promise<string | undefined> {
    return (await store.findRepository(db.as(actor), actor, repository))?.defaultBranch
  }

  async function list(actor: Actor, query: ScanQuery) {
    const page = pageRequest(query)
    const { rows, ...rest } = cutPage(await store.list(db.as(actor), actor, query, page), page)
    return { scans: rows.map(toScan), ...rest }
  }

  async function get(actor: Actor, id: number): Promise<Scan> {
    const row = await store.find(db.as(actor), actor, id)
    if (!row) throw notFound(id)
    return toScan(row)
  }

  async function getReceipt(actor: Actor, id: number): Promise<Receipt> {
    const row = await store.findReceipt(db.as(actor), actor, id)
    if (!row) throw notFound(id)
    return toReceipt(row, false)
  }

  const endPullRequest = createPullRequestEnd(db, findings.endPullRequest)
  return { upload, uploadDocument, endPullRequest, defaultBranchOf, list, get, getReceipt }
}

function isBlocked({ blockedBy, blockedByRules }: Pick<Receipt, 'blockedBy' | 'blockedByRules'>): boolean {
  return blockedBy.length > 0 || blockedByRules.length > 0
}

type Target = store.RepositoryRow & { created: boolean }
type Looked = {
  repository: Target
  earlier: Awaited<ReturnType<typeof store.findRepeated>>
  files: inventory.StoredFile[]
}

/** In one round trip, where the repository is the one that was there before the transaction. */
async function lockAndLook(
  tx: Transaction,
  request: ScanRequest,
  likely: store.RepositoryRow | undefined,
): Promise<Looked> {
  const look = (repository: store.RepositoryRow) =>
    Promise.all([findRepeated(tx, repository, request), inventory.listFiles(tx, repository.id)])
  if (likely) {
    const [known, [earlier, files]] = await Promise.all([
      lockNamed(tx, tx.actor, request.repository),
      // Sent after it, so this sees what the former holder of the lock left.
      look(likely),
    ])
    if (known?.id === likely.id && known.defaultBranch === likely.defaultBranch) {
      return { repository: { ...known, created: false }, earlier, files }
    }
  }
  const repository = await lockOrCreate(tx, request)
  const [earlier, files] = await look(repository)
  return { repository, earlier, files }
}

async function lockOrCreate(tx: Transaction, request: ScanRequest): Promise<Target> {
  const { repository: name } = request
  const known = await lockNamed(tx, tx.actor, name)
  if (known) return { ...known, created: false }
  const unknown = new Fault('unknown_repository', unknownRepositories([name]))
  if (!request.createRepository || !(await mayClaim(tx, tx.actor, name))) throw unknown
  // The first that is heard of it tells what its main line is called.
  const defaultBranch = request.baseRef || request.ref
  const id = await create(tx, { name, archived: false, publiclyExposed: false, defaultBranch })
  const made = await lockNamed(tx, tx.actor, name)
  if (made) return { ...made, created: id !== undefined }
  if (id === undefined) throw unknown
  throw new Fault('forbidden', `You are not in a team that new repositories join, so you cannot create '${name}'.`)
}

async function keepVersion(
  tx: Transaction,
  { version, source }: ScanRequest,
  { id: repositoryId, defaultBranch }: store.RepositoryRow,
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

/** Numbers of the past change with a scan of the past, and what came after it would no longer fit. */
async function checkTime(tx: Transaction, request: ScanRequest, repositoryId: number): Promise<void> {
  if (!seesEverything(tx.actor)) {
    throw new Fault('forbidden', 'Only owners and admins may upload past scans: leave out performedAt.')
  }
  if (await store.hasLater(tx, { ...request, repositoryId })) {
    throw new Fault('unprocessable', 'There is already a later scan of this ref; upload past scans oldest first.')
  }
}

function findRepeated(
  db: Parameters<typeof store.findRepeated>[0],
  repository: store.RepositoryRow,
  request: ScanRequest,
) {
  const isInventory = becomesInventory(request, repository)
  return store.findRepeated(db, repository.id, { digest: request.digest, commit: request.commit, isInventory })
}

function becomesInventory(request: ScanRequest, repository: store.RepositoryRow): boolean {
  return request.kind === 'SCAN_KIND_FULL' && request.ref === repository.defaultBranch
}

function notFound(id: number): Fault {
  return new Fault('not_found', `No scan ${id}.`)
}
