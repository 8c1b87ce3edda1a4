import type { PackedFindings } from '../../findings/public.ts'
import type { PackedInventory } from '../../inventory/public.ts'
import type { FileReading } from './read-file.ts'

/** A piece of a reading that is on its way from the thread that read it. */
type Piece =
  | { batch: PackedInventory['batches'][number] }
  | { statements: PackedInventory['statements'][number] }
  | { source: number; findings: PackedFindings['batches'][number] }

/** With fewer it is handed over at once. */
const fewest = 3

/**
 * A reading batch by batch, and the rest of it last: taking over all of a large one would hold up the thread that answers requests,
 * which does other things between two pieces.
 */
export function* inPieces(reading: FileReading): Generator<Piece, FileReading> {
  const { packed, findings = [] } = reading
  const batches = (packed?.batches.length ?? 0) + (packed?.statements.length ?? 0)
  if (batches + findings.reduce((sum, source) => sum + source.packed.batches.length, 0) < fewest) return reading
  for (const batch of packed?.batches ?? []) yield { batch }
  for (const statements of packed?.statements ?? []) yield { statements }
  for (const [source, { packed: some }] of findings.entries()) {
    for (const batch of some.batches) yield { source, findings: batch }
  }
  return {
    ...reading,
    packed: packed && { ...packed, batches: [], statements: [] },
    findings: reading.findings?.map((source) => ({ ...source, packed: { ...source.packed, batches: [] } })),
  }
}

/** Takes what `inPieces` gives, one after the other; `reading` is whole after the last. */
export function createAssembly() {
  const pieces: Piece[] = []
  let reading: FileReading | undefined

  function take(given: unknown): void {
    const part = given as Piece | FileReading
    if ('format' in part) reading = part
    else pieces.push(part)
  }

  function whole(): FileReading {
    for (const piece of pieces) {
      if ('batch' in piece) reading!.packed!.batches.push(piece.batch)
      else if ('statements' in piece) reading!.packed!.statements.push(piece.statements)
      else reading!.findings![piece.source]!.packed.batches.push(piece.findings)
    }
    return reading!
  }

  return { take, whole }
}
