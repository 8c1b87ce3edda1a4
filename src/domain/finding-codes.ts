import type { Category, Confidence, Product, Severity } from './finding-terms.ts'

/** The numbers that stand for words in the tables. They are stored: never give one another meaning. */
const productCodes = { code: 1, sca: 2, secrets: 3, ai: 4 } as const satisfies Record<Product, number>

export const categoryCodes = {
  '': 0,
  security: 1,
  correctness: 2,
  performance: 3,
  maintainability: 4,
  style: 5,
  'best-practice': 6,
  portability: 7,
  licence: 8,
} as const satisfies Record<Category, number>

/** In the order of their weight, so that sorting by the number sorts by severity. */
const severityCodes = { info: 1, low: 2, medium: 3, high: 4, critical: 5 } as const satisfies Record<Severity, number>

const confidenceCodes = { '': 0, low: 1, medium: 2, high: 3 } as const satisfies Record<Confidence, number>
const reachabilityCodes = { '': 0, unknown: 1, unreachable: 2, reachable: 3 } as const
const validityCodes = { '': 0, unknown: 1, invalid: 2, valid: 3 } as const
const verdictCodes = { '': 0, 'false-positive': 1, 'true-positive': 2 } as const

const stateCodes = {
  open: 1,
  reopened: 2,
  reviewing: 3,
  fixing: 4,
  'provisionally-ignored': 5,
  ignored: 6,
  fixed: 7,
  // Nobody decides on this one: it was there when its pull request ended, or the base has it by now.
  ended: 8,
} as const
export type State = keyof typeof stateCodes

const reasonCodes = { '': 0, 'false-positive': 1, 'acceptable-risk': 2, 'no-time': 3 } as const

/** In the order of their say: nobody is overruled by whoever has a lower number. */
const deciderCodes = { observation: 0, rule: 1, memory: 2, automation: 3, person: 4 } as const
export type Decider = keyof typeof deciderCodes

/** The rules of the lifecycle that ignore a finding provisionally: what stands as its decider then. */
const causeCodes = { '': 0, suppressed: 1, 'false-positive': 2, 'invalid-secret': 3, unreachable: 4 } as const
export type Cause = keyof typeof causeCodes

export type Verdict = keyof typeof verdictCodes

export const product = codesOf(productCodes)
export const category = codesOf(categoryCodes)
export const severity = codesOf(severityCodes)
export const confidence = codesOf(confidenceCodes)
export const reachability = codesOf(reachabilityCodes)
export const validity = codesOf(validityCodes)
export const verdict = codesOf(verdictCodes)
export const state = codesOf(stateCodes)
export const reason = codesOf(reasonCodes)
export const decider = codesOf(deciderCodes)
export const cause = codesOf(causeCodes)

function codesOf<Word extends string>(codes: Record<Word, number>) {
  const words = new Map(Object.entries<number>(codes).map(([word, code]) => [code, word as Word]))
  return {
    words: Object.keys(codes) as Word[],
    code: (word: Word): number => codes[word],
    word(code: number): Word {
      const word = words.get(code)
      if (word === undefined) throw new Error(`no word for ${code}`)
      return word
    },
  }
}
