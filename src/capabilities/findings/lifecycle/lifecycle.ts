import type { Cause, Decider, State } from '../../../domain/finding-codes.ts'

/** Where a finding stands, and who put it there. */
export type Decision = { state: State; decidedBy: Decider; cause: Cause }

/** What an observation says: seen (and, by its own signs, of no concern for a cause), or not there any more. */
export type Sighting = { seen: true; cause: Cause } | { seen: false }

export type Signs = {
  product: string
  suppressed: boolean
  verdict: string
  validity: string
  reachability: string
}

/** Why a finding is of no concern for now, by its own signs; '' where it is. The surest sign comes first. */
export function causeOf(signs: Signs): Cause {
  if (signs.product === 'secrets' && signs.validity === 'invalid') return 'invalid-secret'
  if (signs.product === 'sca' && signs.reachability === 'unreachable') return 'unreachable'
  if (signs.suppressed) return 'suppressed'
  if (signs.verdict === 'false-positive') return 'false-positive'
  return ''
}

/**
 * Where an observation leads a finding, or undefined where it changes nothing.
 *
 * Seen: what was fixed is not, whoever said so, because that states a fact. Beyond that nobody is overruled: the rules of
 * the lifecycle decide on what they, or nobody, decided before, and leave alone what a memory, an automation or a person did.
 * Not seen: it is fixed, whoever worked on it; only what a person has ignored stays as they left it.
 */
export function afterSighting(current: Decision | undefined, sighting: Sighting): Decision | undefined {
  const next = decide(current, sighting)
  if (!next || !current) return next
  const same = next.state === current.state && next.decidedBy === current.decidedBy && next.cause === current.cause
  return same ? undefined : next
}

/** Where a finding of a pull request stands that is no longer a matter of it; undefined where somebody settled it before. */
export function afterEnd({ state }: Pick<Decision, 'state'>): Decision | undefined {
  const isOpen = state === 'open' || state === 'reopened' || state === 'reviewing' || state === 'fixing'
  return isOpen ? observed('ended') : undefined
}

/** Where a finding stands that is seen, when what was decided about it may have been about another. */
export function withoutDecision(cause: Cause): Decision {
  return cause ? byRule(cause) : observed('reopened')
}

function decide(current: Decision | undefined, sighting: Sighting): Decision | undefined {
  if (!sighting.seen) return current && canVanish(current) ? observed('fixed') : undefined
  if (!current) return sighting.cause ? byRule(sighting.cause) : observed('open')
  if (current.state === 'fixed' || current.state === 'ended') {
    return sighting.cause ? byRule(sighting.cause) : observed('reopened')
  }
  if (current.decidedBy !== 'observation' && current.decidedBy !== 'rule') return undefined
  if (sighting.cause) return byRule(sighting.cause)
  return current.state === 'provisionally-ignored' ? observed('open') : undefined
}

function canVanish({ state, decidedBy }: Decision): boolean {
  if (state === 'fixed') return false
  return decidedBy !== 'person' || (state !== 'ignored' && state !== 'provisionally-ignored')
}

function observed(state: State): Decision {
  return { state, decidedBy: 'observation', cause: '' }
}

function byRule(cause: Cause): Decision {
  return { state: 'provisionally-ignored', decidedBy: 'rule', cause }
}
