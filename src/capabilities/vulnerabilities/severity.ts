import { type Rating, scoreVector } from '../../formats/cvss/score.ts'
import type { OsvRecord } from '../../formats/osv/record.ts'

/** How bad a vulnerability is, and who says so. */
export type Judgement = {
  severity: Rating
  /** 2 a CVSS vector, 1 the database's own word, 0 nobody. */
  source: 0 | 1 | 2
  vector: string
  score: number
}

const words: Record<string, Rating> = {
  critical: 'critical',
  high: 'high',
  important: 'high',
  moderate: 'medium',
  medium: 'medium',
  low: 'low',
  minor: 'low',
  negligible: 'info',
  none: 'info',
  informational: 'info',
}

/** By the vector of the latest version of CVSS, else by the database's word, else medium: unknown is not harmless. */
export function judge({ severities, databaseSeverity }: Pick<OsvRecord, 'severities' | 'databaseSeverity'>): Judgement {
  const scored = severities.flatMap(({ score: vector }) => {
    const result = scoreVector(vector)
    return result ? [{ ...result, vector }] : []
  })
  const [best] = scored.sort((a, b) => compare(b.version, a.version) || b.score - a.score)
  if (best) return { severity: best.rating, source: 2, vector: best.vector, score: best.score }
  const said = [databaseSeverity, ...severities.map(({ score }) => score)]
  const word = said.map((each) => each.toLowerCase()).find((each) => Object.hasOwn(words, each))
  if (word) return { severity: words[word]!, source: 1, vector: '', score: 0 }
  return { severity: 'medium', source: 0, vector: '', score: 0 }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
