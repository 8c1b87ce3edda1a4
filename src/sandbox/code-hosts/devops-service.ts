import { randomUUID } from 'node:crypto'
import { type SandboxAnswer, type SandboxRequest, startLocalServer } from '../local-server.ts'
import { sandboxPage, shown } from '../sandbox-page.ts'

export type SandboxSubscription = {
  id: string
  status: string
  publisherId: string
  eventType: string
  consumerId: string
  consumerActionId: string
  publisherInputs: Record<string, string>
  consumerInputs: Record<string, string>
}

type Organization = {
  members: Set<string>
  projects: Map<string, string>
  subscriptions: SandboxSubscription[]
}

/** Organizations, projects and service hooks in the manner of Azure DevOps. `whose` tells whom a token belongs to. */
export async function startDevopsService({
  whose,
  port = 0,
}: {
  whose: (token: string) => string | undefined
  port?: number
}) {
  const organizations = new Map<string, Organization>()
  const control: {
    trouble?: ((request: SandboxRequest) => SandboxAnswer | undefined | Promise<SandboxAnswer | undefined>) | undefined
  } = {}
  const server = await startLocalServer(answer, port)

  /** Returns the id of the project. `members` are client ids of service principals. */
  function addProject(organization: string, project: string, members: string[]): string {
    const found = organizations.get(organization) ?? { members: new Set(), projects: new Map(), subscriptions: [] }
    organizations.set(organization, found)
    for (const member of members) found.members.add(member)
    const id = randomUUID()
    found.projects.set(project, id)
    return id
  }

  function subscriptionsOf(organization: string): SandboxSubscription[] {
    return organizations.get(organization)?.subscriptions ?? []
  }

  /** Tells all who subscribed, as the real service does; returns what they answered. */
  function fire(organization: string, eventType: string, resource: object): Promise<number[]> {
    const asked = subscriptionsOf(organization).filter(
      (each) => each.eventType === eventType && each.status === 'enabled',
    )
    return Promise.all(asked.map((subscription) => deliver(subscription, resource)))
  }

  async function answer(request: SandboxRequest): Promise<SandboxAnswer> {
    const trouble = await control.trouble?.(request)
    if (trouble) return trouble
    if (request.path.length === 0) return projectsPage(organizations)
    const [name = '', api, ...rest] = request.path
    const member = whose(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '')
    if (!request.headers.authorization) return signInPage
    if (!member) return { status: 401, body: message('TF400813: The user is not authorized.') }
    const organization = organizations.get(name)
    if (!organization || api !== '_apis') return { status: 404, body: message('The resource cannot be found.') }
    if (!organization.members.has(member))
      return { status: 401, body: message('TF400813: The user is not authorized.') }
    if (!request.query.has('api-version') && request.method !== 'GET') {
      return { status: 400, body: message('No api-version was supplied.') }
    }
    if (rest[0] === 'projects' && request.method === 'GET') return projects(organization, rest[1])
    if (rest[0] === 'hooks' && rest[1] === 'subscriptions') return hooks(organization, request, rest[2])
    return { status: 404, body: message('The resource cannot be found.') }
  }

  return { url: server.url, seen: server.seen, close: server.close, control, addProject, subscriptionsOf, fire }
}

/** What a person has to know to connect it. */
function projectsPage(organizations: ReadonlyMap<string, Organization>): SandboxAnswer {
  const items = [...organizations].map(([name, { projects }]) => {
    return `<li>Organization ${shown(name)}, projects: ${shown([...projects.keys()].join(', '))}</li>`
  })
  return sandboxPage('DevOps service of the sandbox', `<ul>${items.join('')}</ul>`)
}

// To a client without credentials it shows how a person signs in.
const signInPage: SandboxAnswer = {
  status: 203,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!DOCTYPE html><title>Sign in</title>',
}

function projects({ projects }: Organization, name: string | undefined): SandboxAnswer {
  const body = ([title, id]: [string, string]) => ({ id, name: title, state: 'wellFormed', visibility: 'private' })
  if (name === undefined) return { body: { count: projects.size, value: [...projects].map(body) } }
  const found = [...projects].find(([title, id]) => title.toLowerCase() === name.toLowerCase() || id === name)
  return found
    ? { body: body(found) }
    : { status: 404, body: message(`TF200016: The following project does not exist: ${name}.`) }
}

function hooks(organization: Organization, request: SandboxRequest, id: string | undefined): SandboxAnswer {
  const { subscriptions } = organization
  if (request.method === 'GET') return { body: { count: subscriptions.length, value: subscriptions.map(masked) } }
  if (request.method === 'POST') {
    const asked = JSON.parse(request.body) as SandboxSubscription
    if (![...organization.projects.values()].includes(asked.publisherInputs.projectId ?? '')) {
      return { status: 400, body: message('The project does not exist.') }
    }
    const made = { ...asked, id: randomUUID(), status: 'enabled' }
    subscriptions.push(made)
    return { body: masked(made) }
  }
  const index = subscriptions.findIndex((each) => each.id === id)
  if (request.method !== 'DELETE' || index < 0) return { status: 404, body: message('No such subscription.') }
  subscriptions.splice(index, 1)
  return { status: 204 }
}

/** Secret inputs are never shown again. */
function masked(subscription: SandboxSubscription): SandboxSubscription {
  const { basicAuthPassword, ...open } = subscription.consumerInputs
  return { ...subscription, consumerInputs: basicAuthPassword ? { ...open, basicAuthPassword: '********' } : open }
}

async function deliver({ id, eventType, publisherId, consumerInputs }: SandboxSubscription, resource: object) {
  const login = `${consumerInputs.basicAuthUsername}:${consumerInputs.basicAuthPassword}`
  const event = { subscriptionId: id, notificationId: 1, id: randomUUID(), eventType, publisherId, resource }
  const response = await fetch(consumerInputs.url!, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      authorization: `Basic ${Buffer.from(login).toString('base64')}`,
    },
    body: JSON.stringify(event),
  })
  await response.arrayBuffer()
  return response.status
}

function message(text: string): object {
  return { $id: '1', innerException: null, message: text, typeKey: 'SandboxException' }
}
