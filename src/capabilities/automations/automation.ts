import Type, { type Static } from 'typebox'
import { triageReasons, triageStates } from '../../domain/triage.ts'
import { triggerSources } from '../../domain/trigger-event.ts'
import {
  Email,
  IdString,
  Name,
  NamedObject,
  named,
  OneOf,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'
import { conditionTypeNames, ruleFor } from './rules/condition-types.ts'
import { modes } from './rules/evaluate.ts'

export const actionTypes = [
  'ACTION_TYPE_BLOCK',
  'ACTION_TYPE_TRIAGE',
  'ACTION_TYPE_WEBHOOK',
  'ACTION_TYPE_EMAIL',
  'ACTION_TYPE_TICKET',
  'ACTION_TYPE_CHAT',
  'ACTION_TYPE_CLOUDSEC',
] as const
export type ActionType = (typeof actionTypes)[number]

export const Description = named(
  'AutomationDescription',
  Type.String({ maxLength: 2_000, description: 'What it is for' }),
)
export const Trigger = named('TriggerSource', OneOf(triggerSources, 'What sets it off'))
const Kind = named('ActionType', OneOf(actionTypes, 'What is done'))

const Condition = NamedObject('AutomationCondition', {
  mode: OneOf(modes, 'ALL: each of the values is what it has; ANY: at least one; NONE: not one'),
  type: OneOf(
    conditionTypeNames,
    `What is looked at. ${conditionTypeNames.map((name) => `${name}: ${ruleFor(name).description}`).join('. ')}`,
  ),
  values: Type.Array(Type.String({ minLength: 1, maxLength: 500, description: 'One value' }), {
    minItems: 1,
    maxItems: 500,
    description: 'What it is compared with',
  }),
})

export const AutomationFilters = NamedObject('AutomationFilters', {
  mode: OneOf(modes, 'ALL: each of the conditions holds; ANY: at least one; NONE: not one'),
  conditions: Type.Array(Condition, { maxItems: 50, description: 'None with MODE_ALL: it is about everything' }),
})

const shownFields = {
  triageState: Type.Optional(OneOf(triageStates, 'TRIAGE: the state it decides on')),
  triageReason: Type.Optional(OneOf(triageReasons, 'TRIAGE: the reason; none by default')),
  to: Type.Optional(Type.Array(Email, { minItems: 1, maxItems: 20, description: 'EMAIL: who gets it' })),
  channel: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, pattern: '^\\S+$', description: 'CHAT: id of the channel' }),
  ),
  ticketingInstanceId: Type.Optional(IdString),
  cloudsecCredentialId: Type.Optional(IdString),
}

/** What is shown of an action's settings: no secret, and of a webhook's address only where it leads. */
export type ShownConfig = Omit<SentConfig, 'url' | 'secret'> & { origin?: string }

const ShownSettings = named(
  'ActionSettings',
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'What it was given, without secrets; of a webhook only the `origin` of its address',
  }),
)

export const SentConfig = NamedObject(
  'ActionConfig',
  {
    ...shownFields,
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        writeOnly: true,
        description: 'WEBHOOK: https; it may hold secrets, so it is stored encrypted and only its origin is shown',
      }),
    ),
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        writeOnly: true,
        description: 'WEBHOOK: the signing key, whsec_ and base64 of 24 to 64 bytes; stored encrypted, in no answer',
      }),
    ),
  },
  { description: 'What the type of the action needs' },
)
export type SentConfig = Static<typeof SentConfig>

const ShownAction = NamedObject('AutomationAction', { type: Kind, config: ShownSettings, id: IdString })

export const SentAction = NamedObject('NewAutomationAction', {
  id: Type.Optional(IdString),
  type: Kind,
  config: Type.Optional(SentConfig),
})
export type SentAction = Static<typeof SentAction>

const Author = named(
  'AutomationAuthor',
  Type.String({ description: 'E-mail address of who it was; of one who has left, their address then' }),
)

export const Automation = VersionedObject('Automation', {
  id: IdString,
  name: Name,
  description: Description,
  active: Type.Boolean({ description: 'Whether it does anything' }),
  createdBy: Author,
  updatedBy: Author,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  internalOnly: Type.Boolean({ description: 'Made and kept by Gatehouse itself; none is' }),
  triggerSource: Trigger,
  filters: AutomationFilters,
  actions: Type.Array(ShownAction, { description: 'In the order in which they were given' }),
})
export type Automation = Static<typeof Automation>
