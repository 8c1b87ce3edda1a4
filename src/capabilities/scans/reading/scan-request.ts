import { createHash } from 'node:crypto'
import packageJson from '../../../../package.json' with { type: 'json' }
import type { Severity } from '../../../domain/finding-terms.ts'
import { isForeignPath, ownSource, pathFrom, type Source } from '../../../domain/sources.ts'
import type { RequirementsBeside } from '../../../formats/format.ts'
import { readersRevision } from '../../../formats/registry.ts'
import type { ReceivedFile } from '../../../kernel/contract/api.ts'
import { Fault, type FieldError } from '../../../kernel/contract/fault.ts'
import type { FileRange } from '../../../kernel/disk/file-range.ts'
import type { NewScan, Scan } from '../contract.ts'
import { readFilePath } from './file-path.ts'

/** An upload, checked: what it is about, and its files by their paths. */
export type ScanRequest = {
  repository: string
  createRepository: boolean
  kind: Scan['kind']
  ref: string
  commit: string
  pullRequest: number
  baseRef: string
  tool: string
  /** Where the repository was checked out when the tools ran; '' where not said. */
  root: string
  /** Folder that was looked at; '' where that is all of the repository. */
  part: string
  /** Of a full scan: what its commit brings into the ref. */
  parents: readonly string[]
  mergedPullRequests: readonly number[]
  /** Of the CI service; '' where not said. */
  run: string
  /** Which interface it came through. */
  source: Source
  /** What of the findings its tools looked at; all where not said. */
  scope: Completeness
  /** All findings in it are new in its pull request, whatever is known of the base. */
  sendsNewOnly: boolean
  /** Of a version that is kept though it is not the default branch. */
  version: KeptVersion | undefined
  /** Undefined: just now. */
  performedAt: Date | undefined
  files: ScannedFile[]
  wanted: FindingsWanted
  /** The same for the same upload. */
  digest: Buffer
}

/** What whoever sends findings says about all of them, where the logs themselves do not. */
export type FindingsWanted = {
  /** Of runs that name none. */
  category?: string
  /** A category that begins with this says nothing: its run counts as one that names none. */
  emptyCategory?: string
  /** Tells senders apart that use the same tool side by side: none of them fixes what another found. */
  partition?: string
  /** Below it nothing is raised; what is known already stays known. */
  minimumSeverity?: Severity
  /** The file is of one of these formats; another one is refused. */
  formats?: readonly string[]
}

/**
 * `digest` also covers the version of our readers, because another one may read something else from the same bytes.
 * `beside`: what other files of the upload say about it.
 */
export type ScannedFile = { path: string; received: ReceivedFile; digest: Buffer; beside?: FilesBeside }

export type FilesBeside = {
  goMod?: FileRange
  requirements?: RequirementsBeside
}

/** What a client says about how much it looked at. What it did not look at is never called fixed. */
export type Completeness = {
  /** Whether what is not found any more counts as fixed at all. */
  closes: boolean
  /** Whether a finding, by its rule and path, would have been found again; all of the tool's where not said. */
  covers?: Covers
  /** What was not looked for and ends all the same, because its file is not looked at any more; `why` is for its history. */
  ends?: { covers: Covers; why: string } | undefined
}

type Covers = (finding: { ruleId: string; path: string }) => boolean

/** A version by the name that people give it, which need not be a branch. The latest becomes the inventory as well. */
export type KeptVersion = { name: string; isLatest: boolean }

/** How a scan came: through which interface, and what that says of it. */
export type Origin = {
  source: Source
  completeness?: Completeness
  version?: KeptVersion
  findings?: FindingsWanted
  /** Of a client that compares a pull request with its base itself: all it sends is new. */
  sendsNewOnly?: boolean
  /** Which run of the client it is of. What one run sends twice is one scan; another run is looked at afresh. */
  run?: string
}

export const ownOrigin: Origin = { source: ownSource }

/** Clocks of build machines may be a little ahead. */
const mostSkewMs = 5 * 60_000

export function readScanRequest(scan: NewScan, received: readonly ReceivedFile[], from = ownOrigin): ScanRequest {
  const errors: FieldError[] = []
  const { kind = 'SCAN_KIND_FULL', pullRequest = 0, commit = '', tool = '', root = '', part: folder = '' } = scan
  if (kind === 'SCAN_KIND_PULL_REQUEST') {
    for (const key of ['pullRequest', 'baseRef'] as const) {
      if (scan[key] === undefined) errors.push({ pointer: `/${key}`, detail: 'is required for a pull request' })
    }
    for (const key of ['parents', 'mergedPullRequests'] as const) {
      if (scan[key] !== undefined) errors.push({ pointer: `/${key}`, detail: 'is only for a full scan' })
    }
  } else {
    for (const key of ['pullRequest', 'baseRef'] as const) {
      if (scan[key] !== undefined) errors.push({ pointer: `/${key}`, detail: 'is only for a pull request' })
    }
  }
  const performedAt = scan.performedAt === undefined ? undefined : new Date(scan.performedAt)
  if (performedAt && performedAt.getTime() > Date.now() + mostSkewMs) {
    errors.push({ pointer: '/performedAt', detail: 'is in the future' })
  }
  const part = readPart(folder, errors)
  const files = readFiles(received, from.source, errors)
  if (errors.length > 0) throw new Fault('validation_failed', 'The upload does not fit the contract.', { errors })
  if (files.length === 0 && !scan.allowEmpty) {
    throw new Fault('unprocessable', 'The upload has no file. To say that the repository has none, set allowEmpty.')
  }
  const ref = branchOf(scan.ref)
  const baseRef = branchOf(scan.baseRef ?? '')
  const scope = from.completeness ?? { closes: true }
  const about = [
    kind,
    ref,
    commit,
    pullRequest,
    baseRef,
    // Only where it is said, so that uploads from before it could be said are still the same.
    ...(root === '' ? [] : [root]),
    ...(part === '' ? [] : [{ part }]),
    ...(from.source === ownSource ? [] : [from.source, from.version ?? null]),
    ...(from.findings ? [from.findings] : []),
    ...(scope.closes ? [] : ['closes nothing']),
    ...(from.run === undefined ? [] : [from.run]),
    ...files.map(({ path, digest }) => [path, digest.toString('hex')]),
  ]
  const digest = createHash('sha256').update(JSON.stringify(about)).digest()
  const createRepository = scan.createRepository ?? true
  const { repository } = scan
  return {
    repository,
    createRepository,
    kind,
    ref,
    commit,
    pullRequest,
    baseRef,
    tool,
    root,
    part,
    run: scan.run ?? '',
    source: from.source,
    scope,
    sendsNewOnly: from.sendsNewOnly ?? false,
    version: from.version,
    parents: scan.parents ?? [],
    mergedPullRequests: scan.mergedPullRequests ?? [],
    performedAt,
    files,
    wanted: from.findings ?? {},
    digest,
  }
}

function readPart(given: string, errors: FieldError[]): string {
  if (given === '') return ''
  const { path, fault } = readFilePath(given.replace(/\/+$/, ''))
  if (fault !== undefined) errors.push({ pointer: '/part', detail: fault })
  return path ?? ''
}

/** Whether a path is in the part of the repository that was looked at. */
export function isInPart({ part }: Pick<ScanRequest, 'part'>, path: string): boolean {
  return part === '' || path === part || path.startsWith(`${part}/`)
}

function readFiles(received: readonly ReceivedFile[], source: Source, errors: FieldError[]): ScannedFile[] {
  const files = new Map<string, ScannedFile>()
  for (const file of received) {
    const { path, fault } = readFilePath(pathFrom(source, file.name))
    const pointer = `/${file.name.slice(0, 200).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (fault !== undefined) errors.push({ pointer, detail: `the name of a file ${fault}` })
    else if (source === ownSource && isForeignPath(path)) {
      errors.push({ pointer, detail: 'such a name is only for what clients of other products send' })
    } else if (files.has(path)) errors.push({ pointer, detail: 'there are two files of this name' })
    else files.set(path, { path, received: file, digest: digestOf(file) })
    if (errors.length === 100) break
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

function digestOf(file: ReceivedFile): Buffer {
  return createHash('sha256')
    .update(`${packageJson.version} ${readersRevision}`)
    .update('\0')
    .update(file.digest)
    .digest()
}

/** A branch by its name alone; other refs stay as they are. */
export function branchOf(ref: string): string {
  return ref.replace(/^refs\/heads\//, '')
}
