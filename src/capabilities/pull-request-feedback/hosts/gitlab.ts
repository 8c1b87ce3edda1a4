import type { CodeHostClient, OwnComment } from './code-host.ts'
import { HostError } from './host-error.ts'
import { commitOf, type Fields, fieldsOf, type HostAsk, idOf, pagesOf, textOf } from './host-request.ts'
import { patchLines } from './patch-lines.ts'

export const gitLabPermissions = 'Give the token the scope api and the role Developer in the project.'

const statusName = 'gatehouse'
const mostFilePages = 20

/** The part of GitLab's REST API, version 4, that feedback needs. */
export function createGitLab(ask: HostAsk, repository: string): CodeHostClient {
  const project = `projects/${encodeURIComponent(repository)}`
  const request = (number: number) => `${project}/merge_requests/${number}`

  return {
    async findAccount() {
      return textOf(fieldsOf((await ask('GET', 'user')).body).username)
    },

    async getPullRequest(number) {
      const { body } = await ask('GET', request(number))
      const { state, sha, diff_refs, source_project_id, target_project_id, merge_commit_sha } = fieldsOf(body)
      const { base_sha, start_sha, head_sha } = fieldsOf(diff_refs)
      const hasRefs = [base_sha, start_sha, head_sha].every((each) => textOf(each) !== '')
      return {
        isOpen: state === 'opened' || state === 'locked',
        isMerged: state === 'merged',
        head: commitOf(sha),
        mergeCommit: textOf(merge_commit_sha),
        isFork: source_project_id !== target_project_id,
        ...(hasRefs && {
          diffRefs: { base_sha: textOf(base_sha), start_sha: textOf(start_sha), head_sha: textOf(head_sha) },
        }),
      }
    },

    async listParents(commit) {
      const { status, body } = await ask('GET', `${project}/repository/commits/${commit}`, { alsoTake: [404] })
      const { parent_ids } = fieldsOf(body)
      return status === 200 && Array.isArray(parent_ids) ? parent_ids.map(textOf) : []
    },

    /** GitLab keeps the statuses of a merge request with the project that its branch is in, which may be anybody's. */
    async setStatus({ head, isFork }, { state, title, url }) {
      if (isFork) return 'The branch is in another project, so no commit status was set.'
      const wanted = state === 'blocked' ? 'failed' : 'success'
      const description = title.slice(0, 255)
      const { body } = await ask('GET', `${project}/repository/commits/${head}/statuses`, {
        query: { name: statusName, order_by: 'id', sort: 'desc', per_page: '1' },
      })
      const last = fieldsOf(Array.isArray(body) ? body[0] : undefined)
      if (last.status === wanted && last.description === description) return undefined
      const status = { state: wanted, name: statusName, target_url: url, description }
      const answer = await ask('POST', `${project}/statuses/${head}`, { body: status, alsoTake: [400] })
      // It does not let a status become what it is.
      if (answer.status === 400 && last.status !== wanted) {
        throw new HostError('refused', 'GitLab answered 400 to the commit status.')
      }
      return undefined
    },

    async findComment(number, account, beginning) {
      const oldestFirst = { sort: 'asc', order_by: 'created_at' }
      for await (const page of pagesOf(ask, `${request(number)}/notes`, oldestFirst)) {
        const own = page.find((note) => isOwn(note, account, beginning))
        if (own) return { id: idOf(own.id), body: textOf(own.body) }
      }
      return undefined
    },

    async createComment(number, body) {
      await ask('POST', `${request(number)}/notes`, { body: { body } })
    },

    async updateComment(number, id, body) {
      await ask('PUT', `${request(number)}/notes/${id}`, { body: { body } })
    },

    async listChangedFiles(number) {
      const files = []
      let pages = 0
      for await (const page of pagesOf(ask, `${request(number)}/diffs`)) {
        for (const { new_path, old_path, diff } of page) {
          files.push({ path: textOf(new_path), oldPath: textOf(old_path), lines: patchLines(textOf(diff)) })
        }
        if (++pages >= mostFilePages) break
      }
      return files
    },

    async listLineComments(number, account, beginning) {
      const own: OwnComment[] = []
      for await (const page of pagesOf(ask, `${request(number)}/discussions`)) {
        for (const discussion of page) {
          // What people answer comes after ours, which began it.
          const note = fieldsOf(Array.isArray(discussion.notes) ? discussion.notes[0] : undefined)
          if (!isOwn(note, account, beginning)) continue
          const thread = { id: idOf(discussion.id), isResolved: note.resolved === true }
          own.push({ id: idOf(note.id), body: textOf(note.body), thread })
        }
      }
      return own
    },

    async createLineComment(number, { diffRefs }, { path, oldPath, at, body }) {
      if (!diffRefs) return false
      const lines = { new_line: at.line, ...(at.oldLine !== undefined && { old_line: at.oldLine }) }
      const position = { position_type: 'text', ...diffRefs, new_path: path, old_path: oldPath, ...lines }
      const answer = await ask('POST', `${request(number)}/discussions`, { body: { body, position }, alsoTake: [400] })
      return answer.status !== 400
    },

    async updateLineComment(number, { id, thread, body: before }, body, resolved) {
      const discussion = `${request(number)}/discussions/${thread!.id}`
      if (body !== before) await ask('PUT', `${discussion}/notes/${id}`, { body: { body } })
      if (thread!.isResolved !== resolved) await ask('PUT', discussion, { body: { resolved } })
    },
  }
}

/** Anybody can write what ours begin with; nobody else can write it as us. */
function isOwn({ author, body }: Fields, account: string, beginning: string): boolean {
  return textOf(fieldsOf(author).username) === account && textOf(body).startsWith(beginning)
}
