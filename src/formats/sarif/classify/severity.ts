import type { Severity } from '../../../domain/finding-terms.ts'
import type { Level } from '../finding.ts'
import { type Evidence, property } from '../log/evidence.ts'

/** CVSS v3.1 §5, the bands that GitHub also uses for `security-severity`. Undefined for what is not a score. */
export function scoreSeverity(score: string): Severity | undefined {
  if (!/^\d{1,2}(\.\d{1,10})?$/.test(score)) return undefined
  const value = Number(score)
  if (value > 10) return undefined
  if (value >= 9) return 'critical'
  if (value >= 7) return 'high'
  if (value >= 4) return 'medium'
  return value > 0 ? 'low' : 'info'
}

const levelSeverity: Readonly<Record<Level, Severity>> = {
  error: 'high',
  warning: 'medium',
  note: 'low',
  none: 'info',
}

const words: ReadonlyMap<string, Severity> = new Map<string, Severity>([
  ...['critical', 'blocker', 'very high'].map((word) => [word, 'critical'] as const),
  ...['high', 'important', 'major', 'error', 'severe'].map((word) => [word, 'high'] as const),
  ...['medium', 'moderate', 'warning'].map((word) => [word, 'medium'] as const),
  ...['low', 'minor', 'weak warning', 'bestpractice', 'best-practice'].map((word) => [word, 'low'] as const),
  ...['style', 'performance', 'portability', 'negligible', 'note'].map((word) => [word, 'low'] as const),
  ...['info', 'informational', 'information', 'none', 'manualreview', 'trivial'].map((word) => [word, 'info'] as const),
])

export function wordSeverity(word: string): Severity | undefined {
  return words.get(word.trim().toLowerCase())
}

type SeveritySource = { reads: (evidence: Evidence) => string; as: (written: string) => Severity | undefined }

const score = (...names: string[]): SeveritySource => ({ reads: (of) => property(of, ...names), as: scoreSeverity })
const rating = (...names: string[]): SeveritySource => ({ reads: (of) => property(of, ...names), as: wordSeverity })

/** Where tools write how bad it is, the most telling first; the first that can be read counts. */
const sources: readonly SeveritySource[] = [
  score('security-severity'),
  score('cvssv4_baseScore', 'cvssv3_baseScore', 'cvssV3Score', 'cvssScore', 'cvss'),
  rating('issue_severity', 'securityRisk', 'DevSkimSeverity', 'qodanaSeverity', 'zizmor/severity'),
  rating('cvssv3_baseSeverity', 'severity', 'Severity', 'priority'),
  score('cvssv2_score'),
  // Trivy, gosec, Wiz: a bare word among the tags.
  { reads: (of) => of.tags.find((tag) => /^(critical|high|medium|low|info)$/i.test(tag)) ?? '', as: wordSeverity },
  // Snyk, where it has no score: 'High severity - Prototype Pollution vulnerability in lodash'.
  { reads: (of) => /^(\w+) severity\b/i.exec(of.rule?.title ?? '')?.[1] ?? '', as: wordSeverity },
  { reads: (of) => of.rule?.labels.severity ?? '', as: wordSeverity },
]

export function severityOf(evidence: Evidence): Severity {
  for (const { reads, as } of sources) {
    const severity = as(reads(evidence))
    if (severity) return severity
  }
  return levelSeverity[evidence.level]
}
