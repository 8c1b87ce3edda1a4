import { type Change, fieldOf } from './patch.ts'
import { ScimFault } from './scim-fault.ts'

export type Names = Partial<Record<'givenName' | 'familyName' | 'formatted' | 'displayName', string>>

/** Of the attributes of a user, those that are kept. What else a directory sends, passwords first, is passed over. */
export type UserAttributes = {
  userName: string
  externalId: string
  address: string
  names: Names
  active: boolean
}

/** The attributes of a body that is a whole user. What a PUT leaves out of `externalId` and `active` stays (Okta leaves them out). */
export function readUser(body: unknown, before?: UserAttributes): UserAttributes {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ScimFault('invalidSyntax', 'The body is not a user.')
  }
  const name = fieldOf(body, 'name')
  const names: Names = {}
  put(names, 'givenName', optional(fieldOf(name, 'givenname'), 'name.givenName'))
  put(names, 'familyName', optional(fieldOf(name, 'familyname'), 'name.familyName'))
  put(names, 'formatted', optional(fieldOf(name, 'formatted'), 'name.formatted'))
  put(names, 'displayName', optional(fieldOf(body, 'displayname'), 'displayName'))
  const userName = required(fieldOf(body, 'username'), 'userName')
  const active = fieldOf(body, 'active')
  const externalId = fieldOf(body, 'externalid')
  return checked({
    userName,
    externalId: externalId === undefined ? (before?.externalId ?? '') : (optional(externalId, 'externalId') ?? ''),
    address: addressIn(fieldOf(body, 'emails')) ?? userName,
    names,
    active: active === undefined ? (before?.active ?? true) : readActive(active),
  })
}

export function patchUser(before: UserAttributes, changes: readonly Change[]): UserAttributes {
  const user: UserAttributes = { ...before, names: { ...before.names } }
  for (const change of changes) apply(user, change)
  return checked(user)
}

const nameOf: Record<string, keyof Names> = {
  'name.givenname': 'givenName',
  'name.familyname': 'familyName',
  'name.formatted': 'formatted',
  displayname: 'displayName',
}

function apply(user: UserAttributes, { op, path, chosen, value }: Change): void {
  const isRemoval = op === 'remove'
  const name = nameOf[path]
  if (name) put(user.names, name, isRemoval ? undefined : optional(value, path))
  else if (path === 'name') user.names = isRemoval ? {} : user.names
  else if (path === 'username') user.userName = isRemoval ? cannotRemove('userName') : required(value, 'userName')
  else if (path === 'externalid') user.externalId = isRemoval ? '' : (optional(value, 'externalId') ?? '')
  else if (path === 'active') user.active = isRemoval ? cannotRemove('active') : readActive(value)
  else if (path === 'emails' && !isRemoval) user.address = addressIn(value) ?? user.address
  else if (isWorkAddress(path, chosen) && !isRemoval) user.address = required(value, 'emails.value')
}

/** One address is kept, that for work; others that a directory may have are passed over. */
function isWorkAddress(path: string, chosen: string | undefined): boolean {
  if (path === 'emails.value') return true
  if (path === 'emails[type].value') return chosen?.toLowerCase() === 'work'
  return path === 'emails[primary].value' && chosen === 'true'
}

/** The primary one, else that for work, else the first. */
function addressIn(emails: unknown): string | undefined {
  if (emails === undefined || emails === null) return undefined
  const list: unknown[] = [emails].flat()
  const found =
    list.find((each) => isTrue(fieldOf(each, 'primary'))) ??
    list.find((each) => String(fieldOf(each, 'type')).toLowerCase() === 'work') ??
    list[0]
  return found === undefined ? undefined : optional(fieldOf(found, 'value'), 'emails.value')
}

/** Entra ID sends the words "True" and "False" as well as the values. */
function readActive(value: unknown): boolean {
  if (isTrue(value)) return true
  if (value === false || String(value).toLowerCase() === 'false') return false
  throw new ScimFault('invalidValue', '`active` is true or false.')
}

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true')
}

const longestText = 320
const address = /^[^\s@]{1,200}@[^\s@]{1,200}$/

function checked(user: UserAttributes): UserAttributes {
  if (!address.test(user.address)) {
    throw new ScimFault('invalidValue', 'A user needs an e-mail address: in `emails`, or as `userName`.')
  }
  return user
}

function required(value: unknown, name: string): string {
  const text = optional(value, name)
  if (text === undefined) throw new ScimFault('invalidValue', `\`${name}\` is missing.`)
  return text
}

function optional(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || value.length > longestText || /[\u0000-\u001f\u007f]/.test(value)) {
    throw new ScimFault('invalidValue', `\`${name}\` is text of at most ${longestText} characters in one line.`)
  }
  const text = value.trim().toWellFormed()
  return text === '' ? undefined : text
}

function cannotRemove(name: string): never {
  throw new ScimFault('mutability', `\`${name}\` cannot be removed.`)
}

function put(names: Names, key: keyof Names, value: string | undefined): void {
  if (value === undefined) delete names[key]
  else names[key] = value
}

/** What people read: as the directory shows it, else put together, else what stands before the @. */
export function shownName({ names, userName }: UserAttributes): string {
  const together = [names.givenName, names.familyName].filter(Boolean).join(' ')
  return (names.displayName ?? names.formatted ?? (together || userName.split('@')[0]!)).slice(0, 200)
}
