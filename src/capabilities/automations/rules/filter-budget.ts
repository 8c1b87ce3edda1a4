import { Fault } from '../../../kernel/contract/fault.ts'
import type { Filters } from './evaluate.ts'
import { hasWildcard } from './wildcard.ts'

/** Of all automations of a deployment together: every scan reads all of their filters, and puts each finding to them. */
const mostCharacters = 1_000_000
const mostWildcardCharacters = 100_000

export function requireBounded(all: readonly Filters[]): void {
  const values = all.flatMap(({ conditions }) => conditions.flatMap((condition) => condition.values))
  const characters = (of: readonly string[]) => of.reduce((sum, value) => sum + value.length, 0)
  if (characters(values) > mostCharacters) throw tooMany(mostCharacters, 'values')
  if (characters(values.filter(hasWildcard)) > mostWildcardCharacters) {
    throw tooMany(mostWildcardCharacters, 'values with wildcards')
  }
}

function tooMany(most: number, what: string): Fault {
  const message = `All filters of automations together may contain at most ${most} characters of ${what}.`
  const errors = [{ pointer: '/filters/conditions', detail: 'has more than is left' }]
  return new Fault('unprocessable', message, { errors })
}
