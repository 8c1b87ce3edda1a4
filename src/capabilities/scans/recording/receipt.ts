import { type StoredFile, statementCount } from '../../inventory/public.ts'
import type { Receipt, Scan, ScanFile, ScanProblem } from '../contract.ts'
import { type FileReading, isUsable } from '../reading/read-file.ts'
import type { ScannedFile } from '../reading/scan-request.ts'
import type { ReceiptRow, ScanRow } from '../store.ts'

/** What became of one file: read now, or found to be what an earlier scan has read. */
export type FileOutcome = { file: ScannedFile; reading?: FileReading; unchanged?: StoredFile }

const maxProblems = 10_000

/** `kept` tells whether the inventory keeps what an earlier scan read from this path. */
export function fileReceipts(outcomes: readonly FileOutcome[], kept: (path: string) => boolean): ScanFile[] {
  let room = maxProblems
  return outcomes.map(({ file, reading, unchanged }) => {
    const problems = (unchanged?.problems ?? reading?.problems ?? []).slice(0, room)
    room -= problems.length
    return {
      path: file.path,
      status: statusOf(reading),
      format: unchanged?.format ?? reading?.format ?? '',
      bytes: file.received.bytes,
      dependencies: unchanged?.dependency_count ?? reading?.packed?.count ?? 0,
      findings: findingsIn(reading),
      statements: unchanged?.statement_count ?? (reading?.packed ? statementCount(reading.packed) : 0),
      keptPrevious: reading !== undefined && !isUsable(reading) && kept(file.path),
      problems,
      problemCount: unchanged?.problem_count ?? reading?.problemCount ?? 0,
    }
  })
}

export const noFindings: ScanFile['findings'] = {
  total: 0,
  raised: 0,
  reopened: 0,
  fixed: 0,
  inherited: 0,
  undetermined: 0,
  complete: true,
}

function findingsIn(reading: FileReading | undefined): ScanFile['findings'] {
  const sources = reading?.findings ?? []
  const total = sources.reduce((sum, { packed }) => sum + packed.count, 0)
  return { ...noFindings, total, complete: sources.every(({ complete }) => complete) }
}

function statusOf(reading: FileReading | undefined): ScanFile['status'] {
  if (!reading) return 'FILE_STATUS_UNCHANGED'
  if (isUsable(reading)) return 'FILE_STATUS_READ'
  return reading.problems[0]?.code === 'unrecognised' ? 'FILE_STATUS_UNRECOGNISED' : 'FILE_STATUS_UNREADABLE'
}

/** One line for each file that cannot be used, for the answer to an upload of which none can. */
export function fatalProblems(outcomes: readonly FileOutcome[]): { pointer: string; detail: string }[] {
  return outcomes.slice(0, 100).map(({ file, reading }) => {
    const problem = reading?.problems[0]
    const pointer = `/${file.path.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return { pointer, detail: problem ? placed(problem) : 'nothing of it could be used' }
  })
}

function placed({ detail, line }: ScanProblem): string {
  return line > 0 && !detail.includes(`line ${line}`) ? `line ${line}: ${detail}` : detail
}

export function toScan(row: ScanRow): Scan {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    repository: row.repository,
    kind: row.kind,
    ref: row.ref,
    commit: row.commit,
    pullRequest: row.pull_request,
    baseRef: row.base_ref,
    tool: row.tool,
    source: row.source,
    isInventory: row.is_inventory,
    fileCount: row.file_count,
    dependencyCount: row.dependency_count,
    findingCount: row.finding_count,
    problemCount: row.problem_count,
    raisedCount: row.raised_count,
    fixedCount: row.fixed_count,
    blocked: row.blocked,
    performedAt: (row.performed_at ?? row.created_at).toISOString(),
    createdAt: row.created_at.toISOString(),
  }
}

export function toReceipt(row: ReceiptRow, repeated: boolean): Receipt {
  const {
    files,
    blockedBy = [],
    blockedByRules = [],
    notCompared = [],
    known: _,
    run: _run,
    outside: _outside,
    ...receipt
  } = row.receipt
  const {
    blockingFindings = [],
    blockingFindingCount = 0,
    pastFirewall = [],
    part = '',
    fixedAdvisoryFindings = 0,
  } = row.receipt
  const blocked = blockedBy.length > 0 || blockedByRules.length > 0
  const shown = files.map((file) => ({
    ...file,
    findings: { ...noFindings, ...file.findings },
    statements: file.statements ?? 0,
  }))
  return {
    scan: toScan(row),
    repeated,
    ...receipt,
    files: shown,
    part,
    fixedAdvisoryFindings,
    pastFirewall,
    notCompared,
    repositoryArchived: row.archived,
    openAdvisoryFindings: row.open_by_advisories,
    advisoriesLoaded: row.advisories_loaded,
    blocked,
    blockedBy,
    blockedByRules,
    blockingFindings,
    blockingFindingCount,
  }
}
