import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { storableText } from '../../../kernel/text/storable-text.ts'
import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import { type Grain, startOf } from '../reports/split-period.ts'
import type { FirewallEvent, Refusal } from './event.ts'

export type TimedEvent = FirewallEvent & { at: Date }

export type Artifact = { ecosystem: EcosystemId; name: string; version: string }

/** Events of one deployment as the rows that they become. `artifact` is the place of a row's artifact in `artifacts`. */
export type EventBatch = {
  artifacts: Artifact[]
  seconds: { at: string; ecosystem: string; allowed: number[]; blocked: number[] }[]
  activity: { grain: Grain; start: string; ecosystem: string; allowed: number; blocked: number }[]
  refusals: RefusalRow[]
  blocked: { hour: string; artifact: number; advisory: string; count: number }[]
  fetches: { artifact: number; person: number; token: number; first: Date; last: Date }[]
}

type Counters = { second: EventBatch['seconds'][number]; longer: EventBatch['activity'] }

type RefusalRow = Refusal & {
  at: string
  artifact: number
  advisory: string
  person: number
  token: number
  watched: boolean
  count: number
}

const grains: Grain[] = ['m', 'd', 'h', 'n']
// An index entry has to hold both.
const longestName = 400
const longestVersion = 200
const longestReason = 1_000
const longestClient = 200

/** In slices: a process that died may have left hundreds of thousands. */
export async function batchOf(events: readonly TimedEvent[]): Promise<EventBatch> {
  const pause = createYield()
  const { add, batch } = createBatch()
  for (const event of events) {
    const turn = pause()
    if (turn) await turn
    add(event)
  }
  return batch
}

/** One that grows by an event at a time. */
export function createBatch(): { add(event: TimedEvent): void; batch: EventBatch } {
  const artifacts = new Map<string, number>()
  const batch: EventBatch = { artifacts: [], seconds: [], activity: [], refusals: [], blocked: [], fetches: [] }
  const activity = grouping(batch.activity)
  const moments = new Map<string, Counters>()
  const refusals = grouping(batch.refusals)
  const blocked = grouping(batch.blocked)
  const fetches = grouping(batch.fetches)

  function add(event: TimedEvent): void {
    const { refused, personId: person, tokenId: token } = event
    const artifact = artifactOf(event)
    const advisory = storableText(event.advisoryId, longestVersion)
    const kind = refused ? 'blocked' : 'allowed'
    const counters = countersOf(event)
    counters.second[kind].push(event.at.getUTCMilliseconds())
    for (const each of counters.longer) each[kind]++
    if (refused && advisory !== '') {
      const hour = startOf('h', event.at).toISOString()
      blocked(`${hour} ${artifact} ${advisory}`, () => ({ hour, artifact, advisory, count: 0 })).count++
    }
    if (refused || event.refusal) {
      const at = event.at.toISOString()
      const why = storableRefusal(event.refusal)
      const watched = !refused
      const key = `${at} ${artifact} ${person} ${token} ${advisory} ${watched} ${JSON.stringify(why)}`
      refusals(key, () => ({ at, artifact, advisory, person, token, ...why, watched, count: 0 })).count++
    }
    if (!refused) {
      const { at } = event
      const fetch = fetches(`${artifact} ${person} ${token}`, () => ({ artifact, person, token, first: at, last: at }))
      if (at < fetch.first) fetch.first = at
      if (at > fetch.last) fetch.last = at
    }
  }

  /** The rows that all events of a second count in: there may be thousands of them. */
  function countersOf({ at, ecosystem }: TimedEvent): Counters {
    const key = `${Math.floor(at.getTime() / 1_000)} ${ecosystem}`
    const known = moments.get(key)
    if (known) return known
    const second = { at: `${at.toISOString().slice(0, 19)}Z`, ecosystem, allowed: [], blocked: [] }
    batch.seconds.push(second)
    const longer = grains.map((grain) => {
      const start = startOf(grain, at).toISOString()
      return activity(`${grain} ${start} ${ecosystem}`, () => ({ grain, start, ecosystem, allowed: 0, blocked: 0 }))
    })
    const counters = { second, longer }
    moments.set(key, counters)
    return counters
  }

  function artifactOf(event: FirewallEvent): number {
    const { ecosystem } = event
    const asked = `${ecosystem}\n${event.name}\n${event.version}`
    const before = artifacts.get(asked)
    if (before !== undefined) return before
    const name = storableText(ecosystems[ecosystem].normalizeName(event.name), longestName)
    const version = storableText(event.version, longestVersion)
    const key = `${ecosystem}\n${name}\n${version}`
    const artifact = artifacts.get(key) ?? batch.artifacts.push({ ecosystem, name, version }) - 1
    artifacts.set(key, artifact).set(asked, artifact)
    return artifact
  }

  return { add, batch }
}

/** Finds the row of a key, or adds it. */
function grouping<Row>(rows: Row[]) {
  const known = new Map<string, Row>()
  return (key: string, make: () => Row): Row => {
    const found = known.get(key) ?? make()
    if (!known.has(key)) {
      known.set(key, found)
      rows.push(found)
    }
    return found
  }
}

function storableRefusal({ rule = 'unknown', reason = '', client = '', address = '' }: Partial<Refusal> = {}): Refusal {
  return {
    rule,
    reason: storableText(reason, longestReason),
    client: storableText(client, longestClient),
    address: storableText(address, longestClient),
  }
}
