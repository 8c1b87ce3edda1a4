import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Job, JobHandler } from '../../../kernel/jobs/job.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { Mailer } from '../../../outbound/mail/mailer.ts'
import { type ResetService, resetMail } from '../resets/resets.ts'
import * as store from './invitation-store.ts'
import { invitationMail } from './invitations.ts'
import { hashLinkToken, linkTo, newLinkToken } from './one-time-link.ts'

export type MailOptions = { db: Database; clock: Clock; publicUrl: string; mailer: Mailer; resets: ResetService }

/**
 * The mails that carry one-time links. Each try makes a link of its own, so that a secret lies in no job; the link of an
 * earlier try, should that mail have arrived after all, ends with it.
 */
export function peopleMails({ db, clock, publicUrl, mailer, resets }: MailOptions): JobHandler[] {
  async function invite(job: Job): Promise<void> {
    const { invitationId: id, version } = job.payload as { invitationId: number; version: number }
    const actor = systemActor(job.deploymentId, `job-${job.id}`)
    const token = newLinkToken()
    const row = await db.transaction(actor, (tx) =>
      store.replaceHash(tx, { id, version }, hashLinkToken(token), clock.now()),
    )
    if (!row) return
    const link = linkTo(publicUrl, 'invitations', token)
    await mailer.send({ to: row.email, id: job.key, ...invitationText(row, link) })
    await db.transaction(actor, (tx) => store.noteMailed(tx, id, version, clock.now()))
  }

  async function reset(job: Job): Promise<void> {
    const { email } = job.payload as { email: string }
    const made = await resets.linkByMail(email, job.attempt === 1, `job-${job.id}`)
    if (made) await mailer.send({ to: made.to, id: job.key, ...resetText(made) })
  }

  return [
    { kind: invitationMail, run: invite },
    { kind: resetMail, run: reset },
  ]
}

function invitationText({ deployment, inviter, role, email, expires_at }: store.Mailable, link: string) {
  const text = [
    `${shown(inviter)} invites you to join "${shown(deployment)}" in Gatehouse as ${role}.`,
    '',
    'To join, open this link. It works once, until',
    `${expires_at.toUTCString()}, and only for ${email}:`,
    '',
    link,
    '',
    'If you did not expect this, do nothing: without the link nobody joins in your name.',
  ]
  return { subject: `[Gatehouse] An invitation to ${shown(deployment)}`, text: text.join('\n') }
}

function resetText({ link, expiresAt, to }: { link: string; expiresAt: string; to: string }) {
  const text = [
    `Somebody asked for a new password for ${to} in Gatehouse. If it was you, open this link. It works once, until`,
    `${new Date(expiresAt).toUTCString()}:`,
    '',
    link,
    '',
    'If it was not you, do nothing: your password stays as it is.',
  ]
  return { subject: '[Gatehouse] A new password', text: text.join('\n') }
}

/** Names are chosen by strangers: one line, short, and no address that a mail program would turn into a link. */
function shown(name: string): string {
  return name
    .replace(/[\p{C}\p{Z}/:@]+|\.(?=\S)/gu, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, 80)
}
