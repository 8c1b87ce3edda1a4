import type { Source } from './memory.ts'

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

/** So many people have to agree. */
const enoughPeople = 2
const mostSources = 20
const longestPath = 1_000

/**
 * Where several people ignore findings of one rule for one reason: in the deepest folder that holds such findings of
 * enough people; a file at the top counts as a folder. A whole repository is never suggested, and neither is what has no
 * rule, no path or no reason.
 */
export function suggestible(ignored: readonly IgnoredFinding[]): Suggestion[] {
  const suggestions: Suggestion[] = []
  const told = ignored.filter(({ rule, path, reason }) => rule && reason && path && path.length <= longestPath)
  for (const alike of Map.groupBy(told, ({ rule, reason }) => `${reason}\n${rule}`).values()) {
    const { rule, reason } = alike[0]!
    const inFolder = new Map<string, IgnoredFinding[]>()
    for (const one of alike) {
      for (const folder of foldersOf(one.path)) {
        const others = inFolder.get(folder)
        if (others) others.push(one)
        else inFolder.set(folder, [one])
      }
    }
    const agreed = [...inFolder].filter(([, some]) => new Set(some.map((one) => one.personId)).size >= enoughPeople)
    const above = new Set(agreed.flatMap(([folder]) => foldersOf(`${folder}/`).filter((other) => other !== folder)))
    for (const [pathPrefix, some] of agreed.filter(([folder]) => !above.has(folder))) {
      const latest = latestOfEach(some)
      const sources = latest.slice(0, mostSources).map(toSource)
      suggestions.push({ rule, reason, pathPrefix, people: latest.length, sources })
    }
  }
  return suggestions
}

/** The folders a file is in, and the file itself where it is in none. */
function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  const folders = names.map((_, at) => names.slice(0, at + 1).join('/')).filter((folder) => /[^/.]/.test(folder))
  return folders.length === 0 ? [path] : folders
}

function latestOfEach(some: readonly IgnoredFinding[]): IgnoredFinding[] {
  const latest = new Map<number, IgnoredFinding>()
  const ordered = some.toSorted((a, b) => b.at.getTime() - a.at.getTime() || b.id - a.id)
  for (const one of ordered) if (!latest.has(one.personId)) latest.set(one.personId, one)
  return [...latest.values()]
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
