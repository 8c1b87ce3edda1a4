/** A pull request as its code host has it now. */
export type HostedPullRequest = {
  isOpen: boolean
  isMerged: boolean
  /** The newest commit of it. */
  head: string
  /** What a CI job may have checked out in its place: the head merged into the base. Empty where there is none. */
  mergeCommit: string
  /** Whether its branch is in another repository, or was. */
  isFork: boolean
  /** GitLab's way to name the diff that a comment is about. */
  diffRefs?: { base_sha: string; start_sha: string; head_sha: string } | undefined
}

export type Verdict = {
  /** What a check run of ours is known by. */
  key: string
  state: 'blocked' | 'found' | 'clean'
  title: string
  summary: string
  url: string
}

/** A comment of ours. `thread` is what it is resolved by, where that can be. */
export type OwnComment = { id: string; body: string; thread?: { id: string; isResolved: boolean } | undefined }

/** A line that a diff shows on its new side. `oldLine` is its number on the old side, where it is there too. */
export type DiffLine = { line: number; oldLine?: number | undefined }

type LineComment = { path: string; oldPath: string; at: DiffLine; body: string }

export type ChangedFile = { path: string; oldPath: string; lines: ReadonlyMap<number, DiffLine> }

/** What feedback needs of a code host, for one repository. Everything may be done again with the same effect. */
export type CodeHostClient = {
  /** The name that our comments are by. */
  findAccount(): Promise<string>
  getPullRequest(number: number): Promise<HostedPullRequest>
  /** The parents of a commit; none where it is not there any more. */
  listParents(commit: string): Promise<string[]>
  /** Why it could not be set, where that is nobody's fault. */
  setStatus(pullRequest: HostedPullRequest, verdict: Verdict): Promise<string | undefined>
  /** The first comment by this account that begins like this. */
  findComment(number: number, account: string, beginning: string): Promise<OwnComment | undefined>
  createComment(number: number, body: string): Promise<void>
  updateComment(number: number, id: string, body: string): Promise<void>
  listChangedFiles(number: number): Promise<ChangedFile[]>
  /** All comments on lines by this account that begin like this, the oldest first. */
  listLineComments(number: number, account: string, beginning: string): Promise<OwnComment[]>
  /** Whether the code host took it: it may not want a comment there. */
  createLineComment(number: number, pullRequest: HostedPullRequest, comment: LineComment): Promise<boolean>
  updateLineComment(number: number, comment: OwnComment, body: string, resolved: boolean): Promise<void>
}
