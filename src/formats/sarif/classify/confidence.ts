import type { Confidence } from '../../../domain/finding-terms.ts'
import type { Level } from '../finding.ts'
import { type Evidence, property } from '../log/evidence.ts'

const words: Readonly<Record<string, Confidence>> = {
  'very-high': 'high',
  'very high': 'high',
  high: 'high',
  certain: 'high',
  confirmed: 'high',
  medium: 'medium',
  moderate: 'medium',
  firm: 'medium',
  low: 'low',
  weak: 'low',
  tentative: 'low',
}

/** Brakeman has no severities: its level is how sure it is. */
const brakeman: Readonly<Record<Level, Confidence>> = { error: 'high', warning: 'medium', note: 'low', none: '' }

export function confidenceOf(evidence: Evidence): Confidence {
  const { family, tags, level, rule } = evidence
  if (family.id === 'brakeman') return brakeman[level]
  const stated = property(
    evidence,
    'issue_confidence',
    'DevSkimConfidence',
    'zizmor/confidence',
    'confidence',
    'Confidence',
  )
  const read = wordConfidence(stated) || numberConfidence(stated, family.id === 'fortify' ? 5 : 0)
  if (read) return read
  for (const tag of tags) {
    const found = /^(high|medium|low) confidence$/i.exec(tag)
    if (found) return wordConfidence(found[1]!)
  }
  // Semgrep writes 'very-high' for every rule, whatever the rule's author thinks of it.
  if (family.id === 'semgrep') return ''
  const precision = rule?.properties.precision
  return typeof precision === 'string' ? wordConfidence(precision) : ''
}

function wordConfidence(word: string): Confidence {
  const key = word.trim().toLowerCase()
  return Object.hasOwn(words, key) ? words[key]! : ''
}

/** Out of `scale`; out of 1 or 100 where the tool's scale is not known. */
function numberConfidence(written: string, scale: number): Confidence {
  if (!/^\d{1,3}(\.\d{1,20})?$/.test(written)) return ''
  const value = Number(written)
  const share = value / (scale || (value <= 1 ? 1 : 100))
  if (share > 1) return ''
  if (share >= 0.8) return 'high'
  return share >= 0.5 ? 'medium' : 'low'
}
