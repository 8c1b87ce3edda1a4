import { weigh } from './metrics.ts'

const attackVectors = { N: 0.85, A: 0.62, L: 0.55, P: 0.2 }
const complexities = { L: 0.77, H: 0.44 }
const privileges = { U: { N: 0.85, L: 0.62, H: 0.27 }, C: { N: 0.85, L: 0.68, H: 0.5 } }
const interactions = { N: 0.85, R: 0.62 }
const impacts = { H: 0.56, L: 0.22, N: 0 }

/** Base score (CVSS v3.1 specification, section 7.1; that of v3.0 is the same); NaN where a metric is missing. */
export function scoreV3(metrics: ReadonlyMap<string, string>): number {
  const scope = metrics.get('S')
  if (scope !== 'U' && scope !== 'C') return Number.NaN
  const left = (name: string) => 1 - weigh(metrics, name, impacts)
  const loss = 1 - left('C') * left('I') * left('A')
  const impact = scope === 'U' ? 6.42 * loss : 7.52 * (loss - 0.029) - 3.25 * (loss - 0.02) ** 15
  const exploitability =
    8.22 *
    weigh(metrics, 'AV', attackVectors) *
    weigh(metrics, 'AC', complexities) *
    weigh(metrics, 'PR', privileges[scope]) *
    weigh(metrics, 'UI', interactions)
  if (Number.isNaN(exploitability + impact)) return Number.NaN
  if (impact <= 0) return 0
  return roundUp(Math.min((scope === 'U' ? 1 : 1.08) * (impact + exploitability), 10))
}

/** Appendix A: to the next tenth, without what floating point adds. */
function roundUp(value: number): number {
  const whole = Math.round(value * 100_000)
  return whole % 10_000 === 0 ? whole / 100_000 : (Math.floor(whole / 10_000) + 1) / 10
}
