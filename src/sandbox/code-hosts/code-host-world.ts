/** A comment as a code host keeps it; `at` is its place in the diff, where it has one. */
export type HostComment = {
  id: number
  by: string
  body: string
  at?: { path: string; line: number; oldLine?: number | undefined; commit: string } | undefined
  resolved: boolean
}

type HostedStatus = { id: number; commit: string; key: string; state: string; description: string; url: string }

type HostedFile = { path: string; oldPath?: string; patch?: string }

export type HostedPull = {
  number: number
  head: string
  mergeCommit: string
  state: 'open' | 'closed' | 'merged'
  /** Null: its fork was deleted. */
  fromRepository: string | null
  files: HostedFile[]
  comments: HostComment[]
  lineComments: HostComment[]
}

export type HostedRepository = {
  name: string
  pulls: Map<number, HostedPull>
  statuses: HostedStatus[]
  /** Commits that are there, with their parents. */
  commits: Map<string, string[]>
}

/** What is at a code host, whatever its API is called. */
export function createCodeHostWorld() {
  const repositories = new Map<string, HostedRepository>()
  let lastId = 100

  function addRepository(name: string): HostedRepository {
    const repository = { name, pulls: new Map(), statuses: [], commits: new Map() }
    repositories.set(name, repository)
    return repository
  }

  function addPull(name: string, number: number, more: Partial<HostedPull> & { head: string }): HostedPull {
    const repository = repositories.get(name) ?? addRepository(name)
    const pull: HostedPull = {
      number,
      mergeCommit: '',
      state: 'open',
      fromRepository: name,
      files: [],
      comments: [],
      lineComments: [],
      ...more,
    }
    repository.commits.set(pull.head, [])
    if (pull.mergeCommit) repository.commits.set(pull.mergeCommit, [pull.head])
    repository.pulls.set(number, pull)
    return pull
  }

  const nextId = () => ++lastId

  return { repositories, addRepository, addPull, nextId }
}

/** Whether a diff shows the line on its new side. */
export function showsLine({ patch = '' }: HostedFile, wanted: number): { oldLine: number | undefined } | undefined {
  let [old, line] = [0, 0]
  for (const text of patch.split('\n')) {
    const begin = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text)
    if (begin) [old, line] = [Number(begin[1]), Number(begin[2])]
    else {
      const isNew = text.startsWith('+')
      if ((isNew || text.startsWith(' ')) && line === wanted) return { oldLine: isNew ? undefined : old }
      if (!text.startsWith('-')) line++
      if (!isNew) old++
    }
  }
  return undefined
}

export function pageOf<T>(all: readonly T[], query: URLSearchParams): T[] {
  const size = Number(query.get('per_page') ?? 30)
  const start = (Number(query.get('page') ?? 1) - 1) * size
  return all.slice(start, start + size)
}
