import type { Reaction } from '../../../domain/event-reactions.ts'
import type { ActionOrder, Subject } from '../../../domain/trigger-event.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { createReadAhead } from '../../../kernel/database/read-ahead.ts'
import { Permanent } from '../../../kernel/jobs/job.ts'
import { enqueue, enqueueMany } from '../../../kernel/jobs/outbox.ts'
import { isDefaultBranch } from '../../repositories/public.ts'
import { isConfigured } from '../instances/shown-instance.ts'
import * as instances from '../instances/store.ts'
import { kinds, laneOf } from '../sync/job-kinds.ts'
import { newLabel } from './subjects.ts'
import * as store from './ticket-store.ts'

/** A first scan of an old repository must not flood a tracker. */
const mostAtOnce = 200

const severities = ['SEVERITY_CRITICAL', 'SEVERITY_HIGH', 'SEVERITY_MEDIUM', 'SEVERITY_LOW', 'SEVERITY_INFO']

const trackersFor = createReadAhead((tx) => instances.list(tx))

/** In the transaction of what happened: tickets for what is new, and a look at what may be fixed. */
const onEvent: Reaction = async (tx, event) => {
  const all = (await trackersFor.take(tx, event.source)).filter(isConfigured)
  if (all.length === 0) return
  if (all.some(({ fixedTransitionId }) => fixedTransitionId)) await enqueue(tx, { kind: kinds.settle, payload: {} })
  const automating = all.filter(({ automated }) => automated.length > 0)
  if (automating.length === 0 || event.source !== 'TRIGGER_SOURCE_SCAN' || event.pullRequest > 0) return
  if (event.repository && !(await isDefaultBranch(tx, event.repository.id, event.ref))) return
  const found = (await event.subjects(tx)).filter(({ isNew }) => isNew)
  const bySeverity = found.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
  for (const instance of automating) {
    const wanted = bySeverity.filter((one) => firstFor(automating, automatedAs(one)) === instance)
    await makeFirst(tx, instance.id, wanted)
  }
}

export const react: Reaction = Object.assign(onEvent, { expect: trackersFor.begin })

/** The same for issues that were reported for the first time. */
export async function reactToIssues(tx: Transaction, issueIds: readonly number[]): Promise<void> {
  const instance = firstFor((await instances.list(tx)).filter(isConfigured), 'aiSast')
  if (!instance) return
  const wanted = issueIds.map((id) => ({ kind: 'issue' as const, id: String(id) }))
  await makeFirst(tx, instance.id, wanted)
}

/** The tracker that gets new things of a kind: the first with the switch on, because nothing has two tickets. */
function firstFor(all: readonly instances.InstanceRow[], kind: instances.AutomatedKind) {
  return all.find(({ automated }) => automated.includes(kind))
}

/** Which of the switches a subject falls under. */
export function automatedAs({
  kind,
  product,
  malicious,
}: Pick<Subject, 'kind' | 'product' | 'malicious'>): instances.AutomatedKind {
  if (kind === 'issue' || product === 'PRODUCT_TYPE_AI') return 'aiSast'
  if (product === 'PRODUCT_TYPE_SECRETS') return 'secrets'
  if (product === 'PRODUCT_TYPE_SCA') return malicious ? 'scaMaliciousDeps' : 'sca'
  return 'sast'
}

/** For automations: a ticket for each finding and issue that has none. The config may name the tracker. */
export function createTicketPerformer(db: Database) {
  return async ({ deploymentId, config, subjects, key }: ActionOrder): Promise<void> => {
    await db.transaction(systemActor(deploymentId, key), async (tx) => {
      const all = await instances.list(tx)
      const id = config.ticketingInstanceId ? Number(config.ticketingInstanceId) : undefined
      const instance = id === undefined ? (all.find(isConfigured) ?? all[0]) : all.find((one) => one.id === id)
      if (!instance) throw new Permanent(id === undefined ? 'No tracker is connected.' : `No ticketing instance ${id}.`)
      if (!isConfigured(instance)) throw new Permanent('The tracker has no project and issue type configured.')
      await makeEach(tx, instance.id, subjects)
    })
  }
}

/** No more than a tracker is given at once; the audit log says how many were left out. */
async function makeFirst(tx: Transaction, instanceId: number, wanted: readonly Pick<Subject, 'kind' | 'id'>[]) {
  if (wanted.length === 0) return
  const made = await makeEach(tx, instanceId, wanted.slice(0, mostAtOnce))
  const leftOut = Math.max(0, wanted.length - mostAtOnce)
  tx.audit({ action: 'ticket.automatic', target: `ticketing-instance:${instanceId}`, detail: { made, leftOut } })
}

/** Those that have a ticket already, or get one from somebody else meanwhile, are left alone. Answers how many were made. */
async function makeEach(
  tx: Transaction,
  instanceId: number,
  subjects: readonly Pick<Subject, 'kind' | 'id'>[],
): Promise<number> {
  const keys = subjects.flatMap(({ kind, id }) => (kind === 'dependency' ? [] : [{ kind, id: Number(id) }]))
  const taken = new Set((await store.ofSubjects(tx, keys)).map(({ kind, id }) => `${kind} ${id}`))
  const made: number[] = []
  for (const key of keys.filter(({ kind, id }) => !taken.has(`${kind} ${id}`))) {
    const id = await store.insertCreating(tx, { instanceId, label: newLabel(), parentKey: '' })
    if ((await store.addSubjects(tx, id, [key])) > 0) made.push(id)
    else await store.removeIfBare(tx, id)
  }
  const lane = laneOf(instanceId)
  await enqueueMany(
    tx,
    made.map((ticketId) => ({ kind: kinds.create, payload: { ticketId }, lane })),
  )
  return made.length
}
