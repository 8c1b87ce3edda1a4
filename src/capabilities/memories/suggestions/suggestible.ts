import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import type { Source } from '../memory.ts'

/** What a person has decided about a finding of a repository: to ignore it, for a reason. */
export type IgnoredFinding = {
  id: number
  rule: string
  reason: number
  path: string
  personId: number
  email: string
  note: string
  at: Date
}

export type Suggestion = { rule: string; reason: number; pathPrefix: string; people: number; sources: Source[] }

const mostSources = 20
const longestPath = 1_000

/**
 * Where several people ignore findings of one rule for one reason: in the deepest folder that holds such findings of
 * two people; a file at the top counts as a folder. A whole repository is never suggested, and neither is what has no
 * rule, no path or no reason. The findings come ordered by path, so that what is in a folder is next to each other: each
 * is then compared with its neighbour alone, however deep the folders are.
 */
export async function suggestible(ignored: readonly IgnoredFinding[]): Promise<Suggestion[]> {
  const breath = createYield()
  const suggestions: Suggestion[] = []
  const told = ignored.filter(({ rule, path, reason }) => rule && reason && path && path.length <= longestPath)
  for (const alike of Map.groupBy(told, ({ rule, reason }) => `${reason}\n${rule}`).values()) {
    const { rule, reason } = alike[0]!
    for (const { folder, at } of await deepestShared(alike, breath)) {
      const latest = await latestOfEach(alike, folder, at, breath)
      const sources = latest.slice(0, mostSources).map(toSource)
      suggestions.push({ rule, reason, pathPrefix: folder.slice(0, -1), people: latest.length, sources })
    }
  }
  return suggestions
}

type Breath = ReturnType<typeof createYield>
/** A folder, with a slash at its end, and the place of a finding in it. */
type Shared = { folder: string; at: number }

/** Folders with findings of two people, without those that hold another such folder. */
async function deepestShared(alike: readonly IgnoredFinding[], breath: Breath): Promise<Shared[]> {
  const deepest: Shared[] = []
  for (let at = 1; at < alike.length; at++) {
    await breath()
    if (alike[at - 1]!.personId === alike[at]!.personId) continue
    const folder = sharedFolder(folderOf(alike[at - 1]!.path), folderOf(alike[at]!.path))
    if (folder === '' || deepest.at(-1)?.folder.startsWith(folder)) continue
    while (deepest.length > 0 && folder.startsWith(deepest.at(-1)!.folder)) deepest.pop()
    deepest.push({ folder, at })
  }
  return deepest
}

/** The folder that a file is in, or the file itself where it is in none; with a slash at its end. */
function folderOf(path: string): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return hasName(folder) ? folder : `${path}/`
}

/** The deepest folder that both are, or are in; empty where that is the repository as a whole. */
function sharedFolder(a: string, b: string): string {
  let end = 0
  for (let at = 0; at < a.length && a[at] === b[at]; at++) if (a[at] === '/') end = at + 1
  const folder = a.slice(0, end)
  return hasName(folder) ? folder : ''
}

function hasName(folder: string): boolean {
  return /[^/.]/.test(folder)
}

/** Of the findings in a folder, which are those around `at`, the latest of each person; the latest first. */
async function latestOfEach(alike: readonly IgnoredFinding[], folder: string, at: number, breath: Breath) {
  const isInside = (place: number) => place in alike && folderOf(alike[place]!.path).startsWith(folder)
  const latest = new Map<number, IgnoredFinding>()
  let place = at
  while (isInside(place - 1)) {
    await breath()
    place--
  }
  for (; isInside(place); place++) {
    await breath()
    const one = alike[place]!
    const known = latest.get(one.personId)
    if (!known || later(one, known) < 0) latest.set(one.personId, one)
  }
  return [...latest.values()].sort(later)
}

function later(a: IgnoredFinding, b: IgnoredFinding): number {
  return b.at.getTime() - a.at.getTime() || b.id - a.id
}

function toSource({ note, email, at, id }: IgnoredFinding): Source {
  return {
    note,
    createdBy: email,
    createdAt: at.toISOString(),
    sampleIssueId: String(id),
    prCommentUrl: '',
    reviewCommentId: '',
  }
}
