import type { RuleMode } from '../../src/capabilities/policies/contract.ts'
import type { Decider, State } from '../../src/domain/finding-codes.ts'
import type { Category, Confidence, Product, Severity } from '../../src/domain/finding-terms.ts'
import { covers, type ModelMemory } from '../memories-model.ts'

/**
 * The rules of findings once more, slowly and in plain words, for tests to hold the real thing against: nothing here knows
 * how they are stored, and every change stays in the history of its finding.
 */
export type ModelTarget = { repository: string; target: 'main' | 'dev' | 1 | 2; source: string }
export type ModelRepository = { name: string; tags: string[]; exposed: boolean }

/** What a log says about one thing; `identity` stays the same from log to log. */
export type Seen = {
  identity: string
  rule: string
  path: string
  product: Product
  severity: Severity
  category: Category
  confidence: Confidence
  reachability: '' | 'unknown' | 'unreachable' | 'reachable'
  validity: '' | 'unknown' | 'invalid' | 'valid'
  suppressed: boolean
  cwes: readonly string[]
}
/** `by`: who put it there; of what came back to a person, the observation. */
export type Change = { at: Date; from: State; to: State; by: Decider }

export type ModelFinding = {
  place: ModelTarget
  seen: Seen
  silenced: boolean
  state: State
  reason: string
  by: Decider
  /** The doubt that a rule, or the memory that ignores it. */
  decider: string
  /** Where it stood before the first of the memories that have held it since. */
  beforeMemories: State
  raisedAt: Date
  decidedAt: Date
  history: Change[]
  /** The last complete log did not have it. */
  absent: boolean
}

type Upload = { observed: readonly Seen[]; complete: boolean; at: Date }

export function createModel() {
  const repositories = new Map<string, ModelRepository>()
  let findings: ModelFinding[] = []
  let memories: ModelMemory[] = []
  /** Of which a complete log was seen. */
  const whole = new Set<string>()
  let modeOf: (seen: Seen) => RuleMode = () => 'monitor'

  function upload(place: ModelTarget, { observed, complete, at }: Upload): void {
    const inPullRequest = typeof place.target === 'number'
    const here = findings.filter((one) => samePlace(one.place, place))
    const elsewhere = findings.filter(({ place: other }) => isElsewhere(other, place))
    const knownAs = (seen: Seen) => here.find((one) => one.seen.identity === seen.identity)
    const leftOut = (seen: Seen) => modeOf(seen) === 'disabled' && isOver(knownAs(seen)?.state ?? 'fixed')
    const base: ModelTarget = { ...place, target: 'main' }
    const standsOnBase = new Set(
      findings.filter((one) => samePlace(one.place, base) && isThere(one)).map((one) => one.seen.identity),
    )
    const isBaseKnown = !inPullRequest || whole.has(nameOf(base))
    const onBase = (seen: Seen) => inPullRequest && isBaseKnown && standsOnBase.has(seen.identity)
    const counted = observed.filter((seen) => onBase(seen) || !(inPullRequest && leftOut(seen)))
    for (const seen of counted) {
      const former = knownAs(seen)
      if (onBase(seen)) {
        if (former) former.absent = false
        if (former && isOpen(former.state)) endOne(former, at)
        continue
      }
      if (!isBaseKnown && !former) continue
      const silenced = inPullRequest && (['monitor', 'disabled'].includes(modeOf(seen)) || seen.suppressed)
      const known = knownAs(seen)
      if (known) {
        Object.assign(known, { seen, silenced, absent: false })
        lookAgain(known, at)
      } else findings.push(born(place, seen, silenced, elsewhere, at))
    }
    for (const one of complete ? here : []) {
      if (counted.some((seen) => seen.identity === one.seen.identity)) continue
      one.absent = true
      if (one.state === 'fixed') continue
      if (one.by === 'person' && isIgnored(one.state)) continue
      change(one, { state: 'fixed', by: 'observation' }, at)
    }
    if (complete) whole.add(nameOf(place))
    settle(at)
  }

  /** Answers how many stood open in it. */
  function end(repository: string, pullRequest: number): number {
    const left = findings.filter(
      ({ place, state }) => place.repository === repository && place.target === pullRequest && isOpen(state),
    )
    for (const one of left) endOne(one, new Date())
    return left.length
  }

  function born(place: ModelTarget, seen: Seen, silenced: boolean, elsewhere: ModelFinding[], at: Date): ModelFinding {
    const one: ModelFinding = {
      ...{ place, seen, silenced, state: 'open', reason: '', by: 'observation', decider: '' },
      ...{ beforeMemories: 'open', raisedAt: at, decidedAt: at, history: [], absent: false },
    }
    const decisions = elsewhere.filter((other) => other.seen.identity === seen.identity && other.by === 'person')
    const last = decisions.toSorted((a, b) => decidedByPersonAt(a) - decidedByPersonAt(b)).at(-1)
    if (last && isIgnored(last.state)) change(one, { state: last.state, reason: last.reason, by: 'person' }, at)
    else if (doubtAbout(seen)) doubt(one, at)
    return one
  }

  function lookAgain(one: ModelFinding, at: Date): void {
    const now = doubtAbout(one.seen)
    if (isOver(one.state) && wasOpenedByPerson(one)) {
      change(one, { state: 'reopened', by: 'observation' }, at)
      one.by = 'person'
    } else if (isOver(one.state) && !now) change(one, { state: 'reopened', by: 'observation' }, at)
    else if (isOver(one.state)) doubt(one, at)
    else if (one.by === 'observation' && now) doubt(one, at)
    else if (one.by === 'rule' && !now) change(one, { state: 'open', by: 'observation' }, at)
    else if (one.by === 'rule' && now !== one.decider) doubt(one, at)
  }

  function doubt(one: ModelFinding, at: Date): void {
    change(one, { state: 'provisionally-ignored', by: 'rule', decider: doubtAbout(one.seen) }, at)
  }

  /** Who had decided about it is known all the same. */
  function endOne(one: ModelFinding, at: Date): void {
    const { by } = one
    change(one, { state: 'ended', by: 'observation' }, at)
    if (by === 'person') one.by = by
  }

  /** Never before what became of it last, also by a scan of the past. */
  function change(
    one: ModelFinding,
    to: { state: State; by: Decider; reason?: string; decider?: string },
    seenAt: Date,
  ): void {
    const at = one.decidedAt > seenAt ? one.decidedAt : seenAt
    one.history.push({ at, from: one.state, to: to.state, by: to.by })
    Object.assign(one, { reason: '', decider: '', ...to, decidedAt: at })
  }

  /** `alone`: every call is a line of its history; of many, those that are so already are left alone. */
  function triage(chosen: readonly ModelFinding[], state: State, reason: string, alone: boolean): void {
    const at = new Date()
    for (const one of chosen) {
      if (!alone && one.by === 'person' && one.state === state && one.reason === reason) continue
      change(one, { state, reason, by: 'person' }, at)
    }
  }

  function automate(chosen: readonly ModelFinding[], state: State): void {
    const at = new Date()
    for (const one of chosen) {
      if (one.by === 'person' || (one.state === state && one.reason === '')) continue
      change(one, { state, by: 'automation' }, at)
    }
  }

  function isFree(one: ModelFinding): boolean {
    return one.by !== 'person' && one.by !== 'automation'
  }

  function inScope(memory: ModelMemory): ModelFinding[] {
    return findings.filter((one) => covers(memory, one.seen, repositories.get(one.place.repository)!))
  }

  /** Every finding that nobody with more say has decided is held by the oldest of the memories that cover it. */
  function settle(at = new Date()): void {
    const live = memories.filter((one) => one.stage === 'live' && one.forTriage).sort((a, b) => a.since - b.since)
    for (const one of findings) {
      if (!isFree(one) || isOver(one.state)) continue
      const repository = repositories.get(one.place.repository)!
      const holder = live.find((memory) => covers(memory, one.seen, repository))?.id ?? ''
      if (holder === (one.by === 'memory' ? one.decider : '')) continue
      if (holder && one.by !== 'memory') one.beforeMemories = one.state
      if (holder) change(one, { state: 'provisionally-ignored', by: 'memory', decider: holder }, at)
      else if (doubtAbout(one.seen)) doubt(one, at)
      else change(one, { state: one.beforeMemories === 'reopened' ? 'reopened' : 'open', by: 'observation' }, at)
    }
  }

  /** What a memory would do if it went live now. */
  function replay(memory: ModelMemory) {
    const there = inScope(memory).filter((one) => !isOver(one.state))
    const open = there.filter((one) => !isIgnored(one.state))
    const taken = open.filter((one) => memory.forTriage && isFree(one))
    return {
      newlyFalsePositive: String(taken.length),
      remainsTruePositive: String(open.length - taken.length),
      remainsFalsePositive: String(there.length - open.length),
    }
  }

  function remove(repository: string): void {
    repositories.delete(repository)
    findings = findings.filter((one) => one.place.repository !== repository)
    for (const name of whole) if (name.startsWith(`${repository} `)) whole.delete(name)
    memories = memories.filter((one) => one.repository !== repository)
  }

  return {
    ...{ upload, end, triage, automate, settle, replay, remove, repositories },
    setModes(next: (seen: Seen) => RuleMode) {
      modeOf = next
    },
    findings: () => findings,
    memories: () => memories,
  }
}

/** What stands on main and dev is one thing: counted is an open one rather than a provisionally ignored one, then that of main. */
export function duplicates(findings: readonly ModelFinding[]): Set<ModelFinding> {
  const standing = findings.filter((one) => typeof one.place.target === 'string' && isStanding(one.state))
  const things = Map.groupBy(standing, ({ place, seen }) => [place.repository, place.source, seen.identity].join(' | '))
  const weight = (one: ModelFinding) =>
    (one.state === 'provisionally-ignored' ? 2 : 0) + (one.place.target === 'main' ? 0 : 1)
  return new Set([...things.values()].flatMap((some) => some.sort((a, b) => weight(a) - weight(b)).slice(1)))
}

function isStanding(state: State): boolean {
  return isOpen(state) || state === 'provisionally-ignored'
}

function isOpen(state: State): boolean {
  return !isOver(state) && !isIgnored(state)
}

function isOver(state: State): boolean {
  return state === 'fixed' || state === 'ended'
}

/** The last of what people said about it. */
function wasOpenedByPerson({ history }: ModelFinding): boolean {
  const said = history.findLast(({ by }) => by === 'person')
  return said !== undefined && isOpen(said.to)
}

/** Of what has ended or come back, when it was decided about before. */
function decidedByPersonAt({ state, decidedAt, history }: ModelFinding): number {
  const said = history.findLast(({ by }) => by === 'person')
  return (said && ['reopened', 'ended'].includes(state) ? said.at : decidedAt).getTime()
}

function isThere({ absent, state, by }: ModelFinding): boolean {
  return !absent && (state !== 'fixed' || by === 'person')
}

function nameOf({ repository, target, source }: ModelTarget): string {
  return [repository, target, source].join(' ')
}

function isIgnored(state: State): boolean {
  return state === 'ignored' || state === 'provisionally-ignored'
}

function doubtAbout({ product, suppressed, validity, reachability }: Seen): string {
  if (product === 'secrets' && validity === 'invalid') return 'invalid-secret'
  if (product === 'sca' && reachability === 'unreachable') return 'unreachable'
  return suppressed ? 'suppressed' : ''
}

/** Where a decision about the same thing counts as well; what another tool found is not the same thing. */
function isElsewhere(other: ModelTarget, place: ModelTarget): boolean {
  return other.repository === place.repository && other.source === place.source && other.target !== place.target
}

function samePlace(a: ModelTarget, b: ModelTarget): boolean {
  return a.repository === b.repository && a.target === b.target && a.source === b.source
}
