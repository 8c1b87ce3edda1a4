import * as codes from './finding-codes.ts'
import type { Product } from './finding-terms.ts'

/** The names of the interface for our words: `SEVERITY_HIGH` for high, and back. */
export const stateNames = namesOf('TRIAGE_STATE', codes.state)
export const reasonNames = namesOf('TRIAGE_REASON', codes.reason)
export const severityNames = namesOf('SEVERITY', codes.severity)
export const confidenceNames = namesOf('CONFIDENCE', codes.confidence)
export const reachabilityNames = namesOf('REACHABILITY', codes.reachability)
export const validityNames = namesOf('VALIDITY', codes.validity)
export const verdictNames = namesOf('VERDICT', codes.verdict)
export const deciderNames = namesOf('DECIDER', codes.decider)
export const causeNames = namesOf('CAUSE', codes.cause)

const products: Record<Product, string> = {
  code: 'PRODUCT_TYPE_SAST',
  sca: 'PRODUCT_TYPE_SCA',
  secrets: 'PRODUCT_TYPE_SECRETS',
  ai: 'PRODUCT_TYPE_AI',
}
export const productNames = {
  all: codes.product.words.map((word) => products[word]),
  ofCode: (code: number): string => products[codes.product.word(code)],
  code: (name: string): number => codes.product.code(codes.product.words.find((word) => products[word] === name)!),
}

function namesOf<Word extends string>(prefix: string, words: { words: Word[]; code(word: Word): number }) {
  const name = (word: Word) => `${prefix}_${word === '' ? 'UNSPECIFIED' : word.toUpperCase().replaceAll('-', '_')}`
  const byCode = new Map(words.words.map((word) => [words.code(word), name(word)]))
  const byName = new Map(words.words.map((word) => [name(word), words.code(word)]))
  return {
    all: words.words.map(name),
    ofCode(code: number): string {
      const found = byCode.get(code)
      if (found === undefined) throw new Error(`no name for ${prefix} ${code}`)
      return found
    },
    code(given: string): number {
      const found = byName.get(given)
      if (found === undefined) throw new Error(`no ${prefix} is called ${given}`)
      return found
    },
  }
}
