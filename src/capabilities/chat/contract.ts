import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { Cursor, pageFields } from '../../kernel/contract/pagination.ts'
import { DeploymentParams, Id, named, VersionedObject } from '../../kernel/contract/schema.ts'

const path = '/api/agent/deployments/:deploymentId/chat'
const common = { tag: 'Chat', stability: 'experimental', security: 'both' } as const

const text = (description: string) => Type.String({ maxLength: 500, description })

export const ChatInstallation = VersionedObject('ChatInstallation', {
  deployment_id: Id,
  client_id: text('The app at the chat service, as its OAuth client'),
  app_id: text('The app at the chat service'),
  enterprise_name: text('The organisation it is installed in; empty for a workspace without one'),
  enterprise_url: text('Address of the organisation; empty unless it is installed for the whole of it'),
  team_name: text('The workspace it is installed in; empty if it is installed for a whole organisation'),
  update_available: Type.Boolean({
    description: 'Installing it again would give it something it lacks: a permission it needs now, or the app set now',
  }),
  archived: Type.Boolean({ description: 'It was uninstalled, or the chat service took its access back' }),
})
export type ChatInstallation = Static<typeof ChatInstallation>

// Given by the chat service as it likes; what stands in it is shown to nobody.
const Once = (description: string) =>
  Type.String({ minLength: 1, maxLength: 1000, pattern: '^[!-~]+$', description, writeOnly: true })

export const getChatInstallation = endpoint({
  ...common,
  id: 'getChatInstallation',
  summary: 'Get the chat app installation',
  description: 'Takes only the JSON Web Token of a signed-in user. Where the app was never installed: 404.',
  security: 'jwt',
  permission: 'chat:read',
  method: 'GET',
  path: `${path}/installations`,
  params: DeploymentParams,
  response: ChatInstallation,
  faults: ['not_found'],
})

export const getChatInstallUrl = endpoint({
  ...common,
  id: 'getChatInstallUrl',
  summary: 'Get the address that starts the installation of the chat app',
  description:
    'Open it in a browser. The chat service then sends the browser on with a `state` and a `code`, which complete the installation within ten minutes, once, for the same user and deployment. Without an app in the settings: 409, naming them.',
  permission: 'chat:write',
  method: 'GET',
  path: `${path}/install`,
  params: DeploymentParams,
  response: Type.Object({
    redirect_url: Type.String({ maxLength: 4000, description: 'Where the installation starts, at the chat service' }),
  }),
  faults: ['not_configured'],
  answersSecret: true,
})

export const completeChatInstallation = endpoint({
  ...common,
  id: 'completeChatInstallation',
  summary: 'Complete the installation of the chat app',
  description:
    'Exchanges the code for access. If a step fails, the answer says which and nothing is installed; start again with a new address.',
  permission: 'chat:write',
  method: 'POST',
  path: `${path}/oauth/callback`,
  params: DeploymentParams,
  body: Type.Object({
    state: Once('As it came with the redirect'),
    code: Once('As it came with the redirect'),
  }),
  response: ChatInstallation,
  faults: ['not_configured', 'unprocessable'],
})

export const uninstallChat = endpoint({
  ...common,
  id: 'uninstallChat',
  summary: 'Uninstall the chat app',
  description:
    'Asks the chat service to take the access back and forgets it here, whatever the chat service says. What was installed stays to be seen, as archived.',
  permission: 'chat:write',
  method: 'DELETE',
  path: `${path}/installations`,
  params: DeploymentParams,
  response: Type.Object({
    installation: ChatInstallation,
    revoked: Type.Boolean({
      description: 'The chat service confirmed it. If not, remove the app there by hand: its access may still work',
    }),
  }),
  faults: ['not_found', 'conflict', 'precondition_failed'],
})

const ChannelId = named(
  'ChannelId',
  Type.String({
    minLength: 2,
    maxLength: 40,
    pattern: '^[A-Z0-9]+$',
    description: 'Id of a channel at the chat service',
  }),
)

const fromOutside = ['not_found', 'conflict', 'not_configured', 'unprocessable', 'too_many_requests'] as const

// For whoever looks after the installation: names of private channels are among them.
export const listChatChannels = endpoint({
  ...common,
  id: 'listChatChannels',
  summary: 'List channels of the chat service',
  description:
    'Public ones, and the private ones that the app was invited to, without archived ones. Asked from the chat service each time.',
  permission: 'chat:write',
  method: 'GET',
  path: `${path}/channels`,
  params: DeploymentParams,
  query: Type.Object({
    pageSize: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'Most entries a page, 1 to 1000; 200 by default' }),
    ),
    cursor: Type.Optional(Cursor),
    team: Type.Optional(
      Type.String({
        maxLength: 40,
        pattern: '^[A-Z0-9]+$',
        description: 'Id of the workspace; only for an app that is installed for a whole organisation, and then needed',
      }),
    ),
  }),
  response: Type.Object({
    channels: Type.Array(
      Type.Object({
        id: ChannelId,
        name: text('Its name, without #'),
        is_private: Type.Boolean({ description: 'Only its members see it' }),
        is_member: Type.Boolean({ description: 'The app is in it' }),
      }),
      { description: 'In the order of the chat service; a page may have fewer than asked for' },
    ),
    ...pageFields,
  }),
  faults: fromOutside,
})
export type ChannelPage = Static<typeof listChatChannels.response>

export const sendChatTestMessage = endpoint({
  ...common,
  id: 'sendChatTestMessage',
  summary: 'Send a test message to a channel',
  description: 'Says in the channel that Gatehouse can reach it. The app must have been invited to the channel.',
  permission: 'chat:write',
  method: 'POST',
  path: `${path}/test-message`,
  params: DeploymentParams,
  body: Type.Object({ channel: ChannelId }),
  response: Type.Object({
    channel: ChannelId,
    message: text("The message's id in its channel, as the chat service gave it"),
  }),
  faults: fromOutside,
})
export type SentMessage = Static<typeof sendChatTestMessage.response>
