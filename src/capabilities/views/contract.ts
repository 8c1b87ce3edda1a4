import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import {
  AnyId,
  DeploymentParams,
  IdParameter,
  IdString,
  NamedObject,
  named,
  OneOf,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const base = '/api/views/v1/deployments/:deploymentId'
const common = { tag: 'Views', stability: 'beta', security: 'both' } as const

const PageName = named('ViewPage', OneOf(['findings', 'issues'], 'The page of the console it is a view of'))
const ViewName = named(
  'ViewName',
  Type.String({ minLength: 1, maxLength: 80, pattern: '^\\S(.*\\S)?$', description: 'Without space around it' }),
)
const Search = named(
  'ViewSearch',
  Type.String({
    maxLength: 4_000,
    pattern: '^(\\?[\\x21-\\x7e]*)?$',
    description: 'Filters, grouping and sort as they stand in the address, from the question mark on; empty for none',
  }),
)
const Shared = named('ViewShared', Type.Boolean({ description: 'Whether everybody in the deployment sees it' }))

export const SavedView = VersionedObject('SavedView', {
  id: IdString,
  page: PageName,
  name: ViewName,
  search: Search,
  shared: Shared,
  ownerId: IdString,
  ownerName: Type.String({ description: 'Who made it, by the name they had then' }),
  createdAt: Timestamp,
})
export type SavedView = Static<typeof SavedView>
const OneView = NamedObject('OneSavedView', { view: SavedView })

export const listViews = endpoint({
  ...common,
  id: 'listViews',
  summary: 'List saved views',
  description: "The caller's own and those that others share, ordered by name.",
  permission: 'views:read',
  method: 'GET',
  path: `${base}/views`,
  params: DeploymentParams,
  query: Type.Object({ page: Type.Optional(PageName) }),
  response: Type.Object({ views: Type.Array(SavedView, { maxItems: 400, description: 'Ordered by name' }) }),
  faults: [],
})

const given = { name: ViewName, search: Search, shared: Shared }
export const NewView = NamedObject('NewSavedView', { page: PageName, ...given })
export type NewView = Static<typeof NewView>

export const createView = endpoint({
  ...common,
  id: 'createView',
  summary: 'Save a view',
  description:
    'At most 100 for each person, 300 shared ones in a deployment. Sharing takes the role member. Names of own views, and of shared ones, are unique on their page.',
  permission: 'views:write',
  method: 'POST',
  path: `${base}/views`,
  params: DeploymentParams,
  body: NewView,
  response: OneView,
  faults: ['conflict', 'forbidden'],
})

const ViewParams = Type.Object({ deploymentId: AnyId, viewId: IdParameter })

export const getView = endpoint({
  ...common,
  id: 'getView',
  summary: 'Get a saved view',
  description: "One of the caller's own, or one that is shared.",
  permission: 'views:read',
  method: 'GET',
  path: `${base}/views/:viewId`,
  params: ViewParams,
  response: OneView,
  faults: ['not_found'],
})

export const ViewChanges = NamedObject('SavedViewChanges', given)
export type ViewChanges = Static<typeof ViewChanges>

export const replaceView = endpoint({
  ...common,
  id: 'replaceView',
  summary: 'Replace a saved view',
  description: 'Who made it may, and of shared ones owners and admins.',
  permission: 'views:write',
  method: 'PUT',
  path: `${base}/views/:viewId`,
  params: ViewParams,
  body: ViewChanges,
  response: OneView,
  faults: ['not_found', 'forbidden', 'conflict', 'precondition_failed'],
})

export const deleteView = endpoint({
  ...common,
  id: 'deleteView',
  summary: 'Delete a saved view',
  description: 'Who made it may, and of shared ones owners and admins.',
  permission: 'views:write',
  method: 'DELETE',
  path: `${base}/views/:viewId`,
  params: ViewParams,
  response: OneView,
  faults: ['not_found', 'forbidden', 'precondition_failed'],
})

const Columns = named(
  'ColumnChoice',
  Type.Array(Type.String({ pattern: '^[a-z]{1,30}$', description: 'A column' }), {
    maxItems: 30,
    uniqueItems: true,
    description: 'Columns that are shown',
  }),
)

export const Preferences = VersionedObject('Preferences', {
  theme: Type.Optional(OneOf(['system', 'light', 'dark'], 'Light or dark')),
  density: Type.Optional(OneOf(['compact', 'normal', 'roomy'], 'Height of rows')),
  keys: Type.Optional(OneOf(['on', 'off'], 'Whether single letters are shortcuts')),
  findingColumns: Type.Optional(Columns),
})
export type Preferences = Static<typeof Preferences>
const OnePreferences = NamedObject('OnePreferences', { preferences: Preferences })

export const getPreferences = endpoint({
  ...common,
  id: 'getPreferences',
  summary: "Get one's own preferences",
  description: 'How the caller wants the console to look in this deployment. What was never chosen is absent.',
  permission: 'views:read',
  method: 'GET',
  path: `${base}/preferences`,
  params: DeploymentParams,
  response: OnePreferences,
  faults: [],
})

export const replacePreferences = endpoint({
  ...common,
  id: 'replacePreferences',
  summary: "Replace one's own preferences",
  description: 'What is left out goes back to its default.',
  permission: 'views:write',
  method: 'PUT',
  path: `${base}/preferences`,
  params: DeploymentParams,
  body: Preferences,
  response: OnePreferences,
  faults: ['precondition_failed'],
})
