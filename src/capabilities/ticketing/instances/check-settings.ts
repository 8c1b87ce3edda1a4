import type { FieldError } from '../../../kernel/contract/fault.ts'
import type { Tracker, TrackerField } from '../tracker/tracker.ts'
import { TrackerError } from '../tracker/tracker-error.ts'
import type { InstanceSettings } from './store.ts'

/** Fields that every ticket gets from what it is about, or by how it is made. */
const ownFields = ['project', 'issuetype', 'summary', 'description', 'labels', 'parent']

/** What of the settings the tracker does not have, each pointed to. Empty settings are not a problem. */
export async function settingsProblems(tracker: Tracker, settings: InstanceSettings): Promise<FieldError[]> {
  const { projectId, issueTypeId, subtaskIssueTypeId, fixedTransitionId } = settings
  if (!projectId) return dependents(settings).map((pointer) => ({ pointer, detail: 'choose projectId first' }))
  if (!(await exists(tracker.project(projectId)))) {
    return [
      { pointer: '/projectId', detail: `the tracker has no project '${projectId}', or the account may not see it` },
    ]
  }
  const types = await tracker.issueTypes(projectId)
  const type = types.find(({ id }) => id === issueTypeId)
  const problems: FieldError[] = []
  if (issueTypeId && !type) problems.push(missing('/issueTypeId', 'issue type', issueTypeId, projectId))
  if (type?.isSubtask) problems.push({ pointer: '/issueTypeId', detail: `'${type.name}' is only for subtasks` })
  if (subtaskIssueTypeId) problems.push(...subtaskProblems(types, subtaskIssueTypeId, projectId))
  if (!type) return problems
  problems.push(...fieldProblems(await tracker.fields(projectId, type.id), settings.fields))
  if (fixedTransitionId) problems.push(...(await transitionProblems(tracker, projectId, type.id, fixedTransitionId)))
  return problems
}

function dependents({ issueTypeId, subtaskIssueTypeId, fixedTransitionId, fields }: InstanceSettings): string[] {
  return [
    ...(issueTypeId ? ['/issueTypeId'] : []),
    ...(subtaskIssueTypeId ? ['/subtaskIssueTypeId'] : []),
    ...(fixedTransitionId ? ['/fixedTransitionState'] : []),
    ...(Object.keys(fields).length > 0 ? ['/fields'] : []),
  ]
}

function subtaskProblems(types: { id: string; name: string; isSubtask: boolean }[], id: string, projectId: string) {
  const pointer = '/subtaskIssueTypeId'
  const type = types.find((each) => each.id === id)
  if (!type) return [missing(pointer, 'issue type', id, projectId)]
  return type.isSubtask ? [] : [{ pointer, detail: `'${type.name}' is not for subtasks` }]
}

function fieldProblems(known: TrackerField[], given: Record<string, unknown>): FieldError[] {
  const ids = new Set(known.map(({ id }) => id))
  const strange = Object.keys(given).flatMap((id) => {
    const pointer = `/fields/${id}`
    if (ownFields.includes(id)) return [{ pointer, detail: `'${id}' is filled in for each ticket` }]
    return ids.has(id) ? [] : [{ pointer, detail: `the tracker has no field '${id}' for this issue type` }]
  })
  const wanted = known
    .filter(({ id, isRequired }) => isRequired && !ownFields.includes(id) && !(id in given))
    .map(({ id, name }) => ({
      pointer: `/fields/${id}`,
      detail: `the tracker wants '${name}' ('${id}') for every ticket`,
    }))
  return [...strange, ...wanted]
}

async function transitionProblems(tracker: Tracker, projectId: string, typeId: string, id: string) {
  const pointer = '/fixedTransitionState/trackerTransitionId'
  const transitions = await tracker.transitions(projectId, typeId)
  if (!transitions) {
    const detail = 'it cannot be checked: the account may not see the workflow, and there is no ticket of this kind yet'
    return [{ pointer, detail }]
  }
  return transitions.some((each) => each.id === id) ? [] : [missing(pointer, 'transition', id, projectId)]
}

function missing(pointer: string, what: string, id: string, projectId: string): FieldError {
  return { pointer, detail: `the project '${projectId}' has no ${what} '${id}'` }
}

async function exists(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked
    return true
  } catch (error) {
    if (error instanceof TrackerError && error.reason === 'missing') return false
    throw error
  }
}
