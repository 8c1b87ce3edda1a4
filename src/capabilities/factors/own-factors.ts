import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { confirmedForMs, type Identity } from '../../kernel/access/identity.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database, IdentityQueryable } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../vault/rotation/sealed-columns.ts'
import { sealedIdentity } from '../../vault/sealed-transaction.ts'
import { findAccountById, lockAccount } from '../people/public.ts'
import { type AccountRecord, endOtherSessions, openedAt, sessionStands } from '../sessions/public.ts'
import type { Changed, OwnFactors } from './contract.ts'
import type { Notice, Notices } from './notices.ts'
import * as passkeyStore from './passkeys/passkey-store.ts'
import type { Passkeys } from './passkeys/passkeys.ts'
import { codesMade, hashOfCode, newRecoveryCode } from './recovery/recovery-code.ts'
import * as recovery from './recovery/recovery-store.ts'
import { needsFactor, type Requirement } from './requirement.ts'
import { base32 } from './totp/base32.ts'
import { stepOf } from './totp/totp.ts'
import * as totp from './totp/totp-store.ts'

const setupMinutes = 15
// RFC 4226 §4 recommends 160 bits.
const secretBytes = 20

type Change = { requestId: string; action: string; detail: Record<string, unknown>; notice: Notice }
export type OwnFactorService = ReturnType<typeof createOwnFactors>

/** The second factors of whoever is signed in, looked after by themselves. */
export function createOwnFactors(ingredients: {
  db: Database
  ring: KeyRing
  clock: Clock
  record: AccountRecord
  passkeys: Passkeys
  notices: Notices
  /** What the instance wants of everybody. */
  requirement: Requirement
  publicUrl: string
}) {
  const { db, ring, clock, record, passkeys, notices, requirement, publicUrl } = ingredients
  const identities = { query: db.identityQuery }

  async function show({ personId }: Identity): Promise<OwnFactors> {
    const [app, keys, codes, required] = await Promise.all([
      totp.find(identities, personId),
      passkeyStore.listOf(identities, personId),
      recovery.count(identities, personId),
      isRequired(identities, personId),
    ])
    const { party } = passkeys
    return {
      required,
      app: app ? { createdAt: app.created_at.toISOString(), lastUsedAt: app.used_at?.toISOString() ?? null } : null,
      passkeys: keys.map(({ id, name, backed_up: backedUp, created_at, used_at }) => ({
        id,
        name,
        backedUp,
        createdAt: created_at.toISOString(),
        lastUsedAt: used_at?.toISOString() ?? null,
      })),
      recoveryCodes: { left: codes.left, createdAt: codes.created_at?.toISOString() ?? null },
      passkeysAt: 'why' in party ? { origin: null, why: party.why } : { origin: party.origin, why: '' },
    }
  }

  async function beginApp(caller: Identity): Promise<{ secret: string; uri: string }> {
    await requireRecentSignIn(caller)
    const account = await accountOf(caller)
    const secret = randomBytes(secretBytes)
    const place = sealedFieldOf(sealedColumns.totpSetup, caller.personId)
    const expiresAt = new Date(clock.now().getTime() + setupMinutes * 60_000)
    await sealedIdentity({ db, ring }, { plaintext: secret, place }, (tx, sealed) =>
      totp.putSetup(tx, caller.personId, { secret: sealed, expiresAt }),
    )
    const text = base32(secret)
    const issuer = `Gatehouse ${new URL(publicUrl).hostname}`
    const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account.email)}`
    return { secret: text, uri: `otpauth://totp/${label}?secret=${text}&issuer=${encodeURIComponent(issuer)}` }
  }

  async function confirmApp(caller: Identity, code: string, requestId: string): Promise<Changed> {
    await requireRecentSignIn(caller)
    const { personId } = caller
    const at = clock.now()
    const setup = await totp.findSetup(identities, personId, at)
    if (!setup) throw nothingBegun()
    const secret = await ring.open('instance', setup, sealedFieldOf(sealedColumns.totpSetup, personId))
    const step = stepOf(secret, code.replace(/[\s-]/g, ''), at)
    if (step === undefined) {
      throw new Fault('unprocessable', 'The code is not right. Is the clock of the device right?', {
        errors: [{ pointer: '/code', detail: 'must be what the app shows now' }],
      })
    }
    const place = sealedFieldOf(sealedColumns.totpSecret, personId)
    const done = { requestId, action: 'factor.set-up', detail: { kind: 'app' }, notice: 'app.set-up' } as const
    return changed(caller, done, (change) =>
      sealedIdentity({ db, ring }, { plaintext: secret, place }, (tx, sealed) =>
        change(tx, async () => {
          if (!(await totp.takeSetup(tx, personId, setup))) throw nothingBegun()
          await totp.put(tx, personId, { secret: sealed, step, at })
        }),
      ),
    )
  }

  async function offerPasskey(caller: Identity) {
    await requireRecentSignIn(caller)
    return passkeys.offerNew(await accountOf(caller))
  }

  async function addPasskey(
    caller: Identity,
    { name, credential }: { name: string; credential: Record<string, unknown> },
    requestId: string,
  ): Promise<Changed> {
    await requireRecentSignIn(caller)
    const passkey = await passkeys.readNew(caller.personId, credential, name)
    const detail = { kind: 'passkey', name }
    const done = { requestId, action: 'factor.set-up', detail, notice: 'passkey.added' } as const
    return changed(caller, done, (change) =>
      db.identity((tx) =>
        change(tx, async () => {
          if (!(await passkeyStore.insert(tx, passkey)))
            throw new Fault('conflict', 'This passkey is registered already.')
        }),
      ),
    )
  }

  /** With the first factor come recovery codes, and sessions that were opened without it end. */
  async function changed(
    caller: Identity,
    { notice, ...event }: Change,
    run: (
      change: (tx: IdentityQueryable, work: () => Promise<void>) => Promise<{ codes: string[]; events: Events }>,
    ) => Promise<{ codes: string[]; events: Events }>,
  ): Promise<Changed> {
    const { personId, sessionId } = caller
    const { codes, events } = await run(async (tx, work) => {
      await lockOwnAccount(tx, caller)
      const isFirst = !(await hasAny(tx, personId))
      await work()
      const codes = isFirst ? await makeCodes(tx, personId) : []
      if (isFirst) await endOtherSessions(tx, personId, sessionId)
      return { codes, events: await record.note(tx, personId, event) }
    })
    await record.tell(events)
    await notices.tell(personId, notice)
    return { factors: await show(caller), recoveryCodes: codes }
  }

  function removeApp(caller: Identity, requestId: string): Promise<OwnFactors> {
    const done = { requestId, action: 'factor.remove', detail: { kind: 'app' }, notice: 'app.removed' } as const
    return remove(caller, done, async (tx) => {
      if (!(await totp.remove(tx, caller.personId))) throw new Fault('not_found', 'You have no authenticator app.')
    })
  }

  function removePasskey(caller: Identity, id: number, requestId: string): Promise<OwnFactors> {
    const detail: Record<string, unknown> = { kind: 'passkey' }
    const done = { requestId, action: 'factor.remove', detail, notice: 'passkey.removed' } as const
    return remove(caller, done, async (tx) => {
      const removed = await passkeyStore.remove(tx, caller.personId, id)
      if (!removed) throw new Fault('not_found', `You have no passkey ${id}.`)
      detail.name = removed.name
    })
  }

  async function remove(
    caller: Identity,
    { notice, ...event }: Change,
    work: (tx: IdentityQueryable) => Promise<void>,
  ): Promise<OwnFactors> {
    await requireRecentSignIn(caller)
    const { personId, sessionId } = caller
    const events = await db.identity(async (tx) => {
      await lockOwnAccount(tx, caller)
      await work(tx)
      if (!(await hasAny(tx, personId))) {
        if (await isRequired(tx, personId)) throw lastFactor()
        await recovery.remove(tx, personId)
      }
      await endOtherSessions(tx, personId, sessionId)
      return record.note(tx, personId, event)
    })
    await record.tell(events)
    await notices.tell(personId, notice)
    return show(caller)
  }

  async function renewCodes(caller: Identity, requestId: string): Promise<string[]> {
    await requireRecentSignIn(caller)
    const { personId } = caller
    const { codes, events } = await db.identity(async (tx) => {
      await lockOwnAccount(tx, caller)
      if (!(await hasAny(tx, personId))) throw new Fault('conflict', 'Set up a second factor first.')
      const codes = await makeCodes(tx, personId)
      return { codes, events: await record.note(tx, personId, { requestId, action: 'factor.codes', detail: {} }) }
    })
    await record.tell(events)
    await notices.tell(personId, 'codes.renewed')
    return codes
  }

  async function makeCodes(tx: IdentityQueryable, personId: number): Promise<string[]> {
    const codes = Array.from({ length: codesMade }, newRecoveryCode)
    const hashes = codes.map((code) => hashOfCode(personId, code))
    await recovery.replace(tx, personId, hashes, clock.now())
    return codes
  }

  /**
   * Browsers are asked for the password by the contract. A program's session counts as confirmed when it has just been opened. What a
   * provider says counts in its own deployment, and what is set up here opens the account everywhere.
   */
  async function requireRecentSignIn({ browser, sessionId }: Identity): Promise<void> {
    if (browser?.provider) {
      const message = `You came in through ${browser.provider.name}, which looks after second factors itself. Sign in with your password to change those here.`
      throw new Fault('forbidden', message)
    }
    if (browser) return
    const opened = await openedAt(identities, sessionId)
    if (opened && clock.now().getTime() - opened.getTime() < confirmedForMs) return
    throw new Fault('reauthentication_required', 'Sign in again to do this: this session is older than five minutes.')
  }

  async function accountOf({ personId }: Identity) {
    const account = await db.identity((tx) => findAccountById(tx, personId))
    if (!account) throw new Fault('token_revoked', 'This account is gone.')
    return account
  }

  async function isRequired(from: { query: IdentityQueryable['query'] }, personId: number): Promise<boolean> {
    const rows = await from.query(sql`select 1 from person where id = ${personId} and ${needsFactor(requirement)}`)
    return rows.length > 0
  }

  return { show, beginApp, confirmApp, removeApp, offerPasskey, addPasskey, removePasskey, renewCodes }
}

/** Whoever takes factors away, or sets another password, ends the sessions: none of these must set one up after that. */
async function lockOwnAccount(tx: IdentityQueryable, { personId, sessionId }: Identity): Promise<void> {
  await lockAccount(tx, personId)
  if (await sessionStands(tx, sessionId, personId)) return
  throw new Fault('token_revoked', 'This session has ended; sign in again.')
}

type Events = Awaited<ReturnType<AccountRecord['note']>>

async function hasAny(tx: IdentityQueryable, personId: number): Promise<boolean> {
  return (await totp.find(tx, personId)) !== undefined || (await passkeyStore.listOf(tx, personId)).length > 0
}

function nothingBegun(): Fault {
  return new Fault('not_found', 'No authenticator app is being set up, or it took too long. Begin again.')
}

function lastFactor(): Fault {
  return new Fault('conflict', 'A second factor is required of you: set up another one before you remove the last.')
}
