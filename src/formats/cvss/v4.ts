import { type MacroVector, scoreOf } from './macro-vectors.ts'
import { weigh } from './metrics.ts'

/** Steps from the worst value of each metric. */
const steps = {
  AV: { N: 0, A: 1, L: 2, P: 3 },
  PR: { N: 0, L: 1, H: 2 },
  UI: { N: 0, P: 1, A: 2 },
  AC: { L: 0, H: 1 },
  AT: { N: 0, P: 1 },
  VC: { H: 0, L: 1, N: 2 },
  VI: { H: 0, L: 1, N: 2 },
  VA: { H: 0, L: 1, N: 2 },
  SC: { H: 0, L: 1, N: 2 },
  SI: { H: 0, L: 1, N: 2 },
  SA: { H: 0, L: 1, N: 2 },
} as const
type Step = Record<keyof typeof steps, number>

const maturities = { X: 0, A: 0, P: 1, U: 2 }

/**
 * Score from the base metrics and the maturity of exploits (CVSS v4.0 specification, section 8.2); NaN where a base metric
 * is missing. Environmental metrics are whoever's environment it is to tell: an advisory's say nothing about ours.
 */
export function scoreV4(metrics: ReadonlyMap<string, string>): number {
  const names = Object.keys(steps) as (keyof typeof steps)[]
  const step = Object.fromEntries(names.map((name) => [name, weigh(metrics, name, steps[name])])) as Step
  const maturity = metrics.has('E') ? weigh(metrics, 'E', maturities) : 0
  if (Object.values(step).some(Number.isNaN) || Number.isNaN(maturity)) return Number.NaN
  if ([step.VC, step.VI, step.VA, step.SC, step.SI, step.SA].every((each) => each === 2)) return 0
  const set = setOf(step, maturity)
  const score = scoreOf(set)!
  const distances = distancesOf(step, set)
  const shares = lowerScores(set).flatMap((lower, at) => {
    return lower === undefined ? [] : [((score - lower) * distances[at]![0]) / distances[at]![1]]
  })
  const mean = shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length
  // What floating point takes away from a half must not round it down.
  return Math.round(Math.min(Math.max(score - mean, 0), 10) * 10 + 1e-9) / 10
}

/** Tables 24 to 29. */
function setOf({ AV, PR, UI, AC, AT, VC, VI, VA, SC, SI, SA }: Step, maturity: number): MacroVector {
  const easy = [AV, PR, UI].filter((each) => each === 0).length
  const eq1 = easy === 3 ? 0 : easy > 0 && AV !== 3 ? 1 : 2
  const eq3 = VC === 0 && VI === 0 ? 0 : VC === 0 || VI === 0 || VA === 0 ? 1 : 2
  const eq4 = SC === 0 || SI === 0 || SA === 0 ? 1 : 2
  return [eq1, AC + AT === 0 ? 0 : 1, eq3, eq4, maturity, eq3 === 2 ? 1 : 0]
}

/** Of the next less severe set in each direction: EQ1, EQ2, EQ3 with EQ6, EQ4, EQ5. */
function lowerScores([eq1, eq2, eq3, eq4, eq5, eq6]: MacroVector): (number | undefined)[] {
  const milder = scoreOf([eq1, eq2, eq3 + 1, eq4, eq5, eq6])
  const lessWanted = scoreOf([eq1, eq2, eq3, eq4, eq5, eq6 + 1])
  return [
    scoreOf([eq1 + 1, eq2, eq3, eq4, eq5, eq6]),
    scoreOf([eq1, eq2 + 1, eq3, eq4, eq5, eq6]),
    eq3 === 0 ? Math.max(milder!, lessWanted!) : eq3 === 1 ? lessWanted : undefined,
    scoreOf([eq1, eq2, eq3, eq4 + 1, eq5, eq6]),
    scoreOf([eq1, eq2, eq3, eq4, eq5 + 1, eq6]),
  ]
}

type Worst = Partial<Step>
const worstOf: readonly (readonly Worst[])[][] = [
  [
    [{ AV: 0, PR: 0, UI: 0 }],
    [
      { AV: 1, PR: 0, UI: 0 },
      { AV: 0, PR: 1, UI: 0 },
      { AV: 0, PR: 0, UI: 1 },
    ],
    [
      { AV: 3, PR: 0, UI: 0 },
      { AV: 1, PR: 1, UI: 1 },
    ],
  ],
  [
    [{ AC: 0, AT: 0 }],
    [
      { AC: 1, AT: 0 },
      { AC: 0, AT: 1 },
    ],
  ],
  [
    [{ VC: 0, VI: 0, VA: 0 }],
    [
      { VC: 1, VI: 0, VA: 0 },
      { VC: 0, VI: 1, VA: 0 },
    ],
    [{ VC: 1, VI: 1, VA: 1 }],
  ],
  [[], [{ SC: 0, SI: 0, SA: 0 }], [{ SC: 1, SI: 1, SA: 1 }]],
]
const depths = [
  [1, 4, 5],
  [1, 2],
  [7, 8, 10],
  [6, 5, 4],
]

/** In each direction: how many steps from the worst vector of the set that is nowhere milder, and how deep the set is. */
function distancesOf(step: Step, set: MacroVector): [distance: number, depth: number][] {
  const distances = depths.map((depth, at): [number, number] => {
    const level = set[at]!
    const found = worstOf[at]![level]!.map((worst) =>
      Object.entries(worst).map(([name, least]) => step[name as keyof Step] - least),
    ).find((each) => each.every((distance) => distance >= 0))
    return [found!.reduce((sum, each) => sum + each, 0), depth[level]!]
  })
  return [...distances, [0, 1]]
}
