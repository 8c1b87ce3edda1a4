import { ProviderProblem } from '../issuer/provider-problem.ts'

export type Claims = Readonly<Record<string, unknown>>

// Addresses are the same whatever the size of their letters. The Kelvin sign and the capital İ become a plain k and i when they are
// written small: an address with one of them would be taken for somebody else's.
const addressForm = /^[^\s@\p{Cc}\u0130\u212a]+@[^\s@\p{Cc}\u0130\u212a]+$/u

/** What a provider says about the address of a person. */
type Address = { email: string; name: string; isVerified: boolean }

export function addressOf(claims: Claims, emailsAreVerified: boolean): Address {
  const { email, name, email_verified: verified } = claims
  if (typeof email !== 'string' || email.length > 254 || !addressForm.test(email)) {
    throw new ProviderProblem('It gives no e-mail address for you. Whoever looks after it can add the claim “email”.')
  }
  const shown =
    typeof name === 'string'
      ? name
          .replace(/\p{Cc}/gu, ' ')
          .trim()
          .slice(0, 200)
      : ''
  // An address that is said not to be verified is not, whatever was configured.
  const isVerified = verified === true || verified === 'true' || (emailsAreVerified && verified === undefined)
  return { email, name: shown || email.split('@')[0]!, isVerified }
}

export function domainOf(email: string): string {
  return email.slice(email.indexOf('@') + 1).toLowerCase()
}

/** A claim that names somebody or something. Undefined for what cannot be kept. */
export function nameIn(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim.length <= 255 && /^\P{Cc}+$/u.test(claim) ? claim : undefined
}

/** The groups at a path of names with dots between; a claim that has the whole path as its name comes first. */
export function groupsOf(claims: Claims, path: string): string[] {
  if (path === '') return []
  refuseOverage(claims, path)
  const found = Object.hasOwn(claims, path) ? claims[path] : at(claims, path.split('.'))
  const values = typeof found === 'string' ? [found] : Array.isArray(found) ? found : []
  return values.filter((each): each is string => typeof each === 'string')
}

/** Microsoft leaves the groups out where they are many, and says where to ask for them: as if the person were in none. */
function refuseOverage(claims: Claims, path: string): void {
  const { _claim_names: elsewhere, hasgroups } = claims
  const first = path.split('.')[0]!
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, first)
  if (!isElsewhere && hasgroups === undefined) return
  throw new ProviderProblem(
    'It leaves your groups out because there are too many. Whoever looks after it can restrict the claim to the groups that are assigned to the application.',
  )
}

function at(value: unknown, [name, ...rest]: string[]): unknown {
  if (name === undefined) return value
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return isObject ? at((value as Record<string, unknown>)[name], rest) : undefined
}
