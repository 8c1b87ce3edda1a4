import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { jwtVerify } from 'jose'
import { type SandboxAnswer, type SandboxRequest, type ServiceTrouble, startLocalServer } from '../local-server.ts'
import {
  createCodeHostWorld,
  type HostComment,
  type HostedPull,
  type HostedRepository,
  pageOf,
  showsLine,
} from './code-host-world.ts'

/** What an answer has besides what is known here, by the operation: for tests that compare answers with GitHub's own document. */
type GitHubExamples = (method: string, template: string) => Record<string, unknown>

type Exchange = {
  method: string
  template: string
  query: URLSearchParams
  sent: unknown
  status: number
  answer: unknown
}
type Who = { login: string; isApp: boolean }
type Handler = (given: Given) => SandboxAnswer
type Given = {
  repository: HostedRepository
  pull: HostedPull
  ids: string[]
  who: Who
  sent: Record<string, never>
  query: URLSearchParams
  filled: Record<string, unknown>
}

const longestBody = 65_536

/**
 * GitHub, as far as feedback asks it: Enterprise Server at /api/v3, with tokens of people and one app with one installation.
 * As there, whoever may write may change comments of others, and only an app makes check runs.
 */
export async function startGitHubService({ examples = () => ({}) }: { examples?: GitHubExamples } = {}) {
  const world = createCodeHostWorld()
  const tokens = new Map<string, Who>()
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const app = {
    id: 'Iv23sandbox',
    slug: 'gatehouse-sandbox',
    installationId: '4711',
    privateKeyPem: keys.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    permissions: { checks: 'write', pull_requests: 'write', contents: 'read', metadata: 'read' } as Record<
      string,
      string
    >,
  }
  const checkRuns: { id: number; repository: string; head: string; fields: Record<string, unknown> }[] = []
  const exchanges: Exchange[] = []
  const control: ServiceTrouble = {}
  const server = await startLocalServer(answer)

  function addToken(login: string): string {
    const token = `ghp_${randomBytes(18).toString('hex')}`
    tokens.set(token, { login, isApp: false })
    return token
  }

  async function answer(request: SandboxRequest): Promise<SandboxAnswer> {
    const trouble = control.trouble?.(request)
    if (trouble) return trouble
    const found = operations.find(
      ({ method, pattern }) => method === request.method && pattern.test(request.path.join('/')),
    )
    if (!found) return { status: 404, body: notFound }
    const ids = found.pattern.exec(request.path.join('/'))!.slice(1)
    const sent = request.body === '' ? undefined : JSON.parse(request.body)
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const who = found.template.startsWith('/app') ? await appOf(bearer) : tokens.get(bearer)
    const given = who ? handled(found, ids, who, sent, request.query) : { status: 401, body: badCredentials }
    const { status = 200, body } = given
    exchanges.push({ method: found.method, template: found.template, query: request.query, sent, status, answer: body })
    return control.lostAnswer?.(request) ?? given
  }

  function handled(
    found: Operation,
    ids: string[],
    who: Who,
    sent: Given['sent'],
    query: URLSearchParams,
  ): SandboxAnswer {
    const filled = examples(found.method, found.template)
    const common = { ids, who, sent, query, filled }
    if (!found.template.startsWith('/repos')) return found.run({ ...common, repository: undefined!, pull: undefined! })
    const repository = world.repositories.get(`${ids.shift()}/${ids.shift()}`)
    if (!repository) return { status: 404, body: notFound }
    const pull = repository.pulls.get(Number(ids[0]))
    if (/\{(pull|issue)_number\}/.test(found.template) && !pull) return { status: 404, body: notFound }
    return found.run({ ...common, repository, pull: pull! })
  }

  /** GitHub takes no token that is good for more than ten minutes. */
  async function appOf(jwt: string): Promise<Who | undefined> {
    try {
      const key = createPublicKey(keys.publicKey.export({ type: 'spki', format: 'pem' }))
      const { payload } = await jwtVerify(jwt, key, { algorithms: ['RS256'], issuer: app.id })
      return payload.exp! - payload.iat! <= 600 ? { login: `${app.slug}[bot]`, isApp: true } : undefined
    } catch {
      return undefined
    }
  }

  const operations: Operation[] = [
    operation('GET', '/user', ({ who, filled }) => ({ body: { ...filled, login: who.login } })),
    operation('GET', '/app', ({ filled }) => ({ body: { ...filled, slug: app.slug } })),
    operation('POST', '/app/installations/{installation_id}/access_tokens', ({ ids, filled }) => {
      if (ids[0] !== app.installationId) return { status: 404, body: notFound }
      const token = `ghs_${randomBytes(18).toString('hex')}`
      tokens.set(token, { login: `${app.slug}[bot]`, isApp: true })
      const expires_at = new Date(Date.now() + 3_600_000).toISOString()
      return { status: 201, body: { ...filled, token, expires_at, permissions: app.permissions } }
    }),
    operation('GET', '/repos/{owner}/{repo}/pulls/{pull_number}', ({ pull, repository, filled }) => ({
      body: pullOf(pull, repository, filled),
    })),
    operation('GET', '/repos/{owner}/{repo}/commits/{ref}', ({ ids, repository, filled }) => {
      const parents = repository.commits.get(ids[0]!)
      if (!parents) return { status: 422, body: invalid('No commit found for SHA') }
      const shown = parents.map((sha) => ({ sha, url: 'https://github.test/c', html_url: 'https://github.test/c' }))
      return { body: { ...filled, sha: ids[0], parents: shown, files: [] } }
    }),
    operation('GET', '/repos/{owner}/{repo}/commits/{ref}/check-runs', ({ ids, repository, query, filled }) => {
      const [example = {}] = (filled.check_runs as Record<string, unknown>[] | undefined) ?? []
      const runs = checkRuns.filter((run) => run.repository === repository.name && run.head === ids[0])
      const named = runs.filter((run) => (query.get('check_name') ?? run.fields.name) === run.fields.name)
      return { body: { total_count: named.length, check_runs: named.map((run) => runOf(run, example)) } }
    }),
    operation('POST', '/repos/{owner}/{repo}/check-runs', ({ repository, who, sent, filled }) => {
      if (!who.isApp) return { status: 403, body: { ...notFound, message: 'You must authenticate via a GitHub App.' } }
      const { head_sha: head, ...fields } = sent as Record<string, string>
      if (!repository.commits.has(head!)) return { status: 422, body: invalid('No commit found for SHA') }
      const run = { id: world.nextId(), repository: repository.name, head: head!, fields }
      checkRuns.push(run)
      return { status: 201, body: runOf(run, filled) }
    }),
    operation('PATCH', '/repos/{owner}/{repo}/check-runs/{check_run_id}', ({ ids, who, sent, filled }) => {
      const run = checkRuns.find(({ id }) => id === Number(ids[0]))
      if (!run || !who.isApp) return { status: 404, body: notFound }
      run.fields = { ...run.fields, ...sent }
      return { body: runOf(run, filled) }
    }),
    operation('POST', '/repos/{owner}/{repo}/statuses/{sha}', ({ ids, repository, sent, filled }) => {
      const { state, context: key, description, target_url: url } = sent as Record<string, string>
      if (!repository.commits.has(ids[0]!)) return { status: 422, body: invalid('No commit found for SHA') }
      const status = {
        id: world.nextId(),
        commit: ids[0]!,
        key: key!,
        state: state!,
        description: description!,
        url: url!,
      }
      repository.statuses.push(status)
      return { status: 201, body: { ...filled, id: status.id, state, context: key, description, target_url: url } }
    }),
    operation('GET', '/repos/{owner}/{repo}/issues/{issue_number}/comments', ({ pull, query, filled }) => ({
      body: pageOf(pull.comments, query).map((comment) => commentOf(comment, filled)),
    })),
    operation('POST', '/repos/{owner}/{repo}/issues/{issue_number}/comments', ({ pull, who, sent, filled }) => {
      const { body } = sent as Record<string, string>
      if (body!.length > longestBody)
        return { status: 422, body: invalid('Body is too long (maximum is 65536 characters)') }
      const comment = { id: world.nextId(), by: who.login, body: body!, resolved: false }
      pull.comments.push(comment)
      return { status: 201, body: commentOf(comment, filled) }
    }),
    operation('PATCH', '/repos/{owner}/{repo}/issues/comments/{comment_id}', ({ ids, repository, sent, filled }) =>
      changed(
        [...repository.pulls.values()].flatMap(({ comments }) => comments),
        ids[0]!,
        sent,
        filled,
      ),
    ),
    operation('GET', '/repos/{owner}/{repo}/pulls/{pull_number}/files', ({ pull, query, filled }) => ({
      body: pageOf(pull.files, query).map(({ path, oldPath, patch }) => ({
        ...filled,
        filename: path,
        ...(oldPath && { previous_filename: oldPath }),
        patch,
      })),
    })),
    operation('GET', '/repos/{owner}/{repo}/pulls/{pull_number}/comments', ({ pull, query, filled }) => ({
      body: pageOf(pull.lineComments, query).map((comment) => commentOf(comment, filled)),
    })),
    operation('POST', '/repos/{owner}/{repo}/pulls/{pull_number}/comments', ({ pull, who, sent, filled }) => {
      const {
        body,
        path,
        line,
        commit_id: commit,
      } = sent as unknown as { body: string; path: string; line: number; commit_id: string }
      const file = pull.files.find((each) => each.path === path)
      const isShown = commit === pull.head && file && showsLine(file, line)
      if (!isShown) return { status: 422, body: invalid('line must be part of the diff') }
      const comment = { id: world.nextId(), by: who.login, body, at: { path, line, commit }, resolved: false }
      pull.lineComments.push(comment)
      return { status: 201, body: commentOf(comment, filled) }
    }),
    operation('PATCH', '/repos/{owner}/{repo}/pulls/comments/{comment_id}', ({ ids, repository, sent, filled }) =>
      changed(
        [...repository.pulls.values()].flatMap(({ lineComments }) => lineComments),
        ids[0]!,
        sent,
        filled,
      ),
    ),
  ]

  return {
    url: server.url,
    apiUrl: `${server.url}/api/v3`,
    seen: server.seen,
    world,
    app,
    checkRuns,
    exchanges,
    control,
    addToken,
    tokens,
    close: server.close,
  }
}

type Operation = { method: string; template: string; pattern: RegExp; run: Handler }

function operation(method: string, template: string, run: Handler): Operation {
  return { method, template, run, pattern: new RegExp(`^api/v3${template.replace(/\{[a-z_]+\}/g, '([^/]+)')}$`) }
}

const notFound = { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' }
const badCredentials = { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest', status: '401' }

function invalid(message: string) {
  return {
    message: 'Validation Failed',
    documentation_url: 'https://docs.github.com/rest',
    errors: [{ code: 'custom', message }],
  }
}

function pullOf(pull: HostedPull, { name }: HostedRepository, filled: Record<string, unknown>) {
  const side = (key: 'head' | 'base', from: string | null, sha: string) => {
    const example = (filled[key] ?? {}) as Record<string, unknown>
    const repo = from === null ? null : { ...(example.repo as object), id: from === name ? 1 : 2, full_name: from }
    return { ...example, sha, repo }
  }
  return {
    ...filled,
    number: pull.number,
    state: pull.state === 'open' ? 'open' : 'closed',
    merged: pull.state === 'merged',
    requested_teams: [],
    merge_commit_sha: pull.mergeCommit || null,
    head: side('head', pull.fromRepository, pull.head),
    base: side('base', name, 'b'.repeat(40)),
  }
}

function runOf(run: { id: number; head: string; fields: Record<string, unknown> }, filled: Record<string, unknown>) {
  const { output, ...fields } = run.fields as { output: object }
  return { ...filled, ...fields, id: run.id, head_sha: run.head, output: { ...(filled.output as object), ...output } }
}

function commentOf({ id, by, body, at }: HostComment, filled: Record<string, unknown>) {
  const place = at ? { path: at.path, line: at.line, commit_id: at.commit } : {}
  return { ...filled, ...place, id, body, user: { ...(filled.user as object), login: by } }
}

function changed(
  all: HostComment[],
  id: string,
  sent: Record<string, string>,
  filled: Record<string, unknown>,
): SandboxAnswer {
  const comment = all.find((each) => each.id === Number(id))
  if (!comment) return { status: 404, body: notFound }
  comment.body = sent.body!
  return { body: commentOf(comment, filled) }
}
