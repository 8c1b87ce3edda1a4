import type { ToldFinding } from '../../findings/public.ts'
import type { ChangedFile, CodeHostClient, HostedPullRequest, OwnComment } from '../hosts/code-host.ts'
import { lineText, type Markers, settledText, type Told } from '../text/comment-text.ts'
import { ignoreMissing } from './ignore-missing.ts'

/** More would bury the conversation, and code hosts limit how much one account may write. The summary has the rest. */
const mostLineComments = 20

type LineCommenting = {
  client: CodeHostClient
  account: string
  markers: Markers
  number: number
  pullRequest: HostedPullRequest
  told: Told
  /** Everything that stands open, or undefined where that is more than was read. */
  open: ReadonlyMap<string, ToldFinding> | undefined
  /** Findings that ever had a comment. */
  commented: readonly string[]
}

/** Makes the comments on lines what they should be. Answers how many were made, and which findings have ever had one. */
export async function syncLineComments(given: LineCommenting): Promise<{ created: number; commented: string[] }> {
  const { client, account, markers, number } = given
  const existing = new Map<string, OwnComment>()
  for (const comment of await client.listLineComments(number, account, markers.lines)) {
    const findingId = markers.findingOf(comment.body)
    if (findingId !== undefined && !existing.has(findingId)) existing.set(findingId, comment)
  }
  for (const [findingId, comment] of existing) await refresh(given, findingId, comment)
  const commented = new Set([...given.commented, ...existing.keys()])
  const created = await createNew(given, existing, commented)
  return { created, commented: [...commented] }
}

/** A thread that a person has resolved stays resolved; one that we have is opened again with its finding. */
async function refresh(given: LineCommenting, findingId: string, comment: OwnComment): Promise<void> {
  const { client, markers, number, told, open } = given
  const settled = settledText(findingId, told, markers)
  const finding = open?.get(findingId)
  if (!open) return
  const body = finding ? lineText(finding, told, markers) : settled
  if (body === comment.body) return
  const wasSettled = comment.body === settled
  const isResolved = finding ? !wasSettled && (comment.thread?.isResolved ?? false) : true
  await ignoreMissing(() => client.updateLineComment(number, comment, body, isResolved))
}

async function createNew(
  { client, markers, number, pullRequest, told }: LineCommenting,
  existing: ReadonlyMap<string, OwnComment>,
  commented: Set<string>,
): Promise<number> {
  const wanted = told.findings.filter(({ id, path, line }) => path !== '' && line > 0 && !commented.has(id))
  const room = mostLineComments - told.findings.filter(({ id }) => existing.has(id)).length
  if (wanted.length === 0 || room <= 0) return 0
  const files = new Map((await client.listChangedFiles(number)).map((file) => [file.path, file]))
  let created = 0
  for (const finding of wanted) {
    if (created === room) break
    const place = placeIn(files.get(finding.path), finding.line)
    if (!place) continue
    const comment = { ...place, body: lineText(finding, told, markers) }
    if (!(await client.createLineComment(number, pullRequest, comment))) continue
    commented.add(finding.id)
    created++
  }
  return created
}

/** Only lines that the diff shows can be commented on. */
function placeIn(file: ChangedFile | undefined, line: number) {
  const at = file?.lines.get(line)
  return file && at && { path: file.path, oldPath: file.oldPath, at }
}
