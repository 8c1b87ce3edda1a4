import { Fault, type FieldError } from '../../kernel/contract/fault.ts'
import type { Database, IdentityQueryable } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../vault/rotation/sealed-columns.ts'
import type { AccountRecord, AttemptLimits } from '../sessions/public.ts'
import type { Notices } from './notices.ts'
import { listOf as listPasskeys } from './passkeys/passkey-store.ts'
import type { SecondStep, Step } from './proof.ts'
import { hashOfCode } from './recovery/recovery-code.ts'
import * as recovery from './recovery/recovery-store.ts'
import { stepOf } from './totp/totp.ts'
import * as totp from './totp/totp-store.ts'

export function createSecondStep(ingredients: {
  db: Database
  ring: KeyRing
  clock: Clock
  limits: AttemptLimits
  record: AccountRecord
  notices: Notices
}): SecondStep {
  const { db, ring, clock, limits, record, notices } = ingredients
  const identities = { query: db.identityQuery }

  async function check(personId: number, code: string | undefined, network: string): Promise<Step> {
    const [app, passkeys] = await Promise.all([totp.find(identities, personId), listPasskeys(identities, personId)])
    if (!app && passkeys.length === 0) return { by: 'password', spend: (tx) => requireNone(tx, personId) }
    if (code === undefined) throw required(app !== undefined, passkeys.length > 0)
    const guess = code.replace(/[\s-]/g, '')
    const guard = limits.guard(secondStepLimits(personId, network, isSixDigits(guess)))
    await guard.begin()
    const step = isSixDigits(guess) ? app && (await stepFrom(app, personId, guess)) : await codeFrom(personId, guess)
    if (!step) {
      await record.noteFailure(personId, network)
      throw wrongCode()
    }
    await guard.succeed()
    return step
  }

  async function stepFrom(app: totp.TotpRow, personId: number, code: string): Promise<Step | undefined> {
    const secret = await ring.open('instance', app.secret, sealedFieldOf(sealedColumns.totpSecret, personId))
    const at = clock.now()
    const step = stepOf(secret, code, at)
    if (step === undefined) return undefined
    return {
      by: 'code',
      async spend(tx) {
        if (!(await totp.spendStep(tx, personId, step, at))) throw wrongCode()
      },
    }
  }

  async function codeFrom(personId: number, code: string): Promise<Step | undefined> {
    const hash = hashOfCode(personId, code)
    if (!(await recovery.exists(identities, personId, hash))) return undefined
    return {
      by: 'recovery-code',
      async spend(tx) {
        if (!(await recovery.spend(tx, personId, hash))) throw wrongCode()
      },
      afterwards: () => notices.tell(personId, 'code.used'),
    }
  }

  return { check }
}

/**
 * Six digits are few: ten guesses in a quarter of an hour for the account, from wherever they come, fifty a day. Recovery codes cannot
 * be guessed, and are what is left to somebody whose password a stranger knows and whose guesses the stranger uses up.
 */
function secondStepLimits(personId: number, network: string, sixDigits: boolean) {
  const fromNetwork = { key: `network ${network}`, most: 10, seconds: 60 }
  if (!sixDigits) return [fromNetwork]
  return [
    fromNetwork,
    { key: `code of ${personId}`, most: 10, seconds: 900 },
    { key: `code of ${personId} today`, most: 50, seconds: 86_400 },
  ]
}

function isSixDigits(code: string): boolean {
  return /^[0-9]{6}$/.test(code)
}

/** Whoever sets up a factor at this very moment has ended all other sessions; this one must not come after. */
async function requireNone(tx: IdentityQueryable, personId: number): Promise<void> {
  const [app, passkeys] = [await totp.find(tx, personId), await listPasskeys(tx, personId)]
  if (app || passkeys.length > 0) throw required(app !== undefined, passkeys.length > 0)
}

/** `errors` names what would do: programs read the pointers, people the sentences. */
function required(hasApp: boolean, hasPasskey: boolean): Fault {
  const errors: FieldError[] = [
    {
      pointer: '/code',
      detail: hasApp
        ? 'must be the six digits of your authenticator app, or one of your recovery codes'
        : 'must be one of your recovery codes',
    },
  ]
  if (hasPasskey)
    errors.push({ pointer: '/passkey', detail: 'can be used instead, without a password: /api/auth/passkey' })
  return new Fault('second_factor_required', 'This account has a second factor: send `code` with the password.', {
    errors,
  })
}

function wrongCode(): Fault {
  return new Fault('unauthenticated', 'The code is not right, or was used before.', { cause: 'code' })
}
