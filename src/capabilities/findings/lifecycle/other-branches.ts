import * as codes from '../../../domain/finding-codes.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { followersOf } from '../identity/followers.ts'
import { listWithSeveralRefs } from '../ingest/duplicate-store.ts'
import { listOnBranches } from './other-branches-store.ts'
import type { LockedFinding } from './triage-store.ts'

type Decision = { state: number; reason: number }

const fixed = codes.state.code('fixed')

/**
 * Those of the repositories that have other branches on which a decision about the findings may count. Of nearly all repositories one
 * branch is scanned. That something is fixed is a fact of one branch, and what is found in a pull request is a matter of its own.
 */
export async function listWithOtherBranches(
  tx: Transaction,
  findings: readonly LockedFinding[],
  { state }: Decision,
): Promise<number[]> {
  const onBranches = findings.filter((finding) => finding.pull_request === 0)
  if (onBranches.length === 0 || state === fixed) return []
  return listWithSeveralRefs(tx, [...new Set(onBranches.map((finding) => finding.repository_id))])
}

/** A look into indexes for each, on every branch, and what is found is kept in memory until it is compared. */
const mostAtOnce = 2_000
/** What a request changes is bounded: it is one transaction, and the answer names each of them. */
const mostFollowers = 100_000

/** By their ids, on which branch it was decided about what is the same as they are. `findings` are as they stood before. */
export async function findFollowers(
  tx: Transaction,
  repositoryIds: readonly number[],
  findings: readonly LockedFinding[],
  decision: Decision,
): Promise<Map<number, string>> {
  const decided = new Map(findings.map((finding) => [finding.id, finding]))
  const several = new Set(repositoryIds)
  const left = new Set(findings.filter((finding) => several.has(finding.repository_id)).map(({ id }) => id))
  const followers = new Map<number, string>()
  while (left.size > 0) {
    const ids = [...left].slice(0, mostAtOnce)
    const rows = await listOnBranches(tx, repositoryIds, ids)
    for (const id of ids) left.delete(id)
    // All that are equal come together, however many they are.
    for (const { id } of rows) left.delete(id)
    for (const { id, decidedOn } of await followersOf(rows, decided, decision)) followers.set(id, decidedOn)
    if (followers.size > mostFollowers) throw tooMany()
  }
  return followers
}

function tooMany(): Fault {
  const most = mostFollowers.toLocaleString('en')
  return new Fault(
    'unprocessable',
    `The decision would also change more than ${most} findings on other branches. Decide about fewer at once.`,
  )
}

const longestNote = 2_000

/** What the history of a finding says that goes along. */
export function noteFrom(ref: string, note: string): string {
  const where = `Decided on the branch ${ref}, which has the same finding.`
  return (note ? `${where} ${note}` : where).slice(0, longestNote)
}
