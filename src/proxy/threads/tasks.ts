import { Fault } from '../../kernel/contract/fault.ts'
import { readAnywhere } from '../../kernel/disk/random-access.ts'
import type { ArchiveKind } from '../archives/archive.ts'
import { archiveContents } from '../archives/archive-contents.ts'
import type { ModuleAlgorithm } from '../cache/digest.ts'
import { readCrateIndex, withYanked } from '../cargo/crate-index.ts'
import { listWithout, readVersionList } from '../go/documents.ts'
import { moduleSum } from '../go/module-sum.ts'
import { readMetadata, withoutVersions } from '../maven/metadata.ts'
import { namesIn, withoutNames } from '../npm/audit/audit-names.ts'
import { auditedVersions } from '../npm/audit/audited-versions.ts'
import { type Form, parsePackument, readPackument } from '../npm/packument.ts'
import { abbreviate, rewritePackument } from '../npm/rewrite.ts'
import { tarballPath } from '../npm/route.ts'
import { parsedJson } from '../parsed-json.ts'
import { renderPage, shownFiles } from '../pypi/page.ts'
import { readProject } from '../pypi/project.ts'

/** A list that may be long, and what belongs to it. */
export type Listed<Row, Rest> = { rows: readonly Row[]; rest: Rest }

/** What is done with documents of registries and clients, here or in a thread: functions of bytes, which know nothing else. */
export const tasks = {
  packument(body: Buffer, { name, ...asked }: { name: string; form: Form; contentType: string }) {
    const { versions, ...rest } = readPackument(body, name, asked)
    return { rows: bounded([...versions]), rest }
  },
  rewrittenPackument(body: Buffer, given: { name: string; base: string; abbreviated: boolean; refused: string[] }) {
    const { name, base, abbreviated, refused } = given
    const raw = parsePackument(body, name)
    const seen = abbreviated ? abbreviate(raw) : raw
    const ours = rewritePackument(seen, new Set(refused), (version) => `${base}/${tarballPath(name, version)}`)
    return text(JSON.stringify(ours))
  },
  /** The parts of a packument that are asked for, as a JSON array; null for what is not there. */
  partsOfPackument(body: Buffer, { paths }: { paths: string[][] }) {
    const whole = parsedJson(body, 'What the registry sent', () => new Fault('bad_upstream', 'It is not JSON.'))
    return text(JSON.stringify(paths.map((path) => partAt(whole, path) ?? null)))
  },
  auditedVersions(body: Buffer) {
    return { rows: auditedVersions(body), rest: undefined }
  },
  namesInAudit(body: Buffer) {
    return { rows: namesIn(body), rest: undefined }
  },
  auditWithout(body: Buffer, { names }: { names: string[] }) {
    return text(withoutNames(body, new Set(names)))
  },
  project(body: Buffer, given: { contentType: string; project: string; page: string }) {
    const { files, facts } = readProject(body, given.contentType, given.project, given.page)
    return { rows: bounded([...files.values()]), rest: facts }
  },
  renderedProject(
    body: Buffer,
    given: {
      contentType: string
      project: string
      page: string
      base: string
      form: 'json' | 'html'
      refused: [filename: string, why: string][]
    },
  ) {
    const { contentType, project, page, base, form, refused } = given
    const read = readProject(body, contentType, project, page)
    return text(renderPage(project, shownFiles(base, project, new Map(refused), read), form))
  },
  mavenMetadata(body: Buffer) {
    const { versions, updatedAt } = readMetadata(body)
    return { rows: bounded(versions), rest: { updatedAt } }
  },
  mavenMetadataWithout(body: Buffer, { refused }: { refused: string[] }) {
    return text(withoutVersions(readMetadata(body), new Set(refused)))
  },
  crateIndex(body: Buffer, { name }: { name: string }) {
    return { rows: bounded(readCrateIndex(body, name)), rest: undefined }
  },
  crateIndexYanked(body: Buffer, { name, refused }: { name: string; refused: string[] }) {
    return text(withYanked(body, name, new Set(refused)))
  },
  moduleVersions(body: Buffer) {
    return { rows: bounded(readVersionList(body)), rest: undefined }
  },
  moduleVersionsWithout(body: Buffer, { refused }: { refused: string[] }) {
    return text(listWithout(body, new Set(refused)))
  },
  /** Of a file that is open in this process, or of the bytes themselves. Empty for what is not such a file. */
  moduleSum(body: Buffer, { algorithm, file }: { algorithm: ModuleAlgorithm; file?: OpenFile }) {
    return text(moduleSum(algorithm, sourceOf(body, file)) ?? '')
  },
  /** The same for what is in an archive, as JSON. */
  archiveContents(body: Buffer, { kind, file }: { kind: ArchiveKind; file?: OpenFile }) {
    return text(JSON.stringify(archiveContents(kind, sourceOf(body, file))))
  },
}

type OpenFile = { fd: number; size: number }

function sourceOf(body: Buffer, file: OpenFile | undefined) {
  if (file) return readAnywhere(file.fd, file.size)
  return { size: body.length, read: (from: number, length: number) => body.subarray(from, from + length) }
}

export type Tasks = typeof tasks
export type TaskName = keyof Tasks
/** What is given beside the body is text, because a long list is handed over much faster as one. */
export type TaskMessage = { task: TaskName; body: Uint8Array; given: string }

export type Refusal = { code: Fault['code']; message: string }

const rowsInPart = 1_000

/** In parts that the thread of the requests can take in one at a time; the last one is what is not a row, or why there is none. */
export function* perform({
  task,
  body,
  given,
}: TaskMessage): Generator<unknown, { rest?: unknown; refusal?: Refusal }> {
  try {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    const done = (tasks[task] as (body: Buffer, given: unknown) => Uint8Array | Listed<unknown, unknown>)(
      bytes,
      JSON.parse(given),
    )
    if (done instanceof Uint8Array) return { rest: done }
    for (let at = 0; at < done.rows.length; at += rowsInPart) yield done.rows.slice(at, at + rowsInPart)
    return { rest: done.rest }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { refusal: { code: error.code, message: error.message } }
  }
}

/** More than any package has. What is listed is kept in memory, entry by entry. */
const mostRows = 100_000

function bounded<Row>(rows: Row[]): Row[] {
  if (rows.length <= mostRows) return rows
  throw new Fault('bad_upstream', `The registry lists more than ${mostRows} versions or files of one package.`)
}

function text(content: string): Uint8Array {
  return Buffer.from(content)
}

function partAt(value: unknown, path: readonly string[]): unknown {
  let part = value
  for (const name of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined
    part = (part as Record<string, unknown>)[name]
  }
  return part
}
