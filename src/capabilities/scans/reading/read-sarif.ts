import type { Problem } from '../../../formats/format.ts'
import { fatalProblem } from '../../../formats/problem.ts'
import { sarif } from '../../../formats/sarif/reader.ts'
import type { ReadOptions, RunSummary } from '../../../formats/sarif/result.ts'
import { createPacker, type PackedFindings } from '../../findings/public.ts'

/** What one tool found, by one log. */
export type SourceFindings = { source: string; complete: boolean; packed: PackedFindings }

export type SarifReading = { problems: Problem[]; sources: SourceFindings[] | undefined }

/** Beyond these a log is refused: what is read of it has to fit into memory until it is stored. */
const maxFindings = 250_000
const maxCharacters = 150_000_000

/** Findings of a log, tool by tool. A tool that ran and found nothing is there as well; one that failed is not complete. */
export function readSarif(
  reopen: () => Iterable<Uint8Array>,
  name: string,
  { identityKey, root }: Pick<ReadOptions, 'identityKey' | 'root'>,
): SarifReading {
  const problems: Problem[] = []
  const sources = new Map<string, { complete: boolean; packer: ReturnType<typeof createPacker> }>()
  const byRun: ReturnType<typeof createPacker>[] = []
  let count = 0
  let characters = 0

  function onRun(run: RunSummary): void {
    const source = sourceOf(run)
    const known = sources.get(source)
    const packer = known?.packer ?? createPacker()
    sources.set(source, { packer, complete: (known?.complete ?? true) && run.complete })
    byRun.push(packer)
  }

  const options = { ...(identityKey && { identityKey }), ...(root && { root }), onRun }
  for (const { finding, problem } of sarif.read(reopen, name, options)) {
    if (problem) {
      problems.push(problem)
      continue
    }
    // Told for the sake of the tool's own history; it is not there any more.
    if (finding.baselineState === 'absent') continue
    characters += byRun[runOf(finding.pointer)]!.add({ ...finding, verdict: '', malicious: false, transitivity: '' })
    if (++count > maxFindings || characters > maxCharacters) {
      const detail = `The log has more than ${maxFindings} results, or too much text in them; split it by tool or folder.`
      return { problems: [fatalProblem('too-many-results', detail)], sources: undefined }
    }
  }
  if (problems.some((problem) => problem.fatal)) return { problems, sources: undefined }
  const read = [...sources].map(([source, { complete, packer }]) => ({ source, complete, packed: packer.finish() }))
  return { problems, sources: read }
}

/** One for each tool, and for each of its categories, for those are told in logs of their own. */
function sourceOf({ tool, category }: RunSummary): string {
  return `sarif:${[tool.slice(0, 100), category.slice(0, 100)].filter(Boolean).join(':')}`
}

/** `/runs/3/results/7` is of the fourth run. */
function runOf(pointer: string): number {
  return Number(pointer.slice('/runs/'.length, pointer.indexOf('/', '/runs/'.length)))
}
