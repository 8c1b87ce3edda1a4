import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { eachInTurn } from '../../../kernel/jobs/each-deployment.ts'
import type { Job, JobHandler, Periodic } from '../../../kernel/jobs/job.ts'
import { enqueueMany } from '../../../kernel/jobs/outbox.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { Mailer } from '../../../outbound/mail/mailer.ts'
import * as store from './reminder-store.ts'
import { dueReminder, soonDays } from './stages.ts'

const mailKind = 'tokens.expiry-mail'

export type ReminderOptions = {
  db: Database
  clock: Clock
  publicUrl: string
  /** Undefined where no mail server is configured. */
  mailer: Mailer | undefined
  /** Tells the channels that want to know of tokens, in the transaction. */
  tellChannels(tx: Transaction, tokens: readonly { name: string; owner: string; expiresAt: Date }[]): Promise<void>
}

/** Tells people in time that a token ends: its owner, or for a service account those who look after the deployment. */
export function createTokenReminders({ db, clock, publicUrl, mailer, tellChannels }: ReminderOptions) {
  async function remind(): Promise<void> {
    const now = clock.now()
    const until = new Date(now.getTime() + soonDays * 86_400_000)
    await eachInTurn(await store.deploymentsWithExpiring({ query: db.identityQuery }, now, until), (id) =>
      db.transaction(systemActor(id, 'token-reminders'), (tx) => remindIn(tx, now, until)),
    )
  }

  /** What was told, and that it was told, are written down together: nobody is told twice, or not at all. */
  async function remindIn(tx: Transaction, now: Date, until: Date): Promise<void> {
    const due = (await store.lockExpiring(tx, now, until)).flatMap((token) => {
      const days = dueReminder(token, now)
      return days === undefined ? [] : [{ ...token, days }]
    })
    if (due.length === 0) return
    await store.noteReminded(tx, due)
    const ofServices = due.filter((token) => token.is_service)
    await tellChannels(
      tx,
      ofServices.map(({ name, owner, expires_at: expiresAt }) => ({ name, owner, expiresAt })),
    )
    if (!mailer) return
    const wanted = new Map<number, number[]>()
    const add = (personId: number, tokenId: number) => wanted.set(personId, [...(wanted.get(personId) ?? []), tokenId])
    for (const token of due) if (!token.is_service) add(token.person_id, token.id)
    const admins = ofServices.length > 0 ? await store.listAdmins(tx) : []
    for (const token of ofServices) for (const personId of admins) add(personId, token.id)
    const jobs = [...wanted].map(([personId, tokenIds]) => ({ kind: mailKind, payload: { personId, tokenIds } }))
    await enqueueMany(tx, jobs)
  }

  async function send(to: Mailer, job: Job): Promise<void> {
    const { personId, tokenIds } = job.payload as { personId: number; tokenIds: number[] }
    const address = await store.findAddress(db.as(job), personId)
    const tokens = await store.listLive(db.as(job), tokenIds, clock.now())
    if (!address || tokens.length === 0) return
    const subject = `[Gatehouse] ${tokens.length === 1 ? 'An API token expires' : `${tokens.length} API tokens expire`} soon`
    await to.send({ to: address, id: job.key, subject, text: textOf(tokens, publicUrl) })
  }

  const handlers: JobHandler[] = mailer ? [{ kind: mailKind, run: (job) => send(mailer, job) }] : []
  const periodic: Periodic[] = [{ name: 'tokens.remind', everySeconds: 3_600, run: remind }]
  return { remind, handlers, periodic }
}

const mostListed = 50

function textOf(tokens: readonly store.ExpiringToken[], publicUrl: string): string {
  const lines = tokens.slice(0, mostListed).map(({ name, owner, is_service: isService, expires_at: expiresAt }) => {
    const whose = isService ? ` of the service account ${oneLine(owner)}` : ''
    return `- ${oneLine(name)}${whose}: ${expiresAt.toUTCString()}`
  })
  const more = tokens.length - lines.length
  return [
    'These API tokens stop working soon:',
    '',
    ...lines,
    ...(more > 0 ? [`… and ${more} more`] : []),
    '',
    'Make new ones in the settings, put them where the old ones are used, and revoke the old ones:',
    publicUrl,
  ].join('\n')
}

function oneLine(name: string): string {
  return name.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
}
