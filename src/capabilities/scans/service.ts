import type { Fire } from '../../domain/trigger-event.ts'
import { namesRegistries, type PastFirewall } from '../../formats/registry-references/registry-references.ts'
import { type Actor, seesEverything } from '../../kernel/access/actor.ts'
import type { ReceivedFile } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, pageRequest } from '../../kernel/contract/pagination.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import { inStep } from '../../kernel/database/in-step.ts'
import { createKeyedQueue } from '../../kernel/threads/keyed-queue.ts'
import type {
  BlockingFindings,
  BlockingRules,
  EndMerged,
  EndPullRequest,
  ListMerged,
  ReconcilePacked,
  SettleDuplicates,
  Subjects,
} from '../findings/public.ts'
import * as inventory from '../inventory/public.ts'
import { type FoundRepository, findNamed } from '../repositories/public.ts'
import { advisedVersion, type Matching } from '../vulnerabilities/public.ts'
import { requireOwnSubject, withOwnTag } from './bound-scan.ts'
import type { NewScan, RawScanQuery, Receipt, Scan, ScanQuery } from './contract.ts'
import { createPullRequestEnd, mergeOf, namesMerges } from './pull-requests/end-pull-request.ts'
import { withCompanionFiles } from './reading/companion-files.ts'
import { isInventoryFile, isUsable } from './reading/read-file.ts'
import type { ReadingPool } from './reading/reading-pool.ts'
import { isInPart, type Origin, ownOrigin, readScanRequest, type ScanRequest } from './reading/scan-request.ts'
import { becomesInventory, findRepeated, type Looked, lockAndLook } from './recording/lock-and-look.ts'
import { matchAdvisories } from './recording/match-advisories.ts'
import { type FileOutcome, fatalProblems, fileReceipts, toReceipt, toScan } from './recording/receipt.ts'
import { recordFindings } from './recording/record-findings.ts'
import { keepVersion, replaceInventory } from './recording/record-inventory.ts'
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
    settleDuplicates: SettleDuplicates
  }
  /** Raises findings of pull requests also where nobody can say whether they are new. */
  raiseUnknown: boolean
  matching: Matching
  fire?: Fire | undefined
  /** Where the firewall is, and whether clients of a deployment use it. */
  firewall: { address: string; isUsed(deploymentId: number): Promise<boolean> }
}

/** One upload to a repository after the other. */
type InTurn = <T>(work: () => Promise<T>) => Promise<T>

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
    const inTurn: InTurn = (work) => recording.run(`${actor.deploymentId} ${asked.repository}`, work)
    // What is read in the thread of all requests is read in turn as well: others would wait for forty that come together.
    if (asked.files.every(({ received }) => pool.readsHere(received)))
      return inTurn(() => readAndRecord(actor, asked, (work) => work()))
    return readAndRecord(actor, asked, inTurn)
  }

  async function readAndRecord(actor: Actor, asked: ScanRequest, inTurn: InTurn): Promise<Receipt> {
    const request = { ...asked, files: await withCompanionFiles(asked.files) }
    const repository = await findNamed(db.as(actor), actor, request.repository)
    // A version is kept apart from the inventory, so that what is in it has to be read.
    const isApart = request.version !== undefined && request.version.name !== repository?.defaultBranch
    const [earlier, known, merged] = await Promise.all([
      // With an Idempotency-Key the transaction has the first answer; without, a repetition need not even be read.
      repository && !actor.idempotencyKey ? findRepeated(db.as(actor), repository, request) : undefined,
      repository && !isApart ? inventory.listFiles(db.as(actor), repository.id) : [],
      repository && namesMerges(request) ? findings.listMerged(db.as(actor), mergeOf(request, repository.id)) : [],
    ])
    if (earlier && !earlier.outdated && merged.length === 0) return toReceipt(earlier, true)
    let outcomes = await read(actor, request, known)
    const past = await pastFirewall(actor, request)
    if (repository || request.createRepository) {
      const isInventory = repository ? becomesInventory(request, repository) : request.kind === 'SCAN_KIND_FULL'
      await addSharedRows(db, actor, outcomes, isInventory)
    }
    for (;;) {
      const receipt = await inTurn(() =>
        db.transactionWithReply(actor, (tx) => record(tx, request, repository, { outcomes, past })),
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
    const { root, part, wanted } = request
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
            { ...file.received, identityKey: key, root, part, wanted, beside: file.beside },
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

  /** Everything an upload changes. Its reply is undefined where a file that was not read again is no longer what it was. */
  async function record(
    tx: Transaction,
    asked: ScanRequest,
    likely: FoundRepository | undefined,
    { outcomes, past }: { outcomes: FileOutcome[]; past: PastFirewall[] },
  ): Promise<() => Promise<Receipt | undefined>> {
    const findingsOnly =
      outcomes.length > 0 && !outcomes.some(({ unchanged, reading }) => unchanged || isInventoryFile(reading!))
    const newFiles = findingsOnly ? [] : outcomes.flatMap(({ reading }) => reading?.packed ?? [])
    const looked = await lockAndLook(tx, asked, likely, newFiles, findings.listMerged)
    const { repository, earlier, files, scanId, merged, outside } = looked
    // It may have been renamed since whoever uploads was told its name.
    const request = { ...asked, repository: repository.name }
    if (earlier && !earlier.outdated) {
      await findings.endMerged(tx, merged, { repositoryId: repository.id, ref: request.ref, scanId: earlier.id })
      return async () => toReceipt(earlier, true)
    }
    if (request.performedAt) requireOldestFirst(tx.actor, looked)
    const isInventory = becomesInventory(request, repository) && !findingsOnly
    const former = new Map(files.filter(({ source }) => source === request.source).map((file) => [file.path, file]))
    if (outcomes.some(({ file, unchanged }) => unchanged && !former.get(file.path)?.digest.equals(file.digest))) {
      return async () => undefined
    }
    // What is read here and not by the scan itself is asked for at once with it.
    fire?.expect?.(tx, 'TRIGGER_SOURCE_SCAN', { repositoryName: request.repository, pullRequest: request.pullRequest })
    if (earlier) return matchAgain(tx, request, looked, earlier, outcomes)
    const sent = new Set(outcomes.map(({ file }) => file.path))
    const removed = isInventory
      ? [...former.values()].filter(({ path }) => isInPart(request, path) && !sent.has(path))
      : []
    const receipt: store.StoredReceipt = {
      createdRepository: repository.created,
      files: fileReceipts(outcomes, (path) => isInventory && former.has(path)),
      removedPaths: removed.map((file) => file.path).sort(),
      ...(request.part !== '' && { part: request.part }),
      ...(request.run !== '' && { run: request.run }),
      ...(outside && { outside }),
      ...(past.length > 0 && { pastFirewall: past }),
    }
    tx.changed('scans', repository.id)
    if (isInventory) tx.changed('dependencies', repository.id)
    const raisesUnknown = raiseUnknown || request.sendsNewOnly
    const about = { request, repositoryId: repository.id, scanId, outside, raiseUnknown: raisesUnknown }
    const row = { ...request, id: scanId, repositoryId: repository.id, isInventory, findingsOnly }
    const [observed, matched] = await inStep(tx, [
      (tx) => recordFindings(tx, findings.reconcilePacked, about, outcomes),
      (tx) => {
        const match = (tx: Transaction, brought?: inventory.BroughtFiles) =>
          matchAdvisories(tx, matching, { ...looked, ...about, isInventory, removed }, outcomes, brought)
        return isInventory ? replaceInventory(tx, request, { ...looked, former, removed }, outcomes, match) : match(tx)
      },
      (tx) => store.insert(tx, row, receipt),
      async (tx) => (findingsOnly ? undefined : keepVersion(tx, request, repository, scanId, outcomes)),
      (tx) => findings.endMerged(tx, merged, { ...about, ref: request.ref, at: request.performedAt }),
    ])
    const notCompared = [...observed.notCompared, ...(matched.baseKnown ? [] : ['dependencies'])]
    const newIds = [...observed.newIds, ...matched.newIds]
    const blocked = await act(tx, request, { ...repository, tags: looked.tags }, scanId, newIds)
    const { tallies } = observed
    const { fixed } = matched
    if (tallies.size > 0 || isBlocked(blocked) || notCompared.length > 0 || fixed > 0) {
      const files = receipt.files.map((file) => ({ ...file, findings: tallies.get(file.path) ?? file.findings! }))
      return () => settle(tx, scanId, { ...receipt, files, notCompared, fixedAdvisoryFindings: fixed, ...blocked })
    }
    return async () => toReceipt((await store.findReceipt(tx, tx.actor, scanId))!, false)
  }

  /** The same upload as before, and advisories have changed since: what they say of it now, as of today. */
  async function matchAgain(
    tx: Transaction,
    request: ScanRequest,
    { repository, tags, hasInventory, merged, files: inInventory }: Looked,
    { id, is_inventory: isInventory, receipt }: store.ReceiptRow,
    outcomes: FileOutcome[],
  ): Promise<() => Promise<Receipt>> {
    const today = { ...request, performedAt: undefined }
    // The inventory is that of the scan itself, or what a pull request is compared with.
    const before = { files: isInventory ? [] : inInventory, removed: [] }
    const about = { request: today, repositoryId: repository.id, scanId: id, isInventory, raiseUnknown, ...before }
    const [{ newIds }] = await inStep(tx, [
      (tx) => matchAdvisories(tx, matching, { ...about, hasInventory }, outcomes),
      (tx) => findings.endMerged(tx, merged, { ...about, ref: request.ref }),
    ])
    const acted = await act(tx, request, { ...repository, tags }, id, newIds)
    return () => settle(tx, id, { ...receipt, ...acted }, true)
  }

  async function settle(tx: Transaction, id: number, receipt: store.StoredReceipt, repeated = false): Promise<Receipt> {
    const [, row] = await Promise.all([store.settleReceipt(tx, id, receipt), store.findReceipt(tx, tx.actor, id)])
    return toReceipt(row!, repeated)
  }

  /** Automations see what the ref or pull request is left with; they and the policies may want it blocked. */
  async function act(
    tx: Transaction,
    { ref, pullRequest, repository: name }: ScanRequest,
    { id, tags }: FoundRepository & { tags: string[] },
    scanId: number,
    newIds: number[],
  ) {
    findings.settleDuplicates(tx, id)
    const readRules = async () => (pullRequest > 0 ? findings.blockingRules(tx, id, pullRequest) : [])
    const [fired, rulesBefore] = await Promise.all([
      fire?.(tx, {
        source: 'TRIGGER_SOURCE_SCAN',
        repository: { id, name, tags },
        ref,
        scanId,
        pullRequest,
        subjects: (db) => findings.subjects(db, { repositoryId: id, ref, pullRequest, newIds }),
      }),
      readRules(),
    ])
    const rules = fired?.decided ? await readRules() : rulesBefore
    const blockedByRules = [...new Set(rules.map(({ rule }) => rule))]
    const blocked = { blockedBy: fired?.blockedBy ?? [], blockedByRules }
    if (!isBlocked(blocked)) return { ...blocked, blockingFindings: [], blockingFindingCount: 0 }
    const told = await findings.blockingFindings(tx, { repositoryId: id, pullRequest, rules }, fired?.blocking ?? [])
    const blockingFindings = told.findings.map((one) => ({
      ...one,
      fixedVersion: one.dependency ? advisedVersion(one.message) : '',
    }))
    return { ...blocked, blockingFindings, blockingFindingCount: told.total }
  }

  /** Undefined where the actor sees no repository of this name. */
  async function defaultBranchOf(actor: Actor, repository: string): Promise<string | undefined> {
    return (await findNamed(db.as(actor), actor, repository))?.defaultBranch
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

/** Numbers of the past change with a scan of the past, and what came after it would no longer fit. */
function requireOldestFirst(actor: Actor, { hasLater }: Looked): void {
  if (!seesEverything(actor)) {
    throw new Fault('forbidden', 'Only owners and admins may upload past scans: leave out performedAt.')
  }
  if (!hasLater) return
  throw new Fault('unprocessable', 'There is already a later scan of this ref; upload past scans oldest first.')
}

function notFound(id: number): Fault {
  return new Fault('not_found', `No scan ${id}.`)
}
