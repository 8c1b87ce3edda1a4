import type { Reaction } from '../../../domain/event-reactions.ts'
import type { ActionOrder, Subject, TriggerEvent, TriggerSource } from '../../../domain/trigger-event.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { createReadAhead } from '../../../kernel/database/read-ahead.ts'
import { type Job, type JobHandler, Permanent, Transient } from '../../../kernel/jobs/job.ts'
import { enqueueMany } from '../../../kernel/jobs/outbox.ts'
import { isDefaultBranch } from '../../repositories/public.ts'
import type { Installed } from '../installation/installed.ts'
import { postMessage } from './channels.ts'
import { ChatError } from './chat-error.ts'
import * as text from './message-text.ts'
import type { ChatEvent } from './subscription-contract.ts'
import { listFor, type SubscriptionRow } from './subscription-store.ts'

const kind = 'chat.message'
// The chat service takes about one message a second for each channel, and counts for the whole app.
const lane = 'chat'

type Message = { channel: string; text: string }

/** Writes down what channels are to be told, with everything else of the event's transaction. */
const onEvent: Reaction = async (tx, event, { blockedBy }) => {
  const messages: Message[] = []
  if (event.source === 'TRIGGER_SOURCE_SCAN') {
    if (event.pullRequest === 0) messages.push(...(await newFindings(tx, event)))
    if (blockedBy.length > 0) {
      const subscriptions = (await blockedSubscriptions.take(tx, event.source)).filter((one) => isPlace(one, event))
      messages.push(...subscriptions.map(({ channel }) => ({ channel, text: text.scanBlockedText(event, blockedBy) })))
    }
  }
  if (event.source === 'TRIGGER_SOURCE_ISSUE_TRIAGED') {
    messages.push(...(await about(tx, event, 'CHAT_EVENT_ISSUE_TRIAGED', text.triagedText)))
  }
  if (event.source === 'TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT') {
    messages.push(
      ...(await about(tx, event, 'CHAT_EVENT_SUPPLY_CHAIN_INCIDENT', (subjects) => text.incidentText(event, subjects))),
    )
  }
  if (event.source === 'TRIGGER_SOURCE_FIREWALL_REFUSED') {
    messages.push(...(await about(tx, event, 'CHAT_EVENT_FIREWALL_REFUSED', text.refusedText)))
  }
  if (event.source === 'TRIGGER_SOURCE_FIREWALL_EXCEPTION') {
    messages.push(...(await about(tx, event, 'CHAT_EVENT_FIREWALL_EXCEPTION', text.exceptionText)))
  }
  await enqueueMany(
    tx,
    messages.map((payload) => ({ kind, payload, lane })),
  )
}

const scanSubscriptions = createReadAhead((tx) => listFor(tx, 'CHAT_EVENT_NEW_FINDINGS' satisfies ChatEvent))
const blockedSubscriptions = createReadAhead((tx) => listFor(tx, 'CHAT_EVENT_SCAN_BLOCKED' satisfies ChatEvent))

export const tellChannels: Reaction = Object.assign(onEvent, {
  expect(tx: Transaction, source: TriggerSource) {
    scanSubscriptions.begin(tx, source)
    blockedSubscriptions.begin(tx, source)
  },
})

async function newFindings(tx: Transaction, event: TriggerEvent): Promise<Message[]> {
  const subscriptions = await scanSubscriptions.take(tx, event.source)
  if (subscriptions.length === 0 || !event.repository) return []
  if (!(await isDefaultBranch(tx, event.repository.id, event.ref))) return []
  return tellEach(tx, event, subscriptions, (subjects) => text.newFindingsText(event, subjects))
}

async function about(
  tx: Transaction,
  event: TriggerEvent,
  name: ChatEvent,
  write: (subjects: Subject[]) => string,
): Promise<Message[]> {
  return tellEach(tx, event, await listFor(tx, name), write)
}

/** What is new and wanted, for each channel that wants something of it. */
async function tellEach(
  tx: Transaction,
  event: TriggerEvent,
  subscriptions: readonly SubscriptionRow[],
  write: (subjects: Subject[]) => string,
): Promise<Message[]> {
  if (subscriptions.length === 0) return []
  const fresh = (await event.subjects(tx)).filter(({ isNew }) => isNew).toSorted(bySeverity)
  return subscriptions.flatMap((subscription) => {
    const wanted = fresh.filter((subject) => wants(subscription, event, subject))
    return wanted.length > 0 ? [{ channel: subscription.channel, text: write(wanted) }] : []
  })
}

/** Writes down that channels are to be told of tokens that expire soon. */
export async function tellOfTokens(
  tx: Transaction,
  tokens: readonly { name: string; owner: string; expiresAt: Date }[],
): Promise<void> {
  if (tokens.length === 0) return
  const subscriptions = await listFor(tx, 'CHAT_EVENT_TOKENS_EXPIRE' satisfies ChatEvent)
  const said = text.expiringTokensText(tokens)
  await enqueueMany(
    tx,
    subscriptions.map(({ channel }) => ({ kind, payload: { channel, text: said }, lane })),
  )
}

/** For automations: says in the channel of the action what it acts on. */
export function createMessagePerformer(installed: Installed) {
  return async ({ deploymentId, automation, config, occasion, subjects, total, key }: ActionOrder): Promise<void> => {
    const channel = String(config.channel ?? '')
    if (!channel) throw new Permanent('The action names no channel.')
    const said = text.automationText(automation.name, occasion, subjects.toSorted(bySeverity), total)
    await post(installed, deploymentId, { channel, text: said }, key)
  }
}

export function createMessageJob(installed: Installed): JobHandler {
  return { kind, run: (job: Job) => post(installed, job.deploymentId, job.payload as Message, job.key) }
}

async function post(installed: Installed, deploymentId: number, message: Message, key: string): Promise<void> {
  try {
    await installed.using(systemActor(deploymentId, key), (api, token) => postMessage(api, token, { ...message, key }))
  } catch (error) {
    // Not installed, or archived: nothing will come of waiting.
    if (error instanceof Fault && ['not_found', 'conflict'].includes(error.code)) throw new Permanent(error.message)
    if (!(error instanceof ChatError)) throw error
    if (error.isPassing) throw new Transient(error.message, error.retryAfterSeconds)
    throw new Permanent(`${error.message} (channel ${message.channel})`)
  }
}

function wants(subscription: SubscriptionRow, event: TriggerEvent, subject: Subject): boolean {
  const { severities, products } = subscription
  const isSevere = severities.length === 0 || subject.severity === '' || severities.includes(subject.severity)
  const isProduct = products.length === 0 || subject.product === '' || products.includes(subject.product)
  return isSevere && isProduct && isPlace(subscription, event, subject)
}

function isPlace({ repositoryIds }: SubscriptionRow, { repository }: TriggerEvent, subject?: Subject): boolean {
  if (repositoryIds.length === 0) return true
  const places = subject?.repositories ?? (repository ? [repository] : [])
  return places.some(({ id }) => repositoryIds.includes(String(id)))
}

const order = ['SEVERITY_CRITICAL', 'SEVERITY_HIGH', 'SEVERITY_MEDIUM', 'SEVERITY_LOW', 'SEVERITY_INFO']

function bySeverity(a: Subject, b: Subject): number {
  return order.indexOf(a.severity) - order.indexOf(b.severity)
}
