import { asProblem, type Problem } from '../api/problem.ts'

/** One part after the other. Where one is refused, those before it are done all the same, and the rest is not begun. */
export async function inParts<Part>(
  parts: readonly Part[],
  run: (part: Part) => Promise<void>,
): Promise<{ done: number; refused: Problem | undefined }> {
  for (const [done, part] of parts.entries()) {
    try {
      await run(part)
    } catch (error) {
      return { done, refused: asProblem(error) }
    }
  }
  return { done: parts.length, refused: undefined }
}

/** What was done, and where it ended too early. */
export function sayingSo(done: string, refused: Problem | undefined): string {
  return refused === undefined ? done : `${done} Then it stopped: ${refused.message}`
}

export function partsOf<Row>(rows: readonly Row[], most: number): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / most) }, (_, at) => rows.slice(at * most, (at + 1) * most))
}
