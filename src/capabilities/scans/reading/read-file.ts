import { pathWithin } from '../../../domain/sources.ts'
import type { Format, InventoryItem, Problem } from '../../../formats/format.ts'
import { entryProblem, fatalProblem, quote } from '../../../formats/problem.ts'
import { formats, headBytes, recogniseFormat, usesName, usesPath } from '../../../formats/registry.ts'
import { requirements } from '../../../formats/requirements/reader.ts'
import { sarif } from '../../../formats/sarif/reader.ts'
import type { ReadOptions } from '../../../formats/sarif/result.ts'
import { semgrepResults } from '../../../formats/semgrep-results/reader.ts'
import { headText } from '../../../formats/text/bytes.ts'
import { type AnyToolReport, recogniseReport, toolReports } from '../../../formats/tool-report/recognise-report.ts'
import { readToolReport } from '../../../formats/tool-report/tool-report.ts'
import { type FileRange, pieces, readPiece } from '../../../kernel/disk/file-range.ts'
import { storableText } from '../../../kernel/text/storable-text.ts'
import { type PackedInventory, packColumns } from '../../inventory/public.ts'
import { readFindings, type SourceFindings } from './read-findings.ts'
import type { FilesBeside, FindingsWanted } from './scan-request.ts'

/** What was read from one file: dependencies or findings, or neither where nothing of it can be used. */
export type FileReading = {
  /** '' where no format was recognised. */
  format: string
  problems: Problem[]
  problemCount: number
  packed: PackedInventory | undefined
  findings?: SourceFindings[] | undefined
}

export type FilePlace = FileRange & {
  /** What the identity of secrets is made with. */
  identityKey?: Uint8Array
  /** The folder of the checkout where the tools ran; '' where not known. */
  root?: string
  /** The folder of the repository that was looked at; '' where that is all of it. */
  part?: string
  wanted?: FindingsWanted
  beside?: FilesBeside | undefined
}

const maxProblems = 100

/** SARIF logs, and what is read as if it were one. */
const logFormats = [sarif, semgrepResults]
type LogFormat = (typeof logFormats)[number]

/** Recognises and reads a file, from disk, piece by piece. Blocks its thread for as long as that takes. */
export function readFile(file: FilePlace, path: string): FileReading {
  const reading = recogniseAndRead(file, path)
  const announced = file.wanted?.formats
  if (!announced || reading.format === '' || announced.includes(reading.format)) return reading
  const detail = `The file is of the format ${reading.format}, and was announced as ${announced.join(' or ')}.`
  return failedReading(fatalProblem('wrong-format', detail))
}

function recogniseAndRead(file: FilePlace, path: string): FileReading {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const head = file.bytes === 0 ? new Uint8Array() : readPiece(file, 0, headBytes)
  // Before the others, because its own files may name a package in a result that looks like one of theirs.
  const log = logFormats.find((each) => each.recognises(head, name))
  if (log) return readLog(log, file, name)
  const format = recogniseFormat(head, path)
  if (format) return readAs(format, file, name)
  const report = recogniseReport(head, name)
  if (report) return readReport(report, file, path)
  // A list of bare names, which another requirements file includes.
  if (file.beside?.requirements) return readAs(requirements, file, name)
  // Its name may be right and its content broken: the reader of that name can say where.
  const named = formats.filter((each) => usesName(each, name))
  if (named.length === 0 && sarif.fileNames.some((pattern) => pattern.test(name))) return readLog(sarif, file, name)
  return named.length === 1 ? readAs(named[0]!, file, name) : unrecognised(headText(head))
}

/** Whether anything of it can be used. */
export function isUsable(reading: FileReading): boolean {
  return reading.packed !== undefined || reading.findings !== undefined
}

/** Whether it tells of dependencies: it, or an earlier version of it, belongs to the inventory. */
export function isInventoryFile(reading: FileReading): boolean {
  return reading.format !== '' && !findingFormats.has(reading.format)
}

/** Whether it tells of findings, or may: of a file whose reading failed only the name says what it is. */
export function mayHaveFindings({ format }: FileReading, path: string): boolean {
  return format === '' ? !formats.some((each) => usesPath(each, path)) : findingFormats.has(format)
}

/** Whether it tells of dependencies, or may. */
export function mayHaveDependencies({ format }: FileReading, path: string): boolean {
  return format === '' ? !sarif.fileNames.some((pattern) => pattern.test(path)) : !findingFormats.has(format)
}

const findingFormats: ReadonlySet<string> = new Set([...logFormats, ...toolReports].map(({ id }) => id))

/** For a file whose reading itself failed. */
export function failedReading(problem: Problem): FileReading {
  return { format: '', problems: [problem], problemCount: 1, packed: undefined }
}

function readAs(format: Format, file: FilePlace, name: string): FileReading {
  const { goMod, requirements: others } = file.beside ?? {}
  const reading = format.read(pieces(file), name, { goMod: goMod && pieces(goMod), requirements: others })
  const problems = [...reading.problems]
  if (problems.some((problem) => problem.fatal)) return summary(format, problems, undefined)
  return summary(
    format,
    problems,
    packColumns(reading.items, (item) => problems.push(leftOut(item)), reading.statements),
  )
}

function readLog(format: LogFormat, file: FilePlace, name: string): FileReading {
  const { problems, sources } = readFindings((options) => format.read(() => pieces(file), name, options), file)
  return { ...summary(format, problems, undefined), findings: sources }
}

function readReport(report: AnyToolReport, file: FilePlace, path: string): FileReading {
  const read = (options: ReadOptions) => readToolReport(report, () => pieces(file), pathWithin(path), options)
  const { problems, sources } = readFindings(read, file)
  return { ...summary(report, problems, undefined), findings: sources }
}

function summary(format: Pick<Format, 'id'>, problems: Problem[], packed: PackedInventory | undefined): FileReading {
  // A problem that is fatal says why there is nothing else, so it must not be cut off.
  const first = [...problems].sort((a, b) => Number(b.fatal) - Number(a.fatal)).slice(0, maxProblems)
  return { format: format.id, problems: first.map(storable), problemCount: problems.length, packed }
}

function leftOut(item: InventoryItem): Problem {
  const what = `${quote(item.name)} in version ${quote(item.version)}`
  return entryProblem(
    'bad-entry',
    `The entry ${what} is too long or contains characters that no package name or version has.`,
    item.line,
  )
}

function storable(problem: Problem): Problem {
  return { ...problem, detail: storableText(problem.detail), pointer: storableText(problem.pointer, 500) }
}

function unrecognised(start: string): FileReading {
  if (/^\s{0,100}(\[\s{0,100}\]|null)\s{0,100}$/.test(start)) {
    const detail = `This is a report without an entry, and does not say which tool wrote it. Gitleaks writes such reports: have 'gitleaks' in the name of its file, for example gitleaks.json.`
    return failedReading(fatalProblem('unrecognised', detail))
  }
  const known = [...formats, ...logFormats, ...toolReports].map((format) => format.title).join(', ')
  const detail = `The format of the content is not supported. Supported formats: ${known}.`
  return failedReading(fatalProblem('unrecognised', detail))
}
