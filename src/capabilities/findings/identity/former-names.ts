import { contentHash, readContext, writeContext } from '../../../formats/sarif/identity/content.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { inTurns } from '../../../kernel/threads/in-turns.ts'
import { listSnippets } from './former-names-store.ts'
import { groupOf, type KnownFinding, type Names, ordinalOf } from './pairing.ts'

/**
 * Gives findings that are stored under former names those of now, with the code that they show where it is not in the name any
 * more, so that they are compared as if they had been read by this release. Answers which they are. Numbers are free among the rows that are given.
 */
export async function takeNewNames<Row extends KnownFinding>(
  tx: Transaction,
  rows: Iterable<Row>,
  groups: Names['formerGroups'],
): Promise<Row[]> {
  const former: Row[] = []
  if (groups.size === 0) return former
  const next = new Map<string, number>()
  await inTurns(rows, (row) => {
    const group = groupOf(row.fingerprint)
    if (group === undefined) return
    if (groups.has(group)) former.push(row)
    else next.set(group, Math.max(next.get(group) ?? 0, ordinalOf(row.fingerprint) + 1))
  })
  if (former.length === 0) return former
  const snippets = await listSnippets(
    tx,
    former.map((row) => row.id),
  )
  await inTurns(former, (row) => {
    const group = groups.get(groupOf(row.fingerprint)!)!
    const number = next.get(group.name) ?? 0
    next.set(group.name, number + 1)
    row.fingerprint = `${group.name}:${number}`
    if (!group.hasCode) row.context = contextOf(row.context, snippets.get(row.id) ?? '')
  })
  return former
}

/** Where it shows no code it stays as it is: what was around it may still tell which code it was. */
function contextOf(stored: string, snippet: string): string {
  const code = contentHash(snippet)
  return code === '' ? stored : writeContext({ code, around: readContext(stored).around })
}
