/** What databases say of a vulnerability: its ids there, and since when it is there. */
export type Named = { externalId: string; ids: readonly string[]; publishedAt: Date }

/** Records that share an id, directly or through others, are about the same thing. */
export function groupAliases<Record extends Named>(records: readonly Record[]): Record[][] {
  const groupOf = new Map<string, Record[]>()
  for (const record of records) {
    const known = new Set(record.ids.flatMap((id) => groupOf.get(id) ?? []).map((each) => groupOf.get(each.ids[0]!)!))
    const merged = [...known].flat()
    merged.push(record)
    for (const each of merged) for (const id of each.ids) groupOf.set(id, merged)
  }
  return [...new Set(groupOf.values())]
}

const best = [/^CVE-/, /^GHSA-/]

/** The id people know it by, first: CVE, else GHSA, else the first of the alphabet. */
export function idsOf(group: readonly Named[]): string[] {
  const ids = [...new Set(group.flatMap((record) => record.ids))]
  return ids.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0))
}

function rank(id: string): number {
  const at = best.findIndex((pattern) => pattern.test(id))
  return at === -1 ? best.length : at
}

/**
 * The id that the identity of findings is made of: that of the oldest record. Another database that takes the thing up later, or
 * a CVE that is given to it later, leaves it as it is.
 */
export function lastingId(group: readonly Named[]): string {
  const [oldest] = [...group].sort(
    (a, b) => a.publishedAt.getTime() - b.publishedAt.getTime() || (a.externalId < b.externalId ? -1 : 1),
  )
  return oldest!.externalId
}
