import { createHash } from 'node:crypto'
import type { InventoryItem } from '../format.ts'
import type { DependencyKind } from './bill.ts'

/** What a bill of materials is written from. */
export type RepositoryBill = {
  repository: string
  created: Date
  items: readonly InventoryItem[]
  /** Only where the document is to have them. */
  vulnerabilities?: readonly BillVulnerability[] | undefined
}

/** As CycloneDX has them, but for what they affect: the packages by their URLs. */
export type BillVulnerability = { purls: readonly string[]; record: object }

export const toolName = 'gatehouse'

/** How many items are looked at between two places where the writing may pause, each an empty piece. */
const stride = 1_024

/** Each item with its place, and a pause now and then. */
export function* eachItem(
  items: readonly InventoryItem[],
  look: (item: InventoryItem, at: number) => void,
): Generator<string, void> {
  for (const [at, item] of items.entries()) {
    if (at % stride === 0) yield ''
    look(item, at)
  }
}

/** The same for the same content, so that writing is a pure function (RFC 9562 §5.8). */
export function* billUuid(bill: RepositoryBill): Generator<string, string> {
  const { repository, created, items, vulnerabilities } = bill
  const hash = createHash('sha256').update(JSON.stringify([repository, created.toISOString()]))
  yield* eachItem(items, (item) => hash.update(JSON.stringify([item.ecosystem, item.name, item.version, item.key])))
  if (vulnerabilities) hash.update(JSON.stringify(vulnerabilities))
  const bytes = hash.digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/**
 * The items whose standing a reader of the graph would see differently, for example the transitive dependencies of a
 * lockfile that does not say what brings them in: the document must say it outright.
 */
export function* unshownStandings(
  items: readonly InventoryItem[],
  showsDevelopment: boolean,
): Generator<string, Map<string, DependencyKind>> {
  const places = new Map<string, number>()
  yield* eachItem(items, ({ key }, at) => places.set(key, at))
  const all = yield* reach(items, places, ({ transitivity }) => transitivity === 'DIRECT')
  const production = yield* reach(items, places, (item) => item.transitivity === 'DIRECT' && !item.development)
  const unshown = new Map<string, DependencyKind>()
  yield* eachItem(items, ({ key, transitivity, development }, at) => {
    const seen = all[at] === 0 ? 'UNKNOWN' : transitivity === 'DIRECT' ? 'DIRECT' : 'TRANSITIVE'
    const seenDevelopment = all[at] === 1 && production[at] === 0
    const differs = seen !== transitivity || (!showsDevelopment && seenDevelopment !== development)
    if (differs) unshown.set(key, { transitivity, development })
  })
  return unshown
}

/** 1 for what is among the first, or what one of them leads to. */
function* reach(
  items: readonly InventoryItem[],
  places: ReadonlyMap<string, number>,
  isFirst: (item: InventoryItem) => boolean,
): Generator<string, Uint8Array> {
  const reached = new Uint8Array(items.length)
  const queue: number[] = []
  const visit = (at: number | undefined) => {
    if (at === undefined || reached[at] === 1) return
    reached[at] = 1
    queue.push(at)
  }
  yield* eachItem(items, (item, at) => isFirst(item) && visit(at))
  for (let done = 0; queue.length > 0; done++) {
    if (done % stride === 0) yield ''
    for (const key of items[queue.pop()!]!.dependsOn) visit(places.get(key))
  }
  return reached
}

/** The members of a JSON array, one string each. */
export function* jsonMembers(values: Iterable<unknown>): Generator<string> {
  let first = true
  for (const value of values) {
    yield `${first ? '\n' : ',\n'}${JSON.stringify(value)}`
    first = false
  }
}
