import type { Observed } from './observed.ts'

/**
 * The rules of findings once more, slowly and in plain words, for tests to hold the real thing against: nothing here knows
 * how they are stored, and every number is counted anew.
 */
export type Place = { repository: number; target: 'main' | 'dev' | 1 | 2; source: 'a' | 'b' }
export type Mode = 'monitor' | 'comment' | 'disabled'

export type ModelFinding = {
  place: Place
  seen: Observed
  state: string
  reason: string
  by: 'nobody' | 'rule' | 'automation' | 'person'
  silenced: boolean
  /** The last doubt that a rule ignored it for. */
  doubt: string
  /** How often its state changed. */
  changes: number
  /** The step of its last decision. */
  decidedAt: number
  born: number
}

export function createModel() {
  let findings: ModelFinding[] = []
  const exposed = new Set<number>()
  let mode: Mode = 'monitor'
  let step = 0

  function upload(place: Place, observed: readonly Observed[], complete: boolean): void {
    step++
    const inPullRequest = typeof place.target === 'number'
    const here = findings.filter((one) => samePlace(one.place, place))
    const elsewhere = findings.filter((one) => one.place.repository === place.repository && !here.includes(one))
    const hidden = (one: Observed) => inPullRequest && one.product !== 'sca' && one.product !== 'secrets'
    const counted = observed.filter((one) => !(hidden(one) && mode === 'disabled'))
    for (const seen of counted) {
      const silenced = hidden(seen) && mode === 'monitor'
      const known = here.find((one) => one.seen.fingerprint === seen.fingerprint)
      if (known) {
        Object.assign(known, { seen, silenced })
        lookAgain(known)
      } else findings.push(born(place, seen, silenced, elsewhere))
    }
    if (!complete) return
    for (const one of here) {
      if (counted.some((seen) => seen.fingerprint === one.seen.fingerprint) || one.state === 'fixed') continue
      if (one.by === 'person' && isIgnored(one.state)) continue
      change(one, 'fixed', '', 'nobody')
    }
  }

  function born(place: Place, seen: Observed, silenced: boolean, elsewhere: ModelFinding[]): ModelFinding {
    const one: ModelFinding = {
      ...{ place, seen, silenced, state: 'open', reason: '', by: 'nobody' },
      ...{ doubt: '', changes: 0, decidedAt: step, born: step },
    }
    const decisions = elsewhere.filter(
      (other) => other.seen.fingerprint === seen.fingerprint && other.by === 'person' && isIgnored(other.state),
    )
    const last = decisions.sort((a, b) => a.decidedAt - b.decidedAt || a.born - b.born).at(-1)
    if (last) change(one, last.state, last.reason, 'person')
    else if (doubtAbout(seen)) doubt(one)
    return one
  }

  function lookAgain(one: ModelFinding): void {
    const now = doubtAbout(one.seen)
    if (one.state === 'fixed' && !now) change(one, 'reopened', '', 'nobody')
    else if (one.state === 'fixed') doubt(one)
    else if (one.by === 'nobody' && now) doubt(one)
    else if (one.by === 'rule' && !now) change(one, 'open', '', 'nobody')
    else if (one.by === 'rule' && now !== one.doubt) doubt(one)
  }

  function doubt(one: ModelFinding): void {
    one.doubt = doubtAbout(one.seen)
    change(one, 'provisionally-ignored', '', 'rule')
  }

  function change(one: ModelFinding, state: string, reason: string, by: ModelFinding['by']): void {
    Object.assign(one, { state, reason, by, decidedAt: step, changes: one.changes + 1 })
  }

  function triage(chosen: readonly ModelFinding[], state: string, reason: string): void {
    step++
    for (const one of chosen) {
      if (one.by === 'person' && one.state === state && one.reason === reason) continue
      change(one, state, reason, 'person')
    }
  }

  function automate(chosen: readonly ModelFinding[], state: string): void {
    step++
    for (const one of chosen) {
      if (one.by === 'person' || (one.state === state && one.reason === '')) continue
      change(one, state, '', 'automation')
    }
  }

  function expose(repository: number): void {
    if (!exposed.delete(repository)) exposed.add(repository)
  }

  function remove(repository: number): void {
    findings = findings.filter((one) => one.place.repository !== repository)
    exposed.delete(repository)
  }

  /** What the reports say, by counting. */
  function reports(chosen: readonly ModelFinding[] = findings): Record<string, number> {
    const sums: Record<string, number> = {}
    const count = (name: string) => {
      sums[name] = (sums[name] ?? 0) + 1
    }
    for (const one of chosen) {
      const { product, reachability, validity, severity, confidence } = one.seen
      if (typeof one.place.target === 'number') count(one.silenced ? 'silenced' : guardrail(one.state))
      const kind = product === 'sca' || product === 'secrets' ? product : 'code'
      if (one.state === 'fixed' || one.state === 'ignored') continue
      count(`${kind}_standing`)
      if (one.state === 'provisionally-ignored') continue
      if (product === 'sca' && reachability === 'unreachable') continue
      if (product === 'secrets' && validity === 'invalid') continue
      count(`${kind}_exploitable`)
      if (!exposed.has(one.place.repository)) continue
      count(`${kind}_exposed`)
      const sure = { sca: reachability === 'reachable', secrets: validity === 'valid', code: confidence === 'high' }
      if ((severity === 'critical' || severity === 'high') && sure[kind]) count(`${kind}_priority`)
    }
    return sums
  }

  return {
    upload,
    triage,
    automate,
    expose,
    remove,
    reports,
    setMode(next: Mode) {
      mode = next
    },
    all: () => findings,
  }
}

function guardrail(state: string): string {
  const own: Record<string, string> = { fixed: 'fixed', ignored: 'ignored', 'provisionally-ignored': 'provisional' }
  return own[state] ?? 'open'
}

function isIgnored(state: string): boolean {
  return state === 'ignored' || state === 'provisionally-ignored'
}

function doubtAbout({ product, suppressed, validity, reachability }: Observed): string {
  if (product === 'secrets' && validity === 'invalid') return 'does not work'
  if (product === 'sca' && reachability === 'unreachable') return 'is not used'
  return suppressed ? 'is suppressed' : ''
}

function samePlace(a: Place, b: Place): boolean {
  return a.repository === b.repository && a.target === b.target && a.source === b.source
}
