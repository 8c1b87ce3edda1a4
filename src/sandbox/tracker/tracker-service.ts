import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../../kernel/time/clock.ts'
import { type SandboxAnswer, type SandboxRequest, startLocalServer } from '../local-server.ts'
import { readJql } from './tracker-jql.ts'
import { boardPage, issuePage, tokenPage } from './tracker-pages.ts'
import {
  isDocument,
  projects,
  statusBody,
  type TrackerIssue,
  type TrackerIssueType,
  type TrackerProject,
  transitions,
} from './tracker-world.ts'

type Body = Record<string, unknown>

const pageSize = 50

/** A tracker in the manner of Jira Cloud: the part of its REST API, version 3, that Gatehouse uses. */
export async function startTrackerService({ clock = systemClock, port = 0 }: { clock?: Clock; port?: number } = {}) {
  const accounts = new Map<string, string>()
  const issues: TrackerIssue[] = []
  const unindexed = new Set<string>()
  const control: {
    /** In place of the answer, before anything happened. */
    trouble?: ((request: SandboxRequest) => SandboxAnswer | Promise<SandboxAnswer> | undefined) | undefined
    /** In place of the answer, after everything happened. */
    lostAnswer?: ((request: SandboxRequest) => SandboxAnswer | undefined) | undefined
    /** What is created now is found by a search only after `index()`, as it may be with the real one. */
    slowIndex?: boolean
    /** The account may not look at workflows. */
    hidesWorkflows?: boolean
  } = {}
  const server = await startLocalServer(answer, port)

  /** What somebody does in their profile: makes an API token. The former one still works only if it is not revoked. */
  function addAccount(email: string): string {
    const token = `ATATT3x${randomBytes(24).toString('base64url')}`
    accounts.set(email, token)
    return token
  }

  function revoke(email: string): void {
    accounts.delete(email)
  }

  function index(): void {
    unindexed.clear()
  }

  /** What somebody does on the board. */
  function move(key: string, statusId: string): void {
    Object.assign(find(key)!, { statusId, updatedAt: clock.now().getTime() })
  }

  /** What somebody does who writes a ticket by hand; answers its key. */
  function write(summary: string, projectId = '10100', typeId = '10200'): string {
    const { body } = create({ fields: { project: { id: projectId }, issuetype: { id: typeId }, summary } })
    return (body as { key: string }).key
  }

  function find(idOrKey: string): TrackerIssue | undefined {
    return issues.find(({ id, key }) => id === idOrKey || key === idOrKey)
  }

  async function answer(request: SandboxRequest): Promise<SandboxAnswer> {
    const trouble = await control.trouble?.(request)
    if (trouble) return trouble
    const page = pageFor(request)
    if (page) return page
    const [folder, api, version, ...path] = request.path
    if (folder !== 'rest' || api !== 'api' || version !== '3') return { status: 404, body: '<html>Oops</html>' }
    const email = whose(request.headers.authorization)
    if (!email) return { status: 401, body: messages('Client must be authenticated to access this resource.') }
    const route = `${request.method} ${path[0] ?? ''}`
    const body = (request.body ? JSON.parse(request.body) : {}) as Body
    const done = routes[route]?.(path.slice(1), request, body, email) ?? notFound('No such resource.')
    return control.lostAnswer?.(request) ?? done
  }

  /** What a person sees and does there in a browser. */
  function pageFor({ method, path, body }: SandboxRequest): SandboxAnswer | undefined {
    const [folder, key = ''] = path
    const form = new URLSearchParams(method === 'POST' ? body : '')
    if (folder === undefined && method === 'GET') return boardPage(issues)
    if (folder === 'tokens' && method === 'POST') {
      const email = form.get('email') ?? ''
      return tokenPage(issues, email, addAccount(email))
    }
    const issue = folder === 'browse' ? find(key) : undefined
    if (!issue) return undefined
    if (method === 'POST') transition(issue, { transition: { id: form.get('transition') } })
    return issuePage(issue, offered(issue))
  }

  function whose(authorization: string | undefined): string | undefined {
    const basic = Buffer.from(/^Basic (.+)$/.exec(authorization ?? '')?.[1] ?? '', 'base64').toString('utf8')
    const at = basic.indexOf(':')
    const [email, token] = [basic.slice(0, at), basic.slice(at + 1)]
    return accounts.get(email) === token && token ? email : undefined
  }

  type Route = (path: string[], request: SandboxRequest, body: Body, email: string) => SandboxAnswer
  const routes: Record<string, Route> = {
    'GET myself': (_path, _request, _body, email) => ({
      body: { accountId: 'sandbox-account', emailAddress: email, displayName: email, active: true },
    }),
    'GET project': ([first], { query }) => {
      if (first === 'search') return paged(projects.map(shownProject), Number(query.get('startAt') ?? 0), 'values')
      const project = projectOf(first)
      return project ? { body: shownProject(project) } : notFound(`No project could be found with key '${first}'.`)
    },
    'POST workflows': (_path, _request, body) => {
      if (control.hidesWorkflows) return { status: 403, body: messages('Only administrators may do this.') }
      const asked = body.projectAndIssueTypes as { projectId: string; issueTypeId: string }[]
      const isKnown = asked.every(({ projectId, issueTypeId }) => typeOf(projectOf(projectId), issueTypeId))
      if (!isKnown) return { status: 400, body: messages('The project or issue type does not exist.') }
      const shown = transitions.map(({ id, name, to }) => ({ id, name, type: 'DIRECTED', toStatusReference: to }))
      return { body: { workflows: [{ id: 'sandbox', name: 'Sandbox workflow', transitions: shown }], statuses: [] } }
    },
    'POST search': (path, _request, body) => (path[0] === 'jql' ? search(body) : notFound('No such resource.')),
    'GET issue': (path, { query }) => {
      if (path[0] === 'createmeta') return createMeta(path.slice(1), Number(query.get('startAt') ?? 0))
      const issue = find(path[0] ?? '')
      if (!issue) return missingIssue
      if (path[1] === 'transitions') return { body: { transitions: offered(issue).map(shownTransition) } }
      return path[1] === 'remotelink' ? { body: issue.remoteLinks } : { body: shownIssue(issue) }
    },
    'POST issue': (path, _request, body) => {
      if (path.length === 0) return create(body)
      const issue = find(path[0]!)
      if (!issue) return missingIssue
      if (path[1] === 'transitions') return transition(issue, body)
      return path[1] === 'remotelink' ? addRemoteLink(issue, body) : notFound('No such resource.')
    },
    'DELETE issue': (path, { query }) => {
      const issue = find(path[0] ?? '')
      if (!issue || path[1] !== 'remotelink') return missingIssue
      issue.remoteLinks = issue.remoteLinks.filter(({ globalId }) => globalId !== query.get('globalId'))
      return { status: 204 }
    },
    'PUT issue': (path, _request, body) => {
      const issue = find(path[0] ?? '')
      if (!issue) return missingIssue
      const changes = ((body.update as Body | undefined)?.labels ?? []) as { add?: string; remove?: string }[]
      for (const { add, remove } of changes) {
        issue.labels = issue.labels.filter((label) => label !== add && label !== remove)
        if (add) issue.labels.push(add)
      }
      issue.updatedAt = clock.now().getTime()
      return { status: 204 }
    },
  }

  function create({ fields: given }: Body): SandboxAnswer {
    const fields = (given ?? {}) as Record<string, unknown>
    const project = projectOf(idIn(fields.project))
    const type = typeOf(project, idIn(fields.issuetype))
    if (!project) return refused({ project: 'valid project is required' })
    if (!type) return refused({ issuetype: 'Specify a valid issue type' })
    const errors = problemsIn(fields, type)
    if (type.subtask && !find(idIn(fields.parent))) errors.parent = 'Could not find valid parent issue.'
    if (Object.keys(errors).length > 0) return refused(errors)
    const id = String(10_500 + issues.length)
    const now = clock.now().getTime()
    const number = issues.filter(({ projectId }) => projectId === project.id).length + 1
    issues.push({
      id,
      key: `${project.key}-${number}`,
      projectId: project.id,
      projectKey: project.key,
      typeId: type.id,
      labels: (fields.labels ?? []) as string[],
      fields,
      statusId: '10001',
      createdAt: now,
      updatedAt: now,
      remoteLinks: [],
    })
    if (control.slowIndex) unindexed.add(id)
    const key = issues.at(-1)!.key
    return { status: 201, body: { id, key, self: `${server.url}/rest/api/3/issue/${id}` } }
  }

  function transition(issue: TrackerIssue, body: Body): SandboxAnswer {
    const wanted = offered(issue).find(({ id }) => id === idIn(body.transition))
    if (!wanted) return { status: 400, body: messages('The transition is not valid for the current state.') }
    Object.assign(issue, { statusId: wanted.to, updatedAt: clock.now().getTime() })
    return { status: 204 }
  }

  /** One with the same `globalId` is updated instead. */
  function addRemoteLink(issue: TrackerIssue, body: Body): SandboxAnswer {
    const { url, title } = body.object as { url: string; title: string }
    const globalId = String(body.globalId ?? '')
    const existing = issue.remoteLinks.find((link) => globalId && link.globalId === globalId)
    if (existing) {
      Object.assign(existing, { url, title })
      return { status: 200, body: { id: existing.id } }
    }
    const id = issue.remoteLinks.length + 1
    issue.remoteLinks.push({ id, globalId, url, title })
    return { status: 201, body: { id } }
  }

  function search({ jql, nextPageToken, maxResults = pageSize }: Body): SandboxAnswer {
    const matches = readJql(String(jql ?? ''))
    if (!matches) return { status: 400, body: messages(`Error in the JQL Query: '${jql}'.`) }
    const now = clock.now().getTime()
    const found = issues.filter((issue) => !unindexed.has(issue.id) && matches(issue, now))
    const start = Number(Buffer.from(String(nextPageToken ?? ''), 'base64').toString('utf8') || 0)
    const end = start + Math.min(Number(maxResults), pageSize)
    const isLast = end >= found.length
    const next = isLast ? {} : { nextPageToken: Buffer.from(String(end)).toString('base64') }
    return { body: { issues: found.slice(start, end).map(shownIssue), isLast, ...next } }
  }

  const { url, seen, close } = server
  return { url, seen, close, control, issues, addAccount, revoke, index, move, write, find }
}

const missingIssue: SandboxAnswer = {
  status: 404,
  body: { errorMessages: ['Issue does not exist or you do not have permission to see it.'], errors: {} },
}

function createMeta([projectKey, word, typeId]: string[], startAt: number): SandboxAnswer {
  const project = projectOf(projectKey)
  if (!project || word !== 'issuetypes') return notFound('The project does not exist.')
  if (typeId === undefined) {
    const types = project.types.map(({ id, name, subtask }) => ({ id, name, subtask }))
    return paged(types, startAt, 'issueTypes')
  }
  const type = typeOf(project, typeId)
  return type ? paged(type.fields, startAt, 'fields') : notFound('The issue type does not exist.')
}

function problemsIn(fields: Record<string, unknown>, type: TrackerIssueType): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const { fieldId, name, required, hasDefaultValue } of type.fields) {
    if (required && !hasDefaultValue && fields[fieldId] === undefined) errors[fieldId] = `${name} is required.`
  }
  for (const name of Object.keys(fields)) {
    if (type.fields.some(({ fieldId }) => fieldId === name)) continue
    errors[name] = `Field '${name}' cannot be set. It is not on the appropriate screen, or unknown.`
  }
  const { summary, description, labels } = fields
  if (typeof summary === 'string' && (summary.length > 255 || /[\r\n]/.test(summary))) {
    errors.summary = 'Summary must be at most 255 characters on one line.'
  }
  if (description !== undefined && !isDocument(description)) errors.description = 'Not an Atlassian document.'
  if (Array.isArray(labels) && labels.some((label) => /\s/.test(label))) errors.labels = 'A label contains spaces.'
  return errors
}

function projectOf(idOrKey: string | undefined): TrackerProject | undefined {
  return projects.find(({ id, key }) => id === idOrKey || key === idOrKey)
}

function typeOf(project: TrackerProject | undefined, id: string): TrackerIssueType | undefined {
  return project?.types.find((type) => type.id === id)
}

function offered(issue: TrackerIssue) {
  return transitions.filter(({ from }) => from.includes(issue.statusId))
}

function shownProject({ id, key, name }: TrackerProject): object {
  return { id, key, name, projectTypeKey: 'software', simplified: false }
}

function shownTransition({ id, name, to }: (typeof transitions)[number]): object {
  return { id, name, to: statusBody(to), isAvailable: true, hasScreen: false }
}

function shownIssue({ id, key, statusId, labels, updatedAt, fields }: TrackerIssue): object {
  const updated = new Date(updatedAt).toISOString().replace('Z', '+0000')
  return { id, key, fields: { summary: fields.summary, status: statusBody(statusId), labels, updated } }
}

function paged(all: unknown[], startAt: number, name: string): SandboxAnswer {
  const page = all.slice(startAt, startAt + pageSize)
  const isLast = startAt + page.length >= all.length
  return { body: { startAt, maxResults: pageSize, total: all.length, isLast, [name]: page } }
}

function idIn(value: unknown): string {
  const { id, key } = (value ?? {}) as { id?: unknown; key?: unknown }
  return String(id ?? key ?? '')
}

function messages(text: string): object {
  return { errorMessages: [text], errors: {} }
}

function notFound(text: string): SandboxAnswer {
  return { status: 404, body: messages(text) }
}

function refused(errors: Record<string, string>): SandboxAnswer {
  return { status: 400, body: { errorMessages: [], errors } }
}
