import { createHash, randomBytes } from 'node:crypto'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { isShutOut } from '../../people/public.ts'
import type { AccountRecord, AttemptLimits } from '../../sessions/public.ts'
import { networkOf } from '../../sessions/public.ts'
import type { ShownPasskey } from '../proof.ts'
import { challengeIn, readAuthentication, readRegistration } from './credential.ts'
import * as store from './passkey-store.ts'
import type { NoPasskeys, RelyingParty } from './relying-party.ts'

const challengeMinutes = 5
const mostPasskeys = 20
// EdDSA, ES256 and RS256, by their COSE numbers: all that authenticators in use have.
const algorithms = [-8, -7, -257]

type Owner = { id: number; email: string; name: string }
type NewPasskey = Omit<store.PasskeyRow, 'id' | 'used_at'>
export type Passkeys = ReturnType<typeof createPasskeys>

/** WebAuthn, with `@simplewebauthn/server` for its wire formats. Challenges are single use, on all processes together. */
export function createPasskeys(ingredients: {
  db: Database
  clock: Clock
  limits: AttemptLimits
  record: AccountRecord
  party: RelyingParty | NoPasskeys
}) {
  const { db, clock, limits, record, party } = ingredients
  const identities = { query: db.identityQuery }

  function requireParty(): RelyingParty {
    if ('why' in party) throw new Fault('not_configured', party.why)
    return party
  }

  /** What `navigator.credentials.create` takes. */
  async function offerNew({ id, email, name }: Owner) {
    const { id: rpID } = requireParty()
    const [known, handle, challenge] = await Promise.all([
      store.listOf(identities, id),
      store.handleOf(identities, id),
      newChallenge(id),
    ])
    refuseTooMany(known.length)
    return generateRegistrationOptions({
      rpName: 'Gatehouse',
      rpID,
      userName: email,
      userDisplayName: name,
      userID: Uint8Array.from(Buffer.from(handle)),
      challenge,
      timeout: challengeMinutes * 60_000,
      attestationType: 'none',
      excludeCredentials: known.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
      // It signs people in by itself: it knows who they are, and asks for a finger or a PIN.
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: algorithms,
    })
  }

  /** A passkey that the person has just made, for the transaction that keeps it. */
  async function readNew(personId: number, given: Record<string, unknown>, name: string): Promise<NewPasskey> {
    const { id: rpID, origin } = requireParty()
    const response = readRegistration(given)
    const challenge = await takeChallenge(challengeIn(response), personId)
    const verified = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }).catch((error: unknown) => {
      throw notRight(error)
    })
    if (!verified.verified) throw notRight('not verified')
    const { credential, credentialBackedUp } = verified.registrationInfo
    refuseTooMany((await store.listOf(identities, personId)).length)
    return {
      person_id: personId,
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: credential.transports ?? [],
      backed_up: credentialBackedUp,
      name,
      created_at: clock.now(),
    }
  }

  /** What `navigator.credentials.get` takes. It names no account: which one it is, the passkey says. */
  async function offerSignIn(address: string) {
    const { id: rpID } = requireParty()
    const asked = { key: `passkey challenge ${networkOf(address)}`, most: 60, seconds: 60 }
    await limits.guard([asked]).begin()
    const challenge = await newChallenge(null)
    const timeout = challengeMinutes * 60_000
    return generateAuthenticationOptions({ rpID, challenge, timeout, userVerification: 'required' })
  }

  async function show(given: Record<string, unknown>, address: string, of?: number): Promise<ShownPasskey> {
    const { id: rpID, origin } = requireParty()
    const response = readAuthentication(given)
    const network = networkOf(address)
    const guard = limits.guard([{ key: `network ${network}`, most: 10, seconds: 60 }])
    await guard.begin()
    const challenge = await takeChallenge(challengeIn(response), null)
    const passkey = await store.findByCredential(identities, response.id)
    const refuse = async (cause: unknown): Promise<never> => {
      await record.noteFailure(passkey?.person_id, network)
      throw notRight(cause)
    }
    if (!passkey) return refuse('unknown')
    if (await isShutOut(identities, passkey.person_id, clock.now())) return refuse('shut out')
    if (of !== undefined && passkey.person_id !== of) return refuse('of another person')
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      // The counter is compared where it is written down, so that two processes do not both accept it.
      credential: { id: passkey.credential_id, publicKey: Uint8Array.from(passkey.public_key), counter: 0 },
    }).catch(refuse)
    if (!verified) return refuse('signature')
    await guard.succeed()
    return {
      personId: passkey.person_id,
      async spend(tx) {
        if (await store.spend(tx, passkey.id, { counter: authenticationInfo.newCounter, at: clock.now() })) return
        throw new Fault(
          'unauthenticated',
          'This passkey has been used by another device that has a copy of it, or was removed. Remove it, and make a new one.',
          { cause: 'counter' },
        )
      },
    }
  }

  async function newChallenge(personId: number | null): Promise<Uint8Array<ArrayBuffer>> {
    const challenge = Uint8Array.from(randomBytes(32))
    const hash = hashOf(Buffer.from(challenge).toString('base64url'))
    const expiresAt = new Date(clock.now().getTime() + challengeMinutes * 60_000)
    await store.putChallenge(identities, { hash, personId, expiresAt })
    return challenge
  }

  async function takeChallenge(challenge: string, personId: number | null): Promise<string> {
    const taken = await store.takeChallenge(identities, { hash: hashOf(challenge), personId }, clock.now())
    if (!taken) throw notRight('challenge')
    return challenge
  }

  return { party, offerNew, readNew, offerSignIn, show }
}

function hashOf(challenge: string): Buffer {
  return createHash('sha256').update(challenge).digest()
}

function refuseTooMany(count: number): void {
  if (count >= mostPasskeys) throw new Fault('conflict', `You have ${mostPasskeys} passkeys; remove one first.`)
}

function notRight(cause: unknown): Fault {
  return new Fault('unauthenticated', 'This passkey is not known here, or its answer is not right. Try again.', {
    cause,
  })
}
