import { weigh } from './metrics.ts'

const weights = {
  AV: { L: 0.395, A: 0.646, N: 1 },
  AC: { H: 0.35, M: 0.61, L: 0.71 },
  Au: { M: 0.45, S: 0.56, N: 0.704 },
}
const impacts = { N: 0, P: 0.275, C: 0.66 }

/** Base score (CVSS v2 guide, section 3.2.1); NaN where a metric is missing. */
export function scoreV2(metrics: ReadonlyMap<string, string>): number {
  const lossOf = (name: string) => 1 - weigh(metrics, name, impacts)
  const impact = 10.41 * (1 - lossOf('C') * lossOf('I') * lossOf('A'))
  const ease = (['AV', 'AC', 'Au'] as const).map((name) => weigh(metrics, name, weights[name]))
  const exploitability = 20 * ease[0]! * ease[1]! * ease[2]!
  const score = (0.6 * impact + 0.4 * exploitability - 1.5) * (impact === 0 ? 0 : 1.176)
  return Math.round(score * 10) / 10 + 0
}
