/**
 * Who tells what a repository has, best first: whoever stands before others is believed about what several of them report. A
 * lockfile says where an entry stands and what brings it in; a scanner's own list says neither.
 */
export const sourceKinds = [
  'gatehouse',
  'github-snapshot',
  'dependency-track',
  'semgrep',
  'defectdojo',
  'github-code-scanning',
] as const
export type SourceKind = (typeof sourceKinds)[number]

/** A kind, or one of several lists of that kind: `github-snapshot:build/linux`. Each replaces its own files only. */
export type Source = SourceKind | `${SourceKind}:${string}`

export function kindOf(source: string): string {
  return source.split(':', 1)[0]!
}

/** Our own uploads, whose paths need nothing before them. */
export const ownSource: Source = 'gatehouse'

/** Where the file of another source stands, beside those of the repository itself. */
export function pathFrom(source: Source, path: string): string {
  return source === ownSource ? path : `@${source}/${path}`
}

/** Where the client that sent it has it. */
export function pathWithin(path: string): string {
  return isForeignPath(path) ? path.slice(path.indexOf('/') + 1) : path
}

/** Whether a path is one that only another source may have. */
export function isForeignPath(path: string): boolean {
  const [, kind] = /^@([a-z-]+)[:/]/.exec(path) ?? []
  return sourceKinds.some((each) => each === kind)
}
