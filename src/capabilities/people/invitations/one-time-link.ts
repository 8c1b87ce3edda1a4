import { createHash, randomBytes } from 'node:crypto'
import Type from 'typebox'
import { Fault } from '../../../kernel/contract/fault.ts'
import { named } from '../../../kernel/contract/schema.ts'
import { networkOf } from '../../sessions/public.ts'

export const LinkToken = named(
  'LinkToken',
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The part of the link after the #',
  }),
)

export function newLinkToken(): string {
  return randomBytes(32).toString('base64url')
}

/** 256 random bits need no slow hash. */
export function hashLinkToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** In the fragment, which browsers send to nobody: it stands in no log and in no referrer. */
export function linkTo(publicUrl: string, page: 'invitations' | 'reset-password', token: string): string {
  return `${publicUrl}/${page}#${token}`
}

/** The same for every link that does not work, so that it tells nothing about those that do. */
export function invalidLink(): Fault {
  return new Fault(
    'not_found',
    'This link does not work: it was used, replaced or revoked, or it has expired. Ask for a new one.',
  )
}

/** Links that do not work which one address may try, on all processes together. */
export function unknownLinkLimits(address: string) {
  const message = 'Too many links from this address that do not work.'
  return [{ key: `unknown link ${networkOf(address)}`, most: 20, seconds: 60, message }]
}
