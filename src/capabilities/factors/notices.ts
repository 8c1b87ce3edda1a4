import sql from 'sql-template-tag'
import { systemActor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Job, JobHandler } from '../../kernel/jobs/job.ts'
import { enqueue } from '../../kernel/jobs/outbox.ts'
import type { Mailer } from '../../outbound/mail/mailer.ts'
import { findAccountById } from '../people/public.ts'

const kind = 'factors.notice-mail'

const sentences = {
  'app.set-up': 'An authenticator app was set up for your account.',
  'app.removed': 'The authenticator app was removed from your account.',
  'passkey.added': 'A passkey was added to your account.',
  'passkey.removed': 'A passkey was removed from your account.',
  'codes.renewed': 'New recovery codes were made for your account; the earlier ones do not work any more.',
  'code.used': 'Somebody signed in to your account with one of its recovery codes.',
  reset: 'Somebody who looks after Gatehouse removed all second factors of your account.',
} as const
export type Notice = keyof typeof sentences

export type Notices = ReturnType<typeof createNotices>

/** Tells people by mail what happened to their second factors, where there is a mail server. The audit log has it anyway. */
export function createNotices({ db, canMail }: { db: Database; canMail: boolean }) {
  async function tell(personId: number, notice: Notice): Promise<void> {
    if (!canMail) return
    // What belongs to the whole instance is in the outbox of its first deployment.
    const [first] = await db.identityQuery<{ id: number }>(sql`select id from deployment order by id limit 1`)
    if (!first) return
    await db.transaction(systemActor(first.id, 'second-factor'), (tx) =>
      enqueue(tx, { kind, payload: { personId, notice } }),
    )
  }

  return { tell }
}

export function noticeMails(db: Database, mailer: Mailer | undefined, publicUrl: string): JobHandler[] {
  if (!mailer) return []
  async function send(to: Mailer, job: Job): Promise<void> {
    const { personId, notice } = job.payload as { personId: number; notice: Notice }
    const account = await db.identity((tx) => findAccountById(tx, personId))
    if (!account) return
    const text = [
      sentences[notice],
      '',
      'If it was not you, change your password, look at your sessions and second factors, and tell whoever looks after Gatehouse:',
      `${publicUrl}/me`,
    ]
    const subject = '[Gatehouse] Your second factor'
    await to.send({ to: account.email, id: job.key, subject, text: text.join('\n') })
  }
  return [{ kind, run: (job) => send(mailer, job) }]
}
