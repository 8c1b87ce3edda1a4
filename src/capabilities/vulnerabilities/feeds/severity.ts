import { type Rating, scoreVector } from '../../../formats/cvss/score.ts'
import type { OsvRecord } from '../../../formats/osv/record.ts'
import { severityCode } from './codes.ts'

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

type Said = Pick<OsvRecord, 'severities' | 'databaseSeverities'>

/** By the vector of the latest version of CVSS, else by the database's worst word, else medium: unknown is not harmless. */
export function judge({ severities, databaseSeverities }: Said): Judgement {
  const scored = severities.flatMap(({ score: vector }) => {
    const result = scoreVector(vector)
    return result ? [{ ...result, vector }] : []
  })
  const [best] = scored.sort((a, b) => compare(b.version, a.version) || b.score - a.score)
  if (best) return { severity: best.rating, source: 2, vector: best.vector, score: best.score }
  const word = worst(databaseSeverities) ?? worst(severities.map(({ score }) => score))
  if (word) return { severity: word, source: 1, vector: '', score: 0 }
  return { severity: 'medium', source: 0, vector: '', score: 0 }
}

function worst(said: readonly string[]): Rating | undefined {
  const known = said.map((each) => each.toLowerCase()).filter((each) => Object.hasOwn(words, each))
  return known.map((each) => words[each]!).sort((a, b) => severityCode(b) - severityCode(a))[0]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
