import { Fault } from '../../../kernel/contract/fault.ts'
import { groupSchema, userSchema } from './discovery.ts'
import type { GroupMember, GroupRow } from './group-store.ts'
import type { UserWithGroups } from './user-store.ts'

/** RFC 7644 §3.14: weak, since what is meant counts and not how it is spelled. */
export function tagOf(version: number): string {
  return `W/"${version}"`
}

export function requireTag(ifMatch: string | undefined, version: number): void {
  if (ifMatch === undefined || hasTag(ifMatch, version)) return
  throw new Fault(
    'precondition_failed',
    `It has changed: its version is ${tagOf(version)} now. Read it again, then decide.`,
  )
}

export function hasTag(header: string, version: number): boolean {
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(`"${version}"`)
}

type Dated = { id: number; version: number; created_at: Date; changed_at: Date }

export function locationOf(base: string, kind: 'User' | 'Group', id: number): string {
  return `${base}/${kind}s/${id}`
}

function metaOf(base: string, kind: 'User' | 'Group', { id, version, created_at, changed_at }: Dated): object {
  return {
    resourceType: kind,
    created: created_at.toISOString(),
    lastModified: changed_at.toISOString(),
    location: locationOf(base, kind, id),
    version: tagOf(version),
  }
}

export function userResource(base: string, row: UserWithGroups): object {
  const { displayName, ...name } = row.names
  return {
    schemas: [userSchema],
    id: String(row.id),
    ...(row.external_id && { externalId: row.external_id }),
    userName: row.user_name,
    ...(Object.keys(name).length > 0 && { name }),
    ...(displayName && { displayName }),
    active: row.active,
    emails: [{ value: row.address, type: 'work', primary: true }],
    groups: row.groups.map(({ id, name: display }) => ({
      value: String(id),
      display,
      $ref: locationOf(base, 'Group', id),
    })),
    meta: metaOf(base, 'User', row),
  }
}

export function groupResource(base: string, row: GroupRow, members: readonly GroupMember[]): object {
  return {
    schemas: [groupSchema],
    id: String(row.id),
    ...(row.external_id && { externalId: row.external_id }),
    displayName: row.display_name,
    members: members.map(({ id, name }) => ({ value: String(id), display: name, $ref: locationOf(base, 'User', id) })),
    meta: metaOf(base, 'Group', row),
  }
}

const always = new Set(['schemas', 'id'])

/** RFC 7644 §3.9: `attributes` names what is wanted, `excludedAttributes` what is not. */
export function narrow(resource: object, query: URLSearchParams): object {
  const wanted = namesIn(query.get('attributes'))
  const unwanted = namesIn(query.get('excludedAttributes'))
  const entries = Object.entries(resource).filter(([name]) => {
    if (always.has(name)) return true
    return wanted ? wanted.has(name.toLowerCase()) : !unwanted?.has(name.toLowerCase())
  })
  return Object.fromEntries(entries)
}

/** Whether the attribute would be sent: what nobody wants is not looked up. */
export function isWanted(name: string, query: URLSearchParams): boolean {
  return Object.hasOwn(narrow({ [name]: 0 }, query), name)
}

function namesIn(list: string | null): Set<string> | undefined {
  if (list === null) return undefined
  const names = list.slice(0, 2_000).split(',')
  return new Set(
    names.map(
      (name) =>
        name
          .trim()
          .toLowerCase()
          .replace(/^urn:.*:/, '')
          .split('.')[0]!,
    ),
  )
}
