import type { ActionOrder, Subject } from '../../../domain/trigger-event.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { Permanent } from '../../../kernel/jobs/job.ts'
import type { Mailer } from '../../../outbound/mail/mailer.ts'
import { foreignAddresses } from './mail-addresses.ts'
import { createMailLimit } from './mail-limit.ts'

const mostListed = 50

/** Mail that leaves through the operator's server, and how much of it to whom. */
export type Mailing = { mailer: Mailer; domains: readonly string[]; perHour: number }

/** One message to one person about everything that the automation found. */
export function createEmailDelivery(db: Database, { mailer, domains, perHour }: Mailing, publicUrl: string) {
  const take = createMailLimit(db, perHour)
  return async function send(order: ActionOrder): Promise<void> {
    const [to = ''] = order.config.to as string[]
    // Again, since whoever it was may have left, and the operator may have changed their mind.
    if ((await foreignAddresses(db.as(order), [to], domains)).length > 0) throw new Permanent(foreignAddress)
    await take(order.deploymentId)
    await mailer.send({ to, subject: subjectOf(order), text: textOf(order, publicUrl), id: order.key })
  }
}

export const foreignAddress =
  'Nobody in this deployment has this address, and the operator does not allow mail to its domain (GATEHOUSE_MAIL_DOMAINS).'

function subjectOf({ automation, occasion, total }: ActionOrder): string {
  const where = occasion.repository ? ` in ${occasion.repository.name}` : ''
  return `[Gatehouse] ${automation.name}: ${total} ${total === 1 ? 'match' : 'matches'}${where}`
}

function textOf({ automation, occasion, subjects, total }: ActionOrder, publicUrl: string): string {
  const { repository, ref, pullRequest } = occasion
  const listed = subjects.slice(0, mostListed)
  const facts = [
    `The automation "${automation.name}" found ${total}:`,
    '',
    ...listed.map(line),
    ...(total > listed.length ? [`… and ${total - listed.length} more`] : []),
    '',
    ...(repository ? [`Repository: ${repository.name}`] : []),
    ...(ref ? [`Ref: ${ref}`] : []),
    ...(pullRequest ? [`Pull request: ${pullRequest}`] : []),
    publicUrl,
  ]
  return facts.join('\n')
}

function line({ severity, title, path, ruleId }: Subject): string {
  const level = severity.replace('SEVERITY_', '').toLowerCase()
  return `- ${[level && `[${level}]`, title, path && `(${path})`, ruleId].filter(Boolean).join(' ')}`
}
