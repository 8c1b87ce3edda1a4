import { randomBytes } from 'node:crypto'
import { type SandboxAnswer, type SandboxRequest, type ServiceTrouble, startLocalServer } from '../local-server.ts'
import {
  createCodeHostWorld,
  type HostComment,
  type HostedPull,
  type HostedRepository,
  pageOf,
  showsLine,
} from './code-host-world.ts'

type Given = {
  repository: HostedRepository
  pull: HostedPull
  ids: string[]
  who: string
  sent: Record<string, unknown>
  query: URLSearchParams
}

/**
 * GitLab, as far as feedback asks it: version 4 of the API with access tokens. As there, a status cannot become what it is, and
 * a comment on a line that was not added names the line on both sides.
 */
export async function startGitLabService() {
  const world = createCodeHostWorld()
  const tokens = new Map<string, string>()
  const control: ServiceTrouble = {}
  const server = await startLocalServer(answer)

  function addToken(username: string): string {
    const token = `glpat-${randomBytes(12).toString('hex')}`
    tokens.set(token, username)
    return token
  }

  function answer(request: SandboxRequest): SandboxAnswer {
    const trouble = control.trouble?.(request)
    if (trouble) return trouble
    const who = tokens.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '')
    if (!who) return { status: 401, body: { message: '401 Unauthorized' } }
    const done = handled(request, who)
    return control.lostAnswer?.(request) ?? done
  }

  function handled({ method, path, body, query }: SandboxRequest, who: string): SandboxAnswer {
    const [, , first, name = '', ...rest] = path
    if (method === 'GET' && first === 'user') return { body: { id: 7, username: who } }
    const repository = first === 'projects' ? world.repositories.get(name) : undefined
    if (!repository) return { status: 404, body: { message: '404 Project Not Found' } }
    const line = `${method} ${rest.join('/')}`
    const sent = body === '' ? {} : JSON.parse(body)
    for (const [pattern, run] of operations) {
      const ids = pattern.exec(line)?.slice(1)
      if (!ids) continue
      const pull = repository.pulls.get(Number(ids[0]))
      if (line.includes('merge_requests') && !pull) return { status: 404, body: { message: '404 Not found' } }
      return run({ repository, pull: pull!, ids, who, sent, query })
    }
    return { status: 404, body: { error: '404 Not Found' } }
  }

  const operations: [RegExp, (given: Given) => SandboxAnswer][] = [
    [/^GET merge_requests\/(\d+)$/, ({ pull, repository }) => ({ body: requestOf(pull, repository) })],
    [
      /^GET repository\/commits\/([0-9a-f]+)$/,
      ({ ids, repository }) => {
        const parents = repository.commits.get(ids[0]!)
        return parents
          ? { body: { id: ids[0], parent_ids: parents } }
          : { status: 404, body: { message: '404 Commit' } }
      },
    ],
    [
      /^GET repository\/commits\/([0-9a-f]+)\/statuses$/,
      ({ ids, repository, query }) => {
        const own = repository.statuses.filter(({ commit, key }) => commit === ids[0] && key === query.get('name'))
        return {
          body: own
            .toReversed()
            .map(({ id, key, state, description }) => ({ id, name: key, status: state, description })),
        }
      },
    ],
    [
      /^POST statuses\/([0-9a-f]+)$/,
      ({ ids, repository, sent }) => {
        const { state, name, description, target_url } = sent as Record<string, string>
        if (!repository.commits.has(ids[0]!)) return { status: 404, body: { message: '404 Commit Not Found' } }
        const last = repository.statuses.findLast(({ commit, key }) => commit === ids[0] && key === name)
        if (last?.state === state)
          return { status: 400, body: { message: `Cannot transition status via :succeed from :${state}` } }
        const status = {
          id: world.nextId(),
          commit: ids[0]!,
          key: name!,
          state: state!,
          description: description!,
          url: target_url!,
        }
        repository.statuses.push(status)
        return { status: 201, body: { id: status.id, name, status: state, description } }
      },
    ],
    [
      /^GET merge_requests\/(\d+)\/notes$/,
      ({ pull, query }) => ({ body: pageOf([...pull.comments, ...pull.lineComments], query).map(noteOf) }),
    ],
    [
      /^POST merge_requests\/(\d+)\/notes$/,
      ({ pull, who, sent }) => {
        const comment = { id: world.nextId(), by: who, body: String(sent.body), resolved: false }
        pull.comments.push(comment)
        return { status: 201, body: noteOf(comment) }
      },
    ],
    [/^PUT merge_requests\/(\d+)\/notes\/(\d+)$/, ({ pull, ids, sent }) => changed(pull.comments, ids[1]!, sent)],
    [
      /^GET merge_requests\/(\d+)\/diffs$/,
      ({ pull, query }) => ({
        body: pageOf(pull.files, query).map(({ path, oldPath = path, patch = '' }) => ({
          new_path: path,
          old_path: oldPath,
          diff: patch,
        })),
      }),
    ],
    [
      /^GET merge_requests\/(\d+)\/discussions$/,
      ({ pull, query }) => {
        const threads = [...pull.comments, ...pull.lineComments].map((comment) => ({
          id: threadOf(comment),
          notes: [noteOf(comment)],
        }))
        return { body: pageOf(threads, query) }
      },
    ],
    [
      /^POST merge_requests\/(\d+)\/discussions$/,
      ({ pull, who, sent }) => {
        const at = sent.position as { new_path: string; new_line: number; old_line?: number; head_sha: string }
        const file = pull.files.find(({ path }) => path === at.new_path)
        const shown = file && showsLine(file, at.new_line)
        const isRight = shown && shown.oldLine === at.old_line && at.head_sha === pull.head
        if (!isRight)
          return { status: 400, body: { message: '400 Bad request - Note {:line_code=>["can\'t be blank"]}' } }
        const place = { path: at.new_path, line: at.new_line, oldLine: at.old_line, commit: at.head_sha }
        const comment = { id: world.nextId(), by: who, body: String(sent.body), at: place, resolved: false }
        pull.lineComments.push(comment)
        return { status: 201, body: { id: threadOf(comment), notes: [noteOf(comment)] } }
      },
    ],
    [
      /^PUT merge_requests\/(\d+)\/discussions\/t(\d+)\/notes\/(\d+)$/,
      ({ pull, ids, sent }) => changed(pull.lineComments, ids[2]!, sent),
    ],
    [
      /^PUT merge_requests\/(\d+)\/discussions\/t(\d+)$/,
      ({ pull, ids, sent }) => {
        const comment = pull.lineComments.find(({ id }) => id === Number(ids[1]))
        if (!comment) return { status: 404, body: { message: '404 Discussion Not Found' } }
        comment.resolved = sent.resolved === true
        return { body: { id: threadOf(comment), notes: [noteOf(comment)] } }
      },
    ],
  ]

  return {
    url: server.url,
    apiUrl: `${server.url}/api/v4`,
    seen: server.seen,
    world,
    control,
    addToken,
    tokens,
    close: server.close,
  }
}

function requestOf(pull: HostedPull, { name }: HostedRepository) {
  return {
    iid: pull.number,
    state: pull.state === 'open' ? 'opened' : pull.state,
    sha: pull.head,
    merge_commit_sha: pull.mergeCommit || null,
    source_project_id: pull.fromRepository === name ? 1 : pull.fromRepository === null ? null : 2,
    target_project_id: 1,
    diff_refs: { base_sha: 'b'.repeat(40), start_sha: 'b'.repeat(40), head_sha: pull.head },
  }
}

function noteOf({ id, by, body, resolved }: HostComment) {
  return { id, body, author: { id: 7, username: by }, resolvable: true, resolved }
}

function threadOf({ id }: HostComment): string {
  return `t${id}`
}

function changed(all: HostComment[], id: string, { body }: Record<string, unknown>): SandboxAnswer {
  const comment = all.find((each) => each.id === Number(id))
  if (!comment) return { status: 404, body: { message: '404 Not found' } }
  comment.body = String(body)
  return { body: noteOf(comment) }
}
