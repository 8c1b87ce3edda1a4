import type { Actor } from '../../../kernel/access/actor.ts'
import type { ScimAnswer, ScimRequest } from '../../../kernel/contract/adapters/scim-adapter.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import { mostResults, resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { type Filter, parseFilter } from './filter.ts'
import { groupFilters } from './group-store.ts'
import type { GroupService, GroupWithMembers } from './groups.ts'
import { groupResource, hasTag, isWanted, locationOf, narrow, tagOf, userResource } from './resource.ts'
import { ScimFault } from './scim-fault.ts'
import { type UserWithGroups, userFilters } from './user-store.ts'
import type { UserService } from './users.ts'

export type ScimParts = {
  users: UserService
  groups: GroupService
  /** Throws where the directory may not ask. */
  check(actor: Actor): Promise<void>
}

const defaultCount = 100

/** Requests of a directory, RFC 7644 §3. Names of resources are found whatever their case. */
export function createScimAnswers({ users, groups, check }: ScimParts) {
  return async function answer(request: ScimRequest): Promise<ScimAnswer> {
    await check(request.actor)
    const [kind = '', id, ...more] = request.path
    if (more.length > 0) throw nothingHere()
    const name = kind.toLowerCase()
    if (name === 'users') return id === undefined ? allUsers(request) : oneUser(request, id)
    if (name === 'groups') return id === undefined ? allGroups(request) : oneGroup(request, id)
    if (request.method !== 'GET') throw wrongMethod(['GET'])
    if (name === 'serviceproviderconfig' && id === undefined) return ok(serviceProviderConfig(request.base))
    if (name === 'resourcetypes') return described(resourceTypes(request.base) as { id: string }[], id)
    if (name === 'schemas') return described(schemas(request.base), id)
    throw nothingHere()
  }

  async function allUsers({ method, actor, body, query, base }: ScimRequest): Promise<ScimAnswer> {
    if (method === 'POST') return madeUser(base, await users.create(actor, body))
    if (method !== 'GET') throw wrongMethod(['GET', 'POST'])
    const page = pageOf(query)
    const { rows, total } = await users.list(actor, filterOf(query, userFilters), page)
    const resources = rows.map((row) => narrow(userResource(base, row), query))
    return ok(listOf(resources, total, page.offset))
  }

  async function oneUser(request: ScimRequest, id: string): Promise<ScimAnswer> {
    const { method, actor, body, ifMatch } = request
    if (method === 'GET') return shownUser(request, await users.get(actor, id))
    if (method === 'PUT') return shownUser(request, await users.replace(actor, id, body, ifMatch))
    if (method === 'PATCH') return shownUser(request, await users.patch(actor, id, body, ifMatch))
    if (method !== 'DELETE') throw wrongMethod(['GET', 'PUT', 'PATCH', 'DELETE'])
    await users.remove(actor, id, ifMatch)
    return { status: 204 }
  }

  async function allGroups({ method, actor, body, query, base }: ScimRequest): Promise<ScimAnswer> {
    if (method === 'POST') return madeGroup(base, await groups.create(actor, body))
    if (method !== 'GET') throw wrongMethod(['GET', 'POST'])
    const page = pageOf(query)
    const found = await groups.list(actor, filterOf(query, groupFilters), page, isWanted('members', query))
    const resources = found.groups.map(({ row, members }) => narrow(groupResource(base, row, members), query))
    return ok(listOf(resources, found.total, page.offset))
  }

  async function oneGroup(request: ScimRequest, id: string): Promise<ScimAnswer> {
    const { method, actor, body, query, ifMatch } = request
    if (method === 'GET') return shownGroup(request, await groups.get(actor, id, isWanted('members', query)))
    if (method === 'PUT') return shownGroup(request, await groups.replace(actor, id, body, ifMatch))
    if (method === 'PATCH') {
      // Entra ID wants no list of members back, and Okta takes either.
      const { row } = await groups.patch(actor, id, body, ifMatch)
      return { status: 204, headers: { etag: tagOf(row.version) } }
    }
    if (method !== 'DELETE') throw wrongMethod(['GET', 'PUT', 'PATCH', 'DELETE'])
    await groups.remove(actor, id, ifMatch)
    return { status: 204 }
  }
}

function madeUser(base: string, row: UserWithGroups): ScimAnswer {
  const headers = { location: locationOf(base, 'User', row.id), etag: tagOf(row.version) }
  return { status: 201, headers, body: userResource(base, row) }
}

function madeGroup(base: string, { row, members }: GroupWithMembers): ScimAnswer {
  const headers = { location: locationOf(base, 'Group', row.id), etag: tagOf(row.version) }
  return { status: 201, headers, body: groupResource(base, row, members) }
}

function shownUser(request: ScimRequest, row: UserWithGroups): ScimAnswer {
  return shown(request, row, locationOf(request.base, 'User', row.id), () => userResource(request.base, row))
}

function shownGroup(request: ScimRequest, { row, members }: GroupWithMembers): ScimAnswer {
  const resource = () => groupResource(request.base, row, members)
  return shown(request, row, locationOf(request.base, 'Group', row.id), resource)
}

function shown(
  { method, query, ifNoneMatch }: ScimRequest,
  { version }: { version: number },
  location: string,
  resource: () => object,
): ScimAnswer {
  const headers = { etag: tagOf(version), 'content-location': location }
  if (method === 'GET' && ifNoneMatch !== undefined && hasTag(ifNoneMatch, version)) return { status: 304, headers }
  return { status: 200, headers, body: narrow(resource(), query) }
}

function ok(body: object): ScimAnswer {
  return { status: 200, body }
}

/** RFC 7644 §4: discovery takes no filters. */
function described(all: { id: string }[], id: string | undefined): ScimAnswer {
  if (id === undefined) return ok(listOf(all, all.length, 0))
  const found = all.find((each) => each.id === id)
  if (!found) throw nothingHere()
  return ok(found)
}

/** RFC 7644 §3.4.2. */
function listOf(resources: readonly object[], totalResults: number, offset: number): object {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults,
    startIndex: offset + 1,
    itemsPerPage: resources.length,
    Resources: resources,
  }
}

function filterOf(query: URLSearchParams, attributes: Readonly<Record<string, string>>): Filter {
  const text = query.get('filter')
  return text === null ? [] : parseFilter(text, attributes)
}

/** RFC 7644 §3.4.2.4: less than the first is the first, less than nothing is nothing. */
function pageOf(query: URLSearchParams): { offset: number; limit: number } {
  const startIndex = Math.max(1, wholeNumber(query, 'startIndex', 1))
  const count = Math.max(0, wholeNumber(query, 'count', defaultCount))
  return { offset: startIndex - 1, limit: Math.min(count, mostResults) }
}

function wholeNumber(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name)
  if (text === null || text === '') return fallback
  if (!/^-?[0-9]{1,9}$/.test(text)) throw new ScimFault('invalidValue', `${name} is a whole number.`)
  return Number(text)
}

function nothingHere(): Fault {
  return new Fault(
    'not_found',
    'There is nothing at this path: Users, Groups, ServiceProviderConfig, Schemas, ResourceTypes.',
  )
}

function wrongMethod(allow: string[]): Fault {
  return new Fault('method_not_allowed', `This path takes ${allow.join(', ')}.`, { allow })
}
