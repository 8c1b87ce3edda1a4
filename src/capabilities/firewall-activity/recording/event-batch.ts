import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
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
  fetches: { artifact: number; person: number; token: number; first: string; last: string }[]
}

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
  const artifacts = new Map<string, number>()
  const batch: EventBatch = { artifacts: [], seconds: [], activity: [], refusals: [], blocked: [], fetches: [] }
  const seconds = grouping(batch.seconds)
  const activity = grouping(batch.activity)
  const refusals = grouping(batch.refusals)
  const blocked = grouping(batch.blocked)
  const fetches = grouping(batch.fetches)

  for (const event of events) {
    const turn = pause()
    if (turn) await turn
    const { ecosystem, refused, personId: person, tokenId: token } = event
    const at = event.at.toISOString()
    const artifact = artifactOf(event)
    const advisory = storable(event.advisoryId, longestVersion)
    const kind = refused ? 'blocked' : 'allowed'
    const second = `${at.slice(0, 19)}Z`
    const inSecond = seconds(`${second} ${ecosystem}`, () => ({ at: second, ecosystem, allowed: [], blocked: [] }))
    inSecond[kind].push(event.at.getUTCMilliseconds())
    for (const grain of grains) {
      const start = startOf(grain, event.at).toISOString()
      activity(`${grain} ${start} ${ecosystem}`, () => ({ grain, start, ecosystem, allowed: 0, blocked: 0 }))[kind]++
    }
    if (refused && advisory !== '') {
      const hour = startOf('h', event.at).toISOString()
      blocked(`${hour} ${artifact} ${advisory}`, () => ({ hour, artifact, advisory, count: 0 })).count++
    }
    if (refused || event.refusal) {
      const why = storableRefusal(event.refusal)
      const watched = !refused
      const key = `${at} ${artifact} ${person} ${token} ${advisory} ${watched} ${JSON.stringify(why)}`
      refusals(key, () => ({ at, artifact, advisory, person, token, ...why, watched, count: 0 })).count++
    }
    if (!refused) {
      const fetch = fetches(`${artifact} ${person} ${token}`, () => ({ artifact, person, token, first: at, last: at }))
      if (at < fetch.first) fetch.first = at
      if (at > fetch.last) fetch.last = at
    }
  }
  return batch

  function artifactOf(event: FirewallEvent): number {
    const { ecosystem } = event
    const name = storable(ecosystems[ecosystem].normalizeName(event.name), longestName)
    const version = storable(event.version, longestVersion)
    const key = `${ecosystem}\n${name}\n${version}`
    const known = artifacts.get(key)
    if (known !== undefined) return known
    artifacts.set(key, batch.artifacts.length)
    return batch.artifacts.push({ ecosystem, name, version }) - 1
  }
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
    reason: storable(reason, longestReason),
    client: storable(client, longestClient),
    address: storable(address, longestClient),
  }
}

function storable(text: string, length: number): string {
  return text.slice(0, length).toWellFormed().replaceAll('\0', '\ufffd')
}
