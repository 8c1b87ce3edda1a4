import type { ActionOrder, Subject } from '../../kernel/trigger.ts'
import type { Mailer } from '../../outbound/mailer.ts'

const mostListed = 50

/** One message to one person about everything that the automation found. */
export function createEmailDelivery(mailer: Mailer, publicUrl: string) {
  return async function send(order: ActionOrder): Promise<void> {
    const [to = ''] = order.config.to as string[]
    await mailer.send({ to, subject: subjectOf(order), text: textOf(order, publicUrl), id: order.key })
  }
}

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
