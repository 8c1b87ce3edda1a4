import type { Outbound } from '../../../outbound/client/client.ts'
import { textIn } from '../../../outbound/client/text-in.ts'
import { TrackerError } from './tracker-error.ts'
import { type Connection, createAsk } from './tracker-request.ts'

export type Tracker = ReturnType<typeof createTracker>
export type TrackerProject = { id: string; key: string; name: string }
export type TrackerIssueType = { id: string; name: string; isSubtask: boolean }
export type TrackerField = { id: string; name: string; isRequired: boolean }
export type TrackerTransition = { id: string; name: string; toStatusId: string }
export type TrackerIssue = { id: string; key: string; summary: string; status: TrackerStatus }
export type TrackerStatus = { id: string; name: string; isDone: boolean }

const mostPages = 40
const shownFields = ['summary', 'status']

/** The part of the REST API of Jira Cloud, version 3, that tickets need. */
export function createTracker(outbound: Outbound, connection: Connection, timeoutMs: number) {
  const ask = createAsk(outbound, connection, timeoutMs)

  async function checkAccess(): Promise<void> {
    await ask('GET', 'myself')
  }

  async function projects(): Promise<TrackerProject[]> {
    return (await paged('project/search', 'values')).map(toProject)
  }

  async function project(idOrKey: string): Promise<TrackerProject> {
    return toProject(await ask('GET', `project/${encodeURIComponent(idOrKey)}`))
  }

  async function issueTypes(projectId: string): Promise<TrackerIssueType[]> {
    const found = await paged(`issue/createmeta/${encodeURIComponent(projectId)}/issuetypes`, 'issueTypes')
    return found.map((type) => ({ id: textIn(type, 'id'), name: textIn(type, 'name'), isSubtask: is(type, 'subtask') }))
  }

  async function fields(projectId: string, typeId: string): Promise<TrackerField[]> {
    const path = `issue/createmeta/${encodeURIComponent(projectId)}/issuetypes/${encodeURIComponent(typeId)}`
    return (await paged(path, 'fields')).map((field) => ({
      id: textIn(field, 'fieldId'),
      name: textIn(field, 'name'),
      isRequired: is(field, 'required') && !is(field, 'hasDefaultValue'),
    }))
  }

  /**
   * Those of the workflow. Not every account may see it; then those that tickets of this kind offer, as far as there are
   * any. Undefined where nothing can be said.
   */
  async function transitions(projectId: string, typeId: string): Promise<TrackerTransition[] | undefined> {
    try {
      const body = { projectAndIssueTypes: [{ projectId, issueTypeId: typeId }] }
      const { workflows } = await ask('POST', 'workflows', { query: { useTransitionLinksFormat: 'true' }, body })
      return listIn(workflows).flatMap((workflow) => listIn(fieldIn(workflow, 'transitions')).map(toTransition))
    } catch (error) {
      if (!(error instanceof TrackerError) || !['refused', 'missing'].includes(error.reason)) throw error
      return transitionsOfTickets(projectId, typeId)
    }
  }

  async function transitionsOfTickets(projectId: string, typeId: string): Promise<TrackerTransition[] | undefined> {
    const { issues } = await search(`project = "${projectId}" AND issuetype = "${typeId}" ORDER BY updated DESC`)
    const onePerStatus = [...new Map(issues.map((issue) => [issue.status.id, issue])).values()]
    if (onePerStatus.length === 0) return undefined
    const found = await Promise.all(onePerStatus.map(({ key }) => offered(key)))
    return [...new Map(found.flat().map((transition) => [transition.id, transition])).values()]
  }

  /** What can be fired right now. */
  async function offered(key: string): Promise<TrackerTransition[]> {
    const { transitions } = await ask('GET', `issue/${encodeURIComponent(key)}/transitions`)
    return listIn(transitions).map(toTransition)
  }

  async function fire(key: string, transitionId: string): Promise<void> {
    await ask('POST', `issue/${encodeURIComponent(key)}/transitions`, { body: { transition: { id: transitionId } } })
  }

  async function create(given: Record<string, unknown>): Promise<{ id: string; key: string }> {
    const made = await ask('POST', 'issue', { body: { fields: given } })
    return { id: idIn(made, 'id'), key: idIn(made, 'key') }
  }

  async function issue(key: string): Promise<TrackerIssue> {
    const query = { fields: shownFields.join(',') }
    return toIssue(await ask('GET', `issue/${encodeURIComponent(key)}`, { query }))
  }

  async function addLabel(key: string, label: string): Promise<void> {
    const body = { update: { labels: [{ add: label }] } }
    await ask('PUT', `issue/${encodeURIComponent(key)}`, { query: { notifyUsers: 'false' }, body })
  }

  async function withLabel(label: string): Promise<TrackerIssue | undefined> {
    return (await search(`labels = "${label}"`)).issues[0]
  }

  /** Page by page. Relative, because a date would be read in the time zone of the account. */
  async function* changed(label: string, lastMinutes: number): AsyncGenerator<TrackerIssue[]> {
    const jql = `labels = "${label}" AND updated >= "-${lastMinutes}m" ORDER BY updated DESC`
    let next: string | undefined
    for (let page = 0; page < mostPages; page++) {
      const found = await search(jql, next)
      yield found.issues
      next = found.next
      if (!next) return
    }
  }

  async function search(jql: string, nextPageToken?: string) {
    const body = { jql, fields: shownFields, maxResults: 50, ...(nextPageToken ? { nextPageToken } : {}) }
    const answer = await ask('POST', 'search/jql', { body })
    const next = answer.isLast === true ? undefined : textIn(answer, 'nextPageToken') || undefined
    return { issues: listIn(answer.issues).map(toIssue), next }
  }

  async function paged(path: string, name: string): Promise<unknown[]> {
    const all: unknown[] = []
    for (let page = 0; page < mostPages; page++) {
      const answer = await ask('GET', path, { query: { startAt: String(all.length), maxResults: '50' } })
      const items = listIn(answer[name])
      all.push(...items)
      if (items.length === 0 || all.length >= Number(answer.total ?? 0)) break
    }
    return all
  }

  return {
    checkAccess,
    projects,
    project,
    issueTypes,
    fields,
    transitions,
    offered,
    fire,
    create,
    issue,
    addLabel,
    withLabel,
    changed,
  }
}

function toProject(value: unknown): TrackerProject {
  return { id: idIn(value, 'id'), key: textIn(value, 'key'), name: textIn(value, 'name') }
}

function toTransition(value: unknown): TrackerTransition {
  return { id: textIn(value, 'id'), name: textIn(value, 'name'), toStatusId: textIn(fieldIn(value, 'to'), 'id') }
}

function toIssue(value: unknown): TrackerIssue {
  const fields = fieldIn(value, 'fields')
  const status = fieldIn(fields, 'status')
  const isDone = textIn(fieldIn(status, 'statusCategory'), 'key') === 'done'
  return {
    id: idIn(value, 'id'),
    key: idIn(value, 'key'),
    summary: textIn(fields, 'summary'),
    status: { id: textIn(status, 'id'), name: textIn(status, 'name'), isDone },
  }
}

function idIn(value: unknown, name: string): string {
  const id = textIn(value, name)
  if (/^[A-Za-z0-9_-]{1,100}$/.test(id)) return id
  throw new TrackerError('unreachable', 'The tracker did not answer like a tracker.')
}

function fieldIn(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function is(value: unknown, name: string): boolean {
  return fieldIn(value, name) === true
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
