import { hash } from 'node:crypto'
import { severity as codes } from '../../../domain/finding-codes.ts'
import type { Severity } from '../../../domain/finding-terms.ts'
import type { Problem } from '../../../formats/format.ts'
import { entryProblem, fatalProblem, quote } from '../../../formats/problem.ts'
import type { Finding, SarifPart } from '../../../formats/sarif/finding.ts'
import { isAbsolute } from '../../../formats/sarif/log/file-path.ts'
import type { ReadOptions, RunSummary } from '../../../formats/sarif/result.ts'
import { createPacker, type PackedFindings } from '../../findings/public.ts'
import { type FindingsWanted, isInPart } from './scan-request.ts'

/** What one tool found, by one log or report, and the files that it could not search to their end. */
export type SourceFindings = { source: string; complete: boolean; unsearched: string[]; packed: PackedFindings }

export type FindingsReading = { problems: Problem[]; sources: SourceFindings[] | undefined }

/** Beyond these a log is refused: what is read of it has to fit into memory until it is stored. */
const maxFindings = 250_000
const maxCharacters = 150_000_000

type Options = Pick<ReadOptions, 'identityKey' | 'root'> & { part?: string; wanted?: FindingsWanted | undefined }

/**
 * Findings of a log or report, tool by tool. A tool that ran and found nothing is there as well; one that failed, or has a
 * result that cannot be read, is not complete.
 */
export function readFindings(
  read: (options: ReadOptions) => Iterable<SarifPart>,
  { identityKey, root, part = '', wanted = {} }: Options,
): FindingsReading {
  const problems: Problem[] = []
  type Source = { complete: boolean; unsearched: string[]; packer: ReturnType<typeof createPacker> }
  const sources = new Map<string, Source>()
  const byRun: ReturnType<typeof createPacker>[] = []
  const notWhole = new Set<ReturnType<typeof createPacker>>()
  let count = 0
  let characters = 0
  const places = createPartWatch(part)

  function onRun(run: RunSummary): void {
    const source = sourceOf(run, wanted)
    const known = sources.get(source)
    const packer = known?.packer ?? createPacker()
    const unsearched = [...(known?.unsearched ?? []), ...run.unsearched]
    sources.set(source, { packer, complete: (known?.complete ?? true) && run.complete, unsearched })
    byRun.push(packer)
  }

  const isWanted = severityFilter(wanted.minimumSeverity)
  const options = { ...(identityKey && { identityKey }), ...(root && { root }), onRun }
  for (const { finding, problem } of read(options)) {
    if (problem) {
      problems.push(problem)
      // Nobody knows what it was of, so nothing is taken for fixed.
      if (problem.code === 'empty-result') notWhole.add(byRun[runOf(problem.pointer)]!)
      continue
    }
    // Told for the sake of the tool's own history; it is not there any more.
    if (finding.baselineState === 'absent') continue
    places.see(finding)
    const leftOut = !isWanted(finding)
    const observed = { ...finding, verdict: '' as const, malicious: false, transitivity: '' as const, leftOut }
    characters += byRun[runOf(finding.pointer)]!.add(observed)
    if (++count > maxFindings || characters > maxCharacters) {
      const detail = `The log has more than ${maxFindings} results, or too much text in them; split it by tool or folder.`
      return { problems: [fatalProblem('too-many-results', detail)], sources: undefined }
    }
  }
  if (problems.some((problem) => problem.fatal)) return { problems, sources: undefined }
  const outside = places.problem()
  if (outside) problems.push(outside)
  const all = [...sources].map(([source, { complete, unsearched, packer }]) => ({
    source,
    complete: complete && !notWhole.has(packer),
    unsearched,
    packed: packer.finish(),
  }))
  return { problems, sources: all }
}

/** Notices logs of which nothing lies in the part that was looked at: the tool ran in the folder and names files from there. */
function createPartWatch(part: string) {
  let first: Finding | undefined
  let isApart = part !== ''

  function see(finding: Finding): void {
    const path = finding.locations[0]?.path ?? ''
    if (!isApart || path === '' || isAbsolute(path) || path.includes('://')) return
    if (isInPart({ part }, path)) isApart = false
    else first ??= finding
  }

  function problem(): Problem | undefined {
    if (!isApart || !first) return undefined
    const { locations, line, pointer } = first
    const detail = `No result is in a file below ${quote(part, 200)}; the first is in ${quote(locations[0]!.path, 200)}. If the tool ran in that folder, let it name files from the top of the repository, or give the folder a repository of its own. Otherwise results of several folders are taken for one, and do not become fixed.`
    return entryProblem('outside-part', detail, line, pointer)
  }

  return { see, problem }
}

function severityFilter(minimum: Severity | undefined) {
  const lowest = minimum ? codes.code(minimum) : 0
  return ({ severity }: { severity: Severity }) => codes.code(severity) >= lowest
}

/** One for each tool, and for each of its categories, for those are told in logs of their own. */
function sourceOf(
  { tool, category }: RunSummary,
  { category: otherwise = '', emptyCategory, partition = '' }: FindingsWanted,
): string {
  const named = emptyCategory !== undefined && category.startsWith(emptyCategory) ? '' : category
  const parts = [tool, named || otherwise, partition].map(short)
  return `sarif:${parts.filter(Boolean).join(':')}`
}

/** Two that begin alike stay two. */
function short(name: string): string {
  return name.length <= 100 ? name : `${name.slice(0, 80).toWellFormed()}~${hash('sha256', name).slice(0, 16)}`
}

/** `/runs/3/results/7` is of the fourth run; a report of a tool's own is of one. */
function runOf(pointer: string): number {
  if (!pointer.startsWith('/runs/')) return 0
  return Number(pointer.slice('/runs/'.length, pointer.indexOf('/', '/runs/'.length)))
}
