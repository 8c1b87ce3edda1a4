import type { TriggerSource } from '../../../domain/trigger-event.ts'
import { Fault, type FieldError } from '../../../kernel/contract/fault.ts'
import type { ActionType, SentAction } from '../automation.ts'
import { actionErrors } from './check-action.ts'
import { filterErrors } from './check-filters.ts'
import type { Filters } from './evaluate.ts'

/** What this Gatehouse can carry out, and the settings that something else would need. */
export type Abilities = { performs(type: ActionType): boolean; needs(type: ActionType): string | undefined }

type Sent = { triggerSource: TriggerSource; filters: Filters; actions: readonly SentAction[] }

/** Throws a Fault that points to each thing that is wrong. 'any': the actions are stored already and not looked at again. */
export function requireSound({ triggerSource, filters, actions }: Sent, abilities: Abilities | 'any'): void {
  const errors = filterErrors(filters)
  if (abilities !== 'any') errors.push(...actions.flatMap((action, at) => actionErrors(action, `/actions/${at}`)))
  if (errors.length > 0)
    throw new Fault('validation_failed', 'The automation cannot be used; errors says why.', { errors })
  const types = actions.map(({ type }) => type)
  requireBlockable(triggerSource, types)
  requireTellable(triggerSource, types)
  if (abilities !== 'any') requireAble(types, abilities)
}

/** There must be somebody who waits for the answer. */
function requireBlockable(source: TriggerSource, types: readonly ActionType[]): void {
  const errors = pointTo(types, (type) => type === 'ACTION_TYPE_BLOCK', 'is only possible with TRIGGER_SOURCE_SCAN')
  if (source !== 'TRIGGER_SOURCE_SCAN' && errors.length > 0) {
    throw new Fault('unprocessable', 'Only a scan can be blocked.', { errors })
  }
}

const firewallSources: readonly TriggerSource[] = [
  'TRIGGER_SOURCE_FIREWALL_REFUSED',
  'TRIGGER_SOURCE_FIREWALL_EXCEPTION',
]
const messages: readonly ActionType[] = ['ACTION_TYPE_WEBHOOK', 'ACTION_TYPE_EMAIL', 'ACTION_TYPE_CHAT']

/** What the firewall refuses is no finding and no issue: it can be told, and nothing else. */
function requireTellable(source: TriggerSource, types: readonly ActionType[]): void {
  if (!firewallSources.includes(source)) return
  const errors = pointTo(types, (type) => !messages.includes(type), `is not possible with ${source}`)
  if (errors.length > 0)
    throw new Fault(
      'unprocessable',
      `An automation with the trigger ${source} can only send webhooks, e-mails and messages.`,
      {
        errors,
      },
    )
}

function requireAble(types: readonly ActionType[], { performs, needs }: Abilities): void {
  for (const type of types) {
    const settings = needs(type)
    if (settings !== undefined) throw new Fault('not_configured', `${type} needs ${settings}.`)
  }
  const errors = pointTo(types, (type) => !performs(type), 'cannot be carried out by this Gatehouse')
  if (errors.length > 0) throw new Fault('unprocessable', 'An action cannot be carried out here.', { errors })
}

function pointTo(types: readonly ActionType[], wrong: (type: ActionType) => boolean, detail: string): FieldError[] {
  return types.flatMap((type, at) =>
    wrong(type) ? [{ pointer: `/actions/${at}/type`, detail: `${type} ${detail}` }] : [],
  )
}
