import type { CodeHostClient, OwnComment, Verdict } from './code-host.ts'
import { commitOf, type Fields, fieldsOf, type HostAsk, idOf, pagesOf, textOf } from './host-request.ts'
import { patchLines } from './patch-lines.ts'

export const gitHubHeaders = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
export const tokenPermissions =
  'Give the token: commit statuses (write), pull requests (write), contents (read), for this repository; or the scope repo.'

const checkName = 'Gatehouse'
const statusContext = 'gatehouse'
const mostFilePages = 20
const conclusions = { blocked: 'failure', found: 'neutral', clean: 'success' } as const

/** The part of GitHub's REST API that feedback needs. As an app it makes check runs, with a token commit statuses. */
export function createGitHub(
  ask: HostAsk,
  repository: string,
  { isApp, findAccount }: { isApp: boolean; findAccount: () => Promise<string> },
): CodeHostClient {
  const [owner = '', name = ''] = repository.split('/')
  const repo = `repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`

  async function setCheckRun(head: string, { key, state, title, summary, url }: Verdict): Promise<void> {
    const { body } = await ask('GET', `${repo}/commits/${head}/check-runs`, { query: { check_name: checkName } })
    const runs = fieldsOf(body).check_runs
    const own = (Array.isArray(runs) ? runs.map(fieldsOf) : []).find((run) => run.external_id === key)
    const run = {
      name: checkName,
      status: 'completed',
      conclusion: conclusions[state],
      details_url: url,
      external_id: key,
      output: { title, summary },
    }
    if (own) await ask('PATCH', `${repo}/check-runs/${idOf(own.id)}`, { body: run })
    else await ask('POST', `${repo}/check-runs`, { body: { ...run, head_sha: head } })
  }

  async function setCommitStatus(head: string, { state, title, url }: Verdict): Promise<void> {
    const status = {
      state: state === 'blocked' ? 'failure' : 'success',
      target_url: url,
      description: title.slice(0, 140),
      context: statusContext,
    }
    await ask('POST', `${repo}/statuses/${head}`, { body: status })
  }

  return {
    findAccount,

    async getPullRequest(number) {
      const { body } = await ask('GET', `${repo}/pulls/${number}`)
      const { state, merged, head, base, merge_commit_sha } = fieldsOf(body)
      // A fork that was deleted has no repository any more.
      const from = fieldsOf(fieldsOf(head).repo).id
      return {
        isOpen: state === 'open',
        isMerged: merged === true,
        head: commitOf(fieldsOf(head).sha),
        mergeCommit: textOf(merge_commit_sha),
        isFork: from !== fieldsOf(fieldsOf(base).repo).id,
      }
    },

    async listParents(commit) {
      const { status, body } = await ask('GET', `${repo}/commits/${commit}`, { alsoTake: [404, 422] })
      const { parents } = fieldsOf(body)
      return status === 200 && Array.isArray(parents) ? parents.map((each) => textOf(fieldsOf(each).sha)) : []
    },

    async setStatus({ head }, verdict) {
      await (isApp ? setCheckRun(head, verdict) : setCommitStatus(head, verdict))
      return undefined
    },

    async findComment(number, account, beginning) {
      for await (const page of pagesOf(ask, `${repo}/issues/${number}/comments`)) {
        const own = page.find((each) => isOwn(each, account, beginning))
        if (own) return toComment(own)
      }
      return undefined
    },

    async createComment(number, body) {
      await ask('POST', `${repo}/issues/${number}/comments`, { body: { body } })
    },

    async updateComment(_number, id, body) {
      await ask('PATCH', `${repo}/issues/comments/${id}`, { body: { body } })
    },

    async listChangedFiles(number) {
      const files = []
      let pages = 0
      for await (const page of pagesOf(ask, `${repo}/pulls/${number}/files`)) {
        for (const file of page) {
          const path = textOf(file.filename)
          const oldPath = textOf(file.previous_filename) || path
          files.push({ path, oldPath, lines: patchLines(textOf(file.patch)) })
        }
        if (++pages >= mostFilePages) break
      }
      return files
    },

    async listLineComments(number, account, beginning) {
      const own: OwnComment[] = []
      for await (const page of pagesOf(ask, `${repo}/pulls/${number}/comments`)) {
        own.push(...page.filter((each) => isOwn(each, account, beginning)).map(toComment))
      }
      return own
    },

    async createLineComment(number, { head }, { path, at, body }) {
      const comment = { body, commit_id: head, path, line: at.line, side: 'RIGHT' }
      const { status } = await ask('POST', `${repo}/pulls/${number}/comments`, { body: comment, alsoTake: [422] })
      return status !== 422
    },

    async updateLineComment(_number, { id }, body) {
      await ask('PATCH', `${repo}/pulls/comments/${id}`, { body: { body } })
    },
  }
}

/** Anybody can write what ours begin with; nobody else can write it as us. */
function isOwn({ user, body }: Fields, account: string, beginning: string): boolean {
  return textOf(fieldsOf(user).login) === account && textOf(body).startsWith(beginning)
}

function toComment({ id, body }: Fields): OwnComment {
  return { id: idOf(id), body: textOf(body) }
}
