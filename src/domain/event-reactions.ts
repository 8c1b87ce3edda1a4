import type { Transaction } from '../kernel/database/database.ts'
import type {
  ExpectedPlace,
  Expecting,
  Fire,
  FireResult,
  Subject,
  TriggerEvent,
  TriggerSource,
} from './trigger-event.ts'

/** What a capability does of its own about an event, in its transaction and after automations have had their say. */
export type Reaction = ((tx: Transaction, event: TriggerEvent, outcome: FireResult) => Promise<void>) & Expecting

/** Lets others take part in events beside automations. What the event is about is read once for all of them. */
export function withReactions(reactions: readonly Reaction[], fire: Fire): Fire {
  const expect = (tx: Transaction, source: TriggerSource, where: ExpectedPlace) => {
    for (const one of [fire, ...reactions]) one.expect?.(tx, source, where)
  }
  const fireAll: Fire = async (tx, event) => {
    let read: Promise<Subject[]> | undefined
    const shared: TriggerEvent = {
      ...event,
      subjects(db) {
        read ??= event.subjects(db)
        return read
      },
    }
    const outcome = await fire(tx, shared)
    for (const react of reactions) await react(tx, shared, outcome)
    return outcome
  }
  return Object.assign(fireAll, { expect })
}
