import type { SearchedIssue } from './tracker-jql.ts'

export type TrackerStatus = { id: string; name: string; category: 'new' | 'indeterminate' | 'done' }
export type TrackerTransition = { id: string; name: string; from: string[]; to: string }
export type TrackerIssueType = { id: string; name: string; subtask: boolean; fields: TrackerField[] }
export type TrackerField = { fieldId: string; name: string; required: boolean; hasDefaultValue: boolean }
export type TrackerProject = { id: string; key: string; name: string; types: TrackerIssueType[] }
export type RemoteLink = { id: number; globalId: string; url: string; title: string }
export type TrackerIssue = SearchedIssue & {
  id: string
  key: string
  fields: Record<string, unknown>
  statusId: string
  createdAt: number
  remoteLinks: RemoteLink[]
}

const statuses: TrackerStatus[] = [
  { id: '10001', name: 'To Do', category: 'new' },
  { id: '10002', name: 'In Progress', category: 'indeterminate' },
  { id: '10003', name: 'Done', category: 'done' },
]

/** A transition is offered only from the statuses it leads away from. */
export const transitions: TrackerTransition[] = [
  { id: '11', name: 'Start', from: ['10001'], to: '10002' },
  { id: '21', name: 'Stop', from: ['10002'], to: '10001' },
  { id: '31', name: 'Resolve', from: ['10001', '10002'], to: '10003' },
  { id: '41', name: 'Reopen', from: ['10003'], to: '10001' },
]

const field = (fieldId: string, name: string, required = false, hasDefaultValue = false): TrackerField => ({
  fieldId,
  name,
  required,
  hasDefaultValue,
})
const usual = [
  field('summary', 'Summary', true),
  field('issuetype', 'Issue Type', true),
  field('project', 'Project', true),
  field('reporter', 'Reporter', true, true),
  field('description', 'Description'),
  field('labels', 'Labels'),
  field('priority', 'Priority'),
  field('components', 'Components'),
]

export const projects: TrackerProject[] = [
  {
    id: '10100',
    key: 'SEC',
    name: 'Security',
    types: [
      { id: '10200', name: 'Bug', subtask: false, fields: usual },
      {
        id: '10201',
        name: 'Audit item',
        subtask: false,
        fields: [...usual, field('customfield_10042', 'Team', true)],
      },
      { id: '10202', name: 'Sub-task', subtask: true, fields: [...usual, field('parent', 'Parent', true)] },
    ],
  },
  {
    id: '10101',
    key: 'OPS',
    name: 'Operations',
    types: [{ id: '10203', name: 'Task', subtask: false, fields: usual }],
  },
]

export const statusName = (id: string): string => statuses.find((each) => each.id === id)?.name ?? ''

export function statusBody(id: string): object {
  const status = statuses.find((each) => each.id === id)!
  const names = { new: 'To Do', indeterminate: 'In Progress', done: 'Done' }
  return { id, name: status.name, statusCategory: { key: status.category, name: names[status.category] } }
}

/** The Atlassian Document Format, as far as it goes without knowing every node: a document of nodes with types. */
export function isDocument(value: unknown): boolean {
  const { type, version, content } = (value ?? {}) as { type?: unknown; version?: unknown; content?: unknown }
  return type === 'doc' && version === 1 && Array.isArray(content) && content.every(isNode)
}

function isNode(value: unknown): boolean {
  const { type, text, content } = (value ?? {}) as { type?: unknown; text?: unknown; content?: unknown }
  if (typeof type !== 'string') return false
  // An empty text node is refused by the real one too.
  if (type === 'text') return typeof text === 'string' && text !== ''
  return content === undefined || (Array.isArray(content) && content.every(isNode))
}
