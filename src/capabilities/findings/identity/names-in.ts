import { readContext } from '../../../formats/sarif/identity/content.ts'
import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import type { PackedFindings } from '../ingest/pack.ts'
import { type GroupNow, groupOf, type Names } from './pairing.ts'

/** What the results of these parts are called, and were called by releases before. */
export async function namesIn(parts: readonly PackedFindings[]): Promise<Names> {
  const groups = new Set<string>()
  const single = new Set<string>()
  const formerGroups = new Map<string, GroupNow>()
  const breath = createYield()
  for (const { heads } of parts.flatMap((part) => part.batches)) {
    for (const fingerprint of heads.fingerprint) {
      const group = groupOf(fingerprint)
      if (group === undefined) single.add(fingerprint)
      else groups.add(group)
    }
    for (const [place, former] of heads.formerGroup.entries()) {
      if (former === '') continue
      groups.add(former)
      const hasCode = readContext(heads.context[place]!).code === '='
      formerGroups.set(former, { name: groupOf(heads.fingerprint[place]!)!, hasCode })
    }
    const turn = breath()
    if (turn) await turn
  }
  return { single, groups, formerGroups }
}
