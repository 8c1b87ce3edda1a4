import { readContext } from '../../../formats/sarif/identity/content.ts'
import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import type { FindingBatch, PackedFindings } from '../ingest/pack.ts'
import { type GroupNow, groupOf, type Names } from './pairing.ts'

/** What the results of these parts are called, and what earlier releases of Gatehouse or of the tool called them. */
export async function namesIn(parts: readonly PackedFindings[]): Promise<Names> {
  const groups = new Set<string>()
  const single = new Set<string>()
  const formerGroups = new Map<string, GroupNow>()
  const heads = parts.flatMap((part) => part.batches.map((batch) => batch.heads))
  const breath = createYield()
  for (const { fingerprint: fingerprints, formerGroup, context } of heads) {
    for (const fingerprint of fingerprints) {
      const group = groupOf(fingerprint)
      if (group === undefined) single.add(fingerprint)
      else groups.add(group)
    }
    for (const [place, former] of formerGroup.entries()) {
      if (former === '') continue
      const hasCode = readContext(context[place]!).code === '='
      formerGroups.set(former, { name: groupOf(fingerprints[place]!)!, hasCode })
    }
    const turn = breath()
    if (turn) await turn
  }
  for (const [other, name] of await namedOtherwise(heads)) {
    // One that the tool still tells of is another one; and what its code is goes by the same rules as before.
    if (!groups.has(other) && !formerGroups.has(other)) formerGroups.set(other, { name, hasCode: true })
  }
  for (const former of formerGroups.keys()) groups.add(former)
  return { single, groups, formerGroups }
}

/** By other names of groups those of now; not where two of now had one. */
async function namedOtherwise(heads: readonly FindingBatch['heads'][]): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  const ambiguous = new Set<string>()
  const breath = createYield()
  for (const { fingerprint, otherGroups } of heads) {
    for (const [place, others] of otherGroups.entries()) {
      if (others === '') continue
      const name = groupOf(fingerprint[place]!)!
      for (const other of others.split(' ')) {
        if (names.has(other) && names.get(other) !== name) ambiguous.add(other)
        names.set(other, name)
      }
    }
    const turn = breath()
    if (turn) await turn
  }
  for (const other of ambiguous) names.delete(other)
  return names
}
