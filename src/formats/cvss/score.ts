import { readMetrics } from './metrics.ts'
import { scoreV2 } from './v2.ts'
import { scoreV3 } from './v3.ts'
import { scoreV4 } from './v4.ts'

export type Rating = 'critical' | 'high' | 'medium' | 'low' | 'info'

export type Scored = { version: '2.0' | '3.0' | '3.1' | '4.0'; score: number; rating: Rating }

const scorers = { '3.0': scoreV3, '3.1': scoreV3, '4.0': scoreV4 }

/** What a CVSS vector amounts to; undefined for what is none. */
export function scoreVector(vector: string): Scored | undefined {
  const prefixed = /^CVSS:(3\.0|3\.1|4\.0)\/(.*)$/.exec(vector)
  const version = (prefixed?.[1] ?? '2.0') as Scored['version']
  const metrics = readMetrics(prefixed ? prefixed[2]! : vector.replace(/^\((.*)\)$/, '$1'))
  if (!metrics) return undefined
  const score = version === '2.0' ? scoreV2(metrics) : scorers[version](metrics)
  if (Number.isNaN(score)) return undefined
  return { version, score, rating: ratingOf(version, score) }
}

/** The qualitative scale of v3 and v4 (v4.0 specification, section 6). That of v2 is NVD's, which ends with high. */
function ratingOf(version: Scored['version'], score: number): Rating {
  if (score === 0) return 'info'
  if (score < 4) return 'low'
  if (score < 7) return 'medium'
  return score < 9 || version === '2.0' ? 'high' : 'critical'
}
