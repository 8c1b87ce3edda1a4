import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { NumberCursor, pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  IdParameter,
  IdString,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'
import { FindingFilter, PersonOfDeployment } from '../findings/contract.ts'
import { IssueFilter } from '../issues/contract.ts'

const base = '/api/discussions/v1/deployments/:deploymentId'
const common = { tag: 'Discussions', stability: 'beta', security: 'both' } as const

const text = (description: string) => Type.String({ description })
const findingId = { ...IdString, description: 'About this finding; or name an issue' }
const issueId = { ...IdString, description: 'About this issue; or name a finding' }

const CommentText = named(
  'CommentText',
  Type.String({
    minLength: 1,
    maxLength: 10_000,
    pattern: '\\S',
    description: 'Plain text: it is shown as it is, never as markup',
  }),
)

export const DiscussionEntry = VersionedObject('DiscussionEntry', {
  id: IdString,
  what: OneOf(['comment', 'assignment'], 'A comment, or that it was given to somebody'),
  at: Timestamp,
  authorId: IdString,
  authorName: text('Their name at that time: it stays when they have left the deployment'),
  tokenId: Type.Integer({ minimum: 0, description: 'The token they used; 0 when signed in' }),
  text: text('Of a comment; empty once it is deleted'),
  assignee: { ...OrNull(PersonOfDeployment), description: 'Of an assignment: to whom; null for nobody' },
  editedAt: OrNull(Timestamp),
  deletedAt: OrNull(Timestamp),
})
export type DiscussionEntry = Static<typeof DiscussionEntry>

export const DiscussionQuery = Type.Object({
  findingId: Type.Optional(findingId),
  issueId: Type.Optional(issueId),
  pageSize: pageQuery.pageSize,
  cursor: Type.Optional(NumberCursor()),
})
export type DiscussionQuery = Static<typeof DiscussionQuery>

export const listDiscussion = endpoint({
  ...common,
  id: 'listDiscussion',
  summary: 'List what people said about a finding or an issue',
  description:
    'Comments, and to whom it was given, newest first; and who looks after it now. For whoever sees the finding or issue.',
  permission: 'discussions:read',
  method: 'GET',
  path: `${base}/entries`,
  params: DeploymentParams,
  query: DiscussionQuery,
  response: Type.Object({
    assignee: { ...OrNull(PersonOfDeployment), description: 'Who looks after it; null for nobody' },
    entries: Type.Array(DiscussionEntry, { description: 'A page of entries, newest first' }),
    ...pageFields,
  }),
  faults: ['validation_failed', 'not_found', 'forbidden'],
})

const OneEntry = NamedObject('OneDiscussionEntry', { entry: DiscussionEntry })

export const NewComment = NamedObject('NewComment', {
  findingId: Type.Optional(findingId),
  issueId: Type.Optional(issueId),
  text: CommentText,
})
export type NewComment = Static<typeof NewComment>

export const createComment = endpoint({
  ...common,
  id: 'createComment',
  summary: 'Comment on a finding or an issue',
  description: 'One that the caller sees. At most 1,000 entries are kept for each.',
  permission: 'discussions:write',
  method: 'POST',
  path: `${base}/comments`,
  params: DeploymentParams,
  body: NewComment,
  response: OneEntry,
  faults: ['validation_failed', 'not_found', 'forbidden', 'conflict'],
})

const CommentParams = Type.Object({ deploymentId: AnyId, commentId: IdParameter })

export const editComment = endpoint({
  ...common,
  id: 'editComment',
  summary: "Edit one's own comment",
  description: 'Nobody edits what somebody else said, whatever their role.',
  permission: 'discussions:write',
  method: 'PUT',
  path: `${base}/comments/:commentId`,
  params: CommentParams,
  body: Type.Object({ text: CommentText }),
  response: OneEntry,
  faults: ['not_found', 'forbidden', 'precondition_failed'],
})

export const deleteComment = endpoint({
  ...common,
  id: 'deleteComment',
  summary: 'Delete a comment',
  description: 'Its author may, and owners and admins. Its text goes; that there was one stays.',
  permission: 'discussions:write',
  method: 'DELETE',
  path: `${base}/comments/:commentId`,
  params: CommentParams,
  response: OneEntry,
  faults: ['not_found', 'forbidden', 'precondition_failed'],
})

const ids = (description: string) => Type.Optional(Type.Array(IdString, { minItems: 1, maxItems: 500, description }))

export const Assignment = NamedObject('Assignment', {
  findingIds: ids('These findings'),
  issueIds: ids('These issues'),
  findingFilter: Type.Optional(FindingFilter),
  issueFilter: Type.Optional(IssueFilter),
  assigneeId: {
    ...OrNull(IdString),
    description: 'A person of the deployment; null takes it from whoever has it',
  },
})
export type Assignment = Static<typeof Assignment>

export const assign = endpoint({
  ...common,
  id: 'assign',
  summary: 'Say who looks after findings or issues',
  description:
    'Those with the ids, or those that a filter matches: at most 10,000, of one of the four. All or none. What is theirs already is left alone.',
  permission: 'discussions:write',
  method: 'POST',
  path: `${base}/assignments`,
  params: DeploymentParams,
  body: Assignment,
  response: Type.Object({ changed: Count, unchanged: Count }),
  faults: ['validation_failed', 'unprocessable', 'forbidden'],
})
