import { type Actor, requireSignedInPerson } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database, IdentityQueryable } from '../../kernel/database/database.ts'
import type { Person } from '../people/contract.ts'
import { belongsOnlyTo, findAccount, findPerson, lockAccount } from '../people/public.ts'
import { type AccountRecord, endAllSessions } from '../sessions/public.ts'
import type { Notices } from './notices.ts'
import { removeAll as removePasskeys, removeSince as removePasskeysSince } from './passkeys/passkey-store.ts'
import { remove as removeCodes, removeSince as removeCodesSince } from './recovery/recovery-store.ts'
import { remove as removeApp, removeSince as removeAppSince } from './totp/totp-store.ts'

export type FactorReset = ReturnType<typeof createFactorReset>

const notOurs =
  'This account also belongs to other deployments: the operator can run `gatehouse person reset --second-factor` on the server.'

/** What was set up by whoever had the account before its address was shown to be somebody's. Answers whether there was any. */
export async function removeFactorsSince(tx: IdentityQueryable, personId: number, since: Date): Promise<boolean> {
  const hadApp = await removeAppSince(tx, personId, since)
  const keys = await removePasskeysSince(tx, personId, since)
  await removeCodesSince(tx, personId, since)
  return hadApp || keys > 0
}

/** For somebody who has lost all second factors and recovery codes. Their password stays, and all their sessions end. */
export function createFactorReset(ingredients: { db: Database; record: AccountRecord; notices: Notices }) {
  const { db, record, notices } = ingredients

  async function byDeployment(actor: Actor, personId: number): Promise<Person> {
    requireSignedInPerson(actor, "Removing somebody's second factors")
    if (actor.personId === personId) throw new Fault('conflict', 'Your own second factors are on your profile.')
    const person = await findPerson(db.as(actor), personId)
    if (!person) throw new Fault('not_found', `No person ${personId} in this deployment.`)
    if (person.role === 'owner' && actor.role !== 'owner')
      throw new Fault('forbidden', 'Only owners remove the second factors of owners.')
    const { personId: actorId, requestId } = actor
    await clear(personId, { actorId, requestId, detail: { by: actor.role } }, async (tx) => {
      if (!(await belongsOnlyTo(tx, personId, actor.deploymentId))) throw new Fault('forbidden', notOurs)
    })
    return (await findPerson(db.as(actor), personId)) ?? person
  }

  /** For whoever has the data folder or the database. */
  async function byServer(email: string, user: string): Promise<void> {
    const account = await db.identity((tx) => findAccount(tx, email))
    if (!account) throw new Fault('not_found', `There is no account for ${email}.`)
    await clear(account.id, { actorId: 0, requestId: 'cli', detail: { by: 'server', user } })
  }

  async function clear(
    personId: number,
    by: { actorId: number; requestId: string; detail: Record<string, string> },
    check?: (tx: IdentityQueryable) => Promise<void>,
  ): Promise<void> {
    const events = await db.identity(async (tx) => {
      await lockAccount(tx, personId)
      await check?.(tx)
      await removeApp(tx, personId)
      await removePasskeys(tx, personId)
      await removeCodes(tx, personId)
      await endAllSessions(tx, personId)
      return record.note(tx, personId, { ...by, action: 'person.factor-reset' })
    })
    await record.tell(events)
    await notices.tell(personId, 'reset')
  }

  return { byDeployment, byServer }
}
