import type { Outbound } from '../../../outbound/client/client.ts'
import type { JsonAnswer } from '../../../outbound/client/json-request.ts'
import type { Subscription } from '../webhooks/subscriptions.ts'
import { askFor, type Step, StepFailure } from './step.ts'

export type DevopsTarget = { baseUrl: string; organizationName: string; token: string; timeoutMs: () => number }
export type NewSubscription = { eventType: string; projectId: string; url: string; userName: string; secret: string }

export type Devops = ReturnType<typeof createDevops>

const apiVersion = '7.1'
const idPattern = /^[A-Za-z0-9-]{1,100}$/

/** The part of the Azure DevOps REST API that an installation needs. */
export function createDevops(outbound: Outbound, { baseUrl, organizationName, token, timeoutMs }: DevopsTarget) {
  const { origin } = new URL(baseUrl)

  function ask(step: Step, method: string, path: string, query: Record<string, string> = {}, body?: object) {
    const url = new URL(`${baseUrl}/${encodeURIComponent(organizationName)}/_apis/${path}`)
    url.search = new URLSearchParams({ ...query, 'api-version': apiVersion }).toString()
    return askFor(step, outbound, {
      method,
      url,
      headers: { accept: 'application/json', ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
      credentials: { origin, authorization: `Bearer ${token}` },
      timeoutMs: timeoutMs(),
    })
  }

  async function checkOrganization(): Promise<void> {
    const answer = await ask('organization', 'GET', 'projects', { $top: '1' })
    if (answer.status === 404) {
      throw new StepFailure('organization', `${origin} has no organization '${organizationName}'.`)
    }
    accepted('organization', answer)
  }

  /** The id of a project that can be used. */
  async function findProject(name: string): Promise<string> {
    const answer = await ask('project', 'GET', `projects/${encodeURIComponent(name)}`)
    if (answer.status === 404) {
      throw new StepFailure('project', `The organization '${organizationName}' has no project '${name}'.`)
    }
    const { id, state } = accepted('project', answer)
    if (state !== 'wellFormed') throw new StepFailure('project', `The project '${name}' is not ready for use.`)
    return idIn('project', id)
  }

  async function listSubscriptions(): Promise<Subscription[]> {
    const answer = await ask('webhooks', 'GET', 'hooks/subscriptions', { publisherId: 'tfs', consumerId: 'webHooks' })
    const { value } = accepted('webhooks', answer)
    if (!Array.isArray(value)) throw strange('webhooks')
    return value.map(readSubscription).filter(({ id }) => idPattern.test(id))
  }

  async function subscribe({ eventType, projectId, url, userName, secret }: NewSubscription): Promise<string> {
    const answer = await ask(
      'webhooks',
      'POST',
      'hooks/subscriptions',
      {},
      {
        publisherId: 'tfs',
        eventType,
        resourceVersion: '1.0',
        consumerId: 'webHooks',
        consumerActionId: 'httpRequest',
        publisherInputs: { projectId },
        consumerInputs: {
          url,
          basicAuthUsername: userName,
          basicAuthPassword: secret,
          resourceDetailsToSend: 'minimal',
        },
      },
    )
    return idIn('webhooks', accepted('webhooks', answer).id)
  }

  /** One that is gone already is fine. */
  async function unsubscribe(id: string): Promise<void> {
    const answer = await ask('webhooks', 'DELETE', `hooks/subscriptions/${encodeURIComponent(id)}`)
    if (![200, 204, 404].includes(answer.status)) accepted('webhooks', answer)
  }

  /** 203 and redirects are how the service shows its sign-in page to a client it does not know. */
  function accepted(step: Step, { status, body }: JsonAnswer): Record<string, unknown> {
    if (status === 401 || status === 203) {
      throw new StepFailure(
        step,
        `${origin} does not let the service principal in; add it to the organization '${organizationName}'.`,
      )
    }
    if (status === 403) throw new StepFailure(step, `${origin} forbids it to the service principal; ${remedies[step]}.`)
    if (status !== 200 && status !== 201) throw new StepFailure(step, `${origin} answered ${status}.`)
    if (!body) throw strange(step)
    return body
  }

  function idIn(step: Step, id: unknown): string {
    if (typeof id !== 'string' || !idPattern.test(id)) throw strange(step)
    return id
  }

  function strange(step: Step): StepFailure {
    return new StepFailure(step, `${origin} did not answer like a DevOps service.`)
  }

  return { checkOrganization, findProject, listSubscriptions, subscribe, unsubscribe }
}

const remedies: Record<Step, string> = {
  certificate: '',
  token: '',
  organization: 'give it access to the organization',
  project: 'give it access to the project',
  webhooks: 'give it the permissions to view and edit subscriptions',
}

function readSubscription(entry: unknown): Subscription {
  const at = (value: unknown, name: string) => (value as Record<string, unknown> | null | undefined)?.[name]
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return {
    id: text(at(entry, 'id')),
    eventType: text(at(entry, 'eventType')),
    url: text(at(at(entry, 'consumerInputs'), 'url')),
    projectId: text(at(at(entry, 'publisherInputs'), 'projectId')),
    live: !text(at(entry, 'status')).startsWith('disabled'),
  }
}
