import type { ToldFinding } from '../../findings/public.ts'
import type { PullRequestScan } from '../../scans/public.ts'
import type { CodeHostClient, HostedPullRequest } from '../hosts/code-host.ts'
import { HostError } from '../hosts/host-error.ts'
import type { CodeHostRow } from '../store.ts'
import { type Markers, mostListed, summaryText, type Told, verdictOf } from '../text/comment-text.ts'
import { ignoreMissing } from './ignore-missing.ts'
import { syncLineComments } from './line-comments.ts'

type Feedback = {
  client: CodeHostClient
  host: Pick<CodeHostRow, 'postsStatus' | 'postsComment' | 'postsLineComments'>
  account: string
  markers: Markers
  number: number
  pullRequest: HostedPullRequest
  scan: PullRequestScan
  findings: readonly ToldFinding[]
  total: number
  publicUrl: string
  commented: readonly string[]
}

/** Tells a pull request what its last scan found. Answers what was said, and which findings have ever had a comment. */
export async function deliver(feedback: Feedback): Promise<{ detail: string; commented: readonly string[] }> {
  const { client, host, markers, pullRequest, scan } = feedback
  // Two people's comments cannot be told apart where nobody is nobody.
  if (feedback.account === '') throw new HostError('unreachable', 'The code host did not say whose the credential is.')
  const isCurrent = await isScannedHead(client, pullRequest, scan.commit)
  const told = toldBy(feedback, !isCurrent)
  const said: string[] = []
  const notes: string[] = []
  if (!isCurrent) notes.push('The pull request has newer commits than the scan.')
  if (host.postsStatus && isCurrent) {
    const why = await client.setStatus(pullRequest, verdictOf(told, markers))
    if (why === undefined) said.push('status')
    else notes.push(why)
  }
  if (host.postsComment && (await keepComment(feedback, told))) said.push('comment')
  let { commented } = feedback
  if (host.postsLineComments && isCurrent) {
    const { findings, total } = feedback
    const open = total > findings.length ? undefined : new Map(findings.map((finding) => [finding.id, finding]))
    const lines = await syncLineComments({ ...feedback, told, open })
    commented = lines.commented
    if (lines.created > 0) said.push(`${lines.created} on lines`)
  }
  const detail = [said.length > 0 ? `Posted: ${said.join(', ')}.` : 'There was nothing to say.', ...notes].join(' ')
  return { detail, commented }
}

/**
 * Whether what was scanned is what the pull request has now. CI jobs often check out the head merged into the base: a commit
 * that has the head as a parent, whatever the base was then.
 */
async function isScannedHead(client: CodeHostClient, { head, mergeCommit }: HostedPullRequest, commit: string) {
  if (commit === '' || head.startsWith(commit) || commit === mergeCommit) return true
  return (await client.listParents(commit)).includes(head)
}

function toldBy({ scan, findings, total, publicUrl }: Feedback, isOutdated: boolean): Told {
  return {
    commit: scan.commit,
    isOutdated,
    blocked: scan.blocked,
    blockedBy: scan.blockedBy.map(({ name }) => name),
    blocking: new Map(scan.blockingFindings.map(({ id, because }) => [id, because])),
    findings: findings.slice(0, mostListed),
    total,
    pageUrl: publicUrl + scan.page,
    publicUrl,
  }
}

/** One comment, made when there is something to say and changed from then on. One that a person deleted is made again. */
async function keepComment({ client, account, markers, number }: Feedback, told: Told): Promise<boolean> {
  const own = await client.findComment(number, account, markers.summary)
  const body = summaryText(told, markers)
  if (own?.body === body) return false
  if (own) await ignoreMissing(() => client.updateComment(number, own.id, body))
  else if (told.blocked || told.total > 0) await client.createComment(number, body)
  else return false
  return true
}
