import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import {
  AnyId,
  DeploymentParams,
  Id,
  IdString,
  NamedObject,
  named,
  OneOf,
  Timestamp,
  VersionedObject,
} from '../../../kernel/contract/schema.ts'

const path = '/api/agent/deployments/:deploymentId/chat/subscriptions'
const common = { tag: 'Chat', stability: 'experimental', security: 'both' } as const

const chatEvents = [
  'CHAT_EVENT_NEW_FINDINGS',
  'CHAT_EVENT_ISSUE_TRIAGED',
  'CHAT_EVENT_SUPPLY_CHAIN_INCIDENT',
  'CHAT_EVENT_SCAN_BLOCKED',
  'CHAT_EVENT_TOKENS_EXPIRE',
  'CHAT_EVENT_FIREWALL_REFUSED',
  'CHAT_EVENT_FIREWALL_EXCEPTION',
] as const
export type ChatEvent = (typeof chatEvents)[number]

const severities = ['SEVERITY_INFO', 'SEVERITY_LOW', 'SEVERITY_MEDIUM', 'SEVERITY_HIGH', 'SEVERITY_CRITICAL'] as const
const products = ['PRODUCT_TYPE_SAST', 'PRODUCT_TYPE_SCA', 'PRODUCT_TYPE_SECRETS', 'PRODUCT_TYPE_AI'] as const

const ChannelId = named(
  'ChannelId',
  Type.String({
    minLength: 2,
    maxLength: 40,
    pattern: '^[A-Z0-9]+$',
    description: 'Id of a channel at the chat service',
  }),
)
const Events = named(
  'ChatEvents',
  Type.Array(OneOf(chatEvents, 'Something that may happen'), {
    minItems: 1,
    maxItems: chatEvents.length,
    description:
      'What the channel gets messages about: new findings of a default branch, issues that were triaged, packages in use that turned out to be malicious, scans that an automation blocked, tokens of service accounts that expire soon, packages that the firewall refuses for the first time in a day, exceptions that are asked for, decided or ended',
  }),
)
const Severities = named(
  'ChatSeverities',
  Type.Array(OneOf(severities, 'A severity'), {
    maxItems: severities.length,
    description: 'Only findings and issues of these severities; empty: all',
  }),
)
const Products = named(
  'ChatProducts',
  Type.Array(OneOf(products, 'A product'), {
    maxItems: products.length,
    description: 'Only findings of these products; empty: all',
  }),
)
const RepositoryIds = named(
  'ChatRepositoryIds',
  Type.Array(IdString, {
    maxItems: 500,
    description: 'Only what happens in these repositories; empty: all, and what belongs to none',
  }),
)

export const ChatSubscription = VersionedObject('ChatSubscription', {
  id: Id,
  channel: ChannelId,
  channelName: Type.String({ maxLength: 500, description: 'Its name when it was subscribed, without #' }),
  events: Events,
  severities: Severities,
  products: Products,
  repositoryIds: RepositoryIds,
  createdAt: Timestamp,
})
export type ChatSubscription = Static<typeof ChatSubscription>

const Wishes = {
  events: Type.Optional(Events),
  severities: Type.Optional(Severities),
  products: Type.Optional(Products),
  repositoryIds: Type.Optional(RepositoryIds),
}
const NewChatSubscription = NamedObject('NewChatSubscription', { channel: ChannelId, ...Wishes, events: Events })
export type NewChatSubscription = Static<typeof NewChatSubscription>
const ChatSubscriptionChanges = NamedObject('ChatSubscriptionChanges', Wishes)
export type ChatSubscriptionChanges = Static<typeof ChatSubscriptionChanges>

const OneParams = Type.Object({ deploymentId: AnyId, subscriptionId: Id })
const OneSubscription = NamedObject('OneSubscription', { subscription: ChatSubscription })

export const listChatSubscriptions = endpoint({
  ...common,
  id: 'listChatSubscriptions',
  summary: 'List subscriptions of channels',
  description: 'One for each channel, with the events that it is about.',
  permission: 'chat:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  response: Type.Object({
    subscriptions: Type.Array(ChatSubscription, { description: 'One for each channel, ordered by id; at most 500' }),
  }),
  faults: [],
})

export const createChatSubscription = endpoint({
  ...common,
  id: 'createChatSubscription',
  summary: 'Subscribe a channel',
  description: 'The chat service is asked whether there is such a channel that the app may post to.',
  permission: 'chat:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewChatSubscription,
  response: OneSubscription,
  faults: ['not_found', 'conflict', 'not_configured', 'unprocessable', 'unknown_repository', 'too_many_requests'],
})

export const updateChatSubscription = endpoint({
  ...common,
  id: 'updateChatSubscription',
  summary: 'Change the subscription of a channel',
  description: 'What is left out stays.',
  permission: 'chat:write',
  method: 'PATCH',
  path: `${path}/:subscriptionId`,
  params: OneParams,
  body: ChatSubscriptionChanges,
  response: OneSubscription,
  faults: ['not_found', 'unknown_repository', 'precondition_failed'],
})

export const deleteChatSubscription = endpoint({
  ...common,
  id: 'deleteChatSubscription',
  summary: 'Unsubscribe a channel',
  description: 'The channel gets no more messages. Answers what the subscription was.',
  permission: 'chat:write',
  method: 'DELETE',
  path: `${path}/:subscriptionId`,
  params: OneParams,
  response: OneSubscription,
  faults: ['not_found', 'precondition_failed'],
})
