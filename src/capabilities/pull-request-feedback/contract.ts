import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  IdParameter,
  IdString,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const path = '/api/scm/v1/deployments/:deploymentId/code-hosts'
const common = { tag: 'Pull request feedback', stability: 'experimental', security: 'both' } as const
const CodeHostParams = Type.Object({ deploymentId: AnyId, codeHostId: IdParameter })

const Kind = named('CodeHostKind', OneOf(['github', 'gitlab'], 'What it is'))
const ApiUrl = named(
  'CodeHostApiUrl',
  Type.String({
    minLength: 1,
    maxLength: 500,
    description:
      'Where its REST API answers: https://api.github.com, https://HOST/api/v3 of GitHub Enterprise Server, https://gitlab.com/api/v4 or https://HOST/api/v4',
  }),
)
const ownerName = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$',
  description: 'An organization, a user, or a group, for example acme or acme/platform',
})
const Owners = named(
  'CodeHostOwners',
  Type.Array(ownerName, {
    minItems: 1,
    maxItems: 50,
    description: 'Whose repositories it has. Their names here begin with the owner: acme/web',
  }),
)
const Auth = named(
  'CodeHostAuth',
  OneOf(['app', 'token'], 'As an app of GitHub, with check runs; or with a token, with commit statuses'),
)
const AppId = named(
  'CodeHostAppId',
  Type.String({
    maxLength: 100,
    pattern: '^[A-Za-z0-9.]*$',
    description: 'Of an app: its client id or its number; otherwise empty',
  }),
)
const InstallationId = named(
  'CodeHostInstallationId',
  Type.String({ maxLength: 20, pattern: '^[0-9]*$', description: 'Of an app: number of its installation' }),
)
const Credential = named(
  'CodeHostCredential',
  Type.String({
    minLength: 1,
    maxLength: 10_000,
    description: 'The token, or the private key of the app as PEM. Stored encrypted; in no answer',
    writeOnly: true,
  }),
)
const posts = {
  postsStatus: Type.Boolean({ description: 'Sets a check run or commit status' }),
  postsComment: Type.Boolean({ description: 'Keeps one comment up to date' }),
  postsLineComments: Type.Boolean({ description: 'Comments on changed lines' }),
}

export const CodeHost = VersionedObject('CodeHost', {
  id: IdString,
  kind: Kind,
  apiUrl: ApiUrl,
  owners: Owners,
  auth: Auth,
  appId: AppId,
  installationId: InstallationId,
  ...posts,
  account: Type.String({
    description: 'The account that writes the comments; empty until the code host was first asked',
  }),
  webhookUrl: Type.String({ description: 'Where it sends its events' }),
  lastDelivery: {
    ...OrNull(
      NamedObject('FeedbackDelivery', {
        outcome: OneOf(
          ['delivered', 'skipped', 'failed'],
          'Skipped: there was nothing to say, or nobody to say it to; detail says why',
        ),
        detail: Type.String({ description: 'What was said, or why not, and what to do' }),
        repository: Type.String({ description: 'Name of the repository' }),
        pullRequest: Type.Integer({ minimum: 1, description: 'Number of the pull request' }),
        at: Timestamp,
      }),
    ),
    description: 'What came of the last feedback; null where there was none yet',
  },
  lastEventAt: OrNull(Timestamp),
  eventCount: { ...Count, description: 'Events received from it' },
  createdAt: Timestamp,
})
export type CodeHost = Static<typeof CodeHost>

export const NewCodeHost = NamedObject('NewCodeHost', {
  kind: Kind,
  apiUrl: ApiUrl,
  owners: Owners,
  auth: Auth,
  appId: Type.Optional(AppId),
  installationId: Type.Optional(InstallationId),
  credential: Credential,
  postsStatus: Type.Optional({
    ...posts.postsStatus,
    description: 'Sets a check run or commit status; true unless said',
  }),
  postsComment: Type.Optional({ ...posts.postsComment, description: 'Keeps one comment up to date; true unless said' }),
  postsLineComments: Type.Optional({
    ...posts.postsLineComments,
    description: 'Comments on changed lines; true unless said',
  }),
})
export type NewCodeHost = Static<typeof NewCodeHost>

export const CodeHostChanges = NamedObject('CodeHostChanges', {
  apiUrl: Type.Optional(ApiUrl),
  owners: Type.Optional(Owners),
  auth: Type.Optional(Auth),
  appId: Type.Optional(AppId),
  installationId: Type.Optional(InstallationId),
  credential: Type.Optional(Credential),
  postsStatus: Type.Optional(posts.postsStatus),
  postsComment: Type.Optional(posts.postsComment),
  postsLineComments: Type.Optional(posts.postsLineComments),
})
export type CodeHostChanges = Static<typeof CodeHostChanges>

export const CodeHostCheck = NamedObject('CodeHostCheck', {
  ok: Type.Boolean({ description: 'It lets us in' }),
  account: Type.String({ description: 'The account that writes the comments; empty if the credential is refused' }),
  problem: Type.String({ description: 'Why not, and what to do; empty where it does' }),
})
export type CodeHostCheck = Static<typeof CodeHostCheck>

const shownSecret = Type.String({ description: 'What it has to sign its events with. Shown this once' })

export const ConnectedCodeHost = VersionedObject('ConnectedCodeHost', {
  codeHost: CodeHost,
  webhookSecret: shownSecret,
  check: CodeHostCheck,
})
export type ConnectedCodeHost = Static<typeof ConnectedCodeHost>

export const NewWebhookSecret = VersionedObject('CodeHostWebhookSecret', {
  codeHost: CodeHost,
  webhookSecret: shownSecret,
})
export type NewWebhookSecret = Static<typeof NewWebhookSecret>

const OneCodeHost = NamedObject('OneCodeHost', { codeHost: CodeHost })

export const listCodeHosts = endpoint({
  ...common,
  id: 'listCodeHosts',
  summary: 'List code hosts',
  description: 'Where pull requests are commented on. All of the deployment, ordered by id.',
  permission: 'scm-apps:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: Type.Object(pageQuery),
  response: Type.Object({ codeHosts: Type.Array(CodeHost, { description: 'Oldest first' }), ...pageFields }),
  faults: [],
})

export const connectCodeHost = endpoint({
  ...common,
  id: 'connectCodeHost',
  summary: 'Connect a code host',
  description:
    'From then on the pull requests of its owners that are scanned are told what was found. It is stored also where the check fails. The secret of its webhook is shown this once.',
  permission: 'scm-apps:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewCodeHost,
  response: ConnectedCodeHost,
  faults: ['unprocessable'],
  answersSecret: true,
})

export const getCodeHost = endpoint({
  ...common,
  id: 'getCodeHost',
  summary: 'Get a code host',
  description: 'With what was last sent there, and without any secret.',
  permission: 'scm-apps:read',
  method: 'GET',
  path: `${path}/:codeHostId`,
  params: CodeHostParams,
  response: OneCodeHost,
  faults: ['not_found'],
})

export const updateCodeHost = endpoint({
  ...common,
  id: 'updateCodeHost',
  summary: 'Update a code host',
  description:
    'What is left out stays. Another origin, another kind of credential or another app takes the credential again.',
  permission: 'scm-apps:write',
  method: 'PATCH',
  path: `${path}/:codeHostId`,
  params: CodeHostParams,
  body: CodeHostChanges,
  response: OneCodeHost,
  faults: ['not_found', 'unprocessable', 'precondition_failed'],
})

export const checkCodeHost = endpoint({
  ...common,
  id: 'checkCodeHost',
  summary: 'Check a code host',
  description: 'Asks it who we are there, and with an app for its permissions. Nothing is posted.',
  permission: 'scm-apps:write',
  method: 'POST',
  path: `${path}/:codeHostId/check`,
  params: CodeHostParams,
  response: CodeHostCheck,
  faults: ['not_found'],
})

export const replaceCodeHostWebhookSecret = endpoint({
  ...common,
  id: 'replaceCodeHostWebhookSecret',
  summary: 'Make another webhook secret for a code host',
  description: 'Events that are signed with the former one are refused from then on.',
  permission: 'scm-apps:write',
  method: 'POST',
  path: `${path}/:codeHostId/webhook-secret`,
  params: CodeHostParams,
  response: NewWebhookSecret,
  faults: ['not_found', 'precondition_failed'],
  answersSecret: true,
})

export const removeCodeHost = endpoint({
  ...common,
  id: 'removeCodeHost',
  summary: 'Remove a code host',
  description: 'With its credential. What was posted stays there. Answers what it was.',
  permission: 'scm-apps:write',
  method: 'DELETE',
  path: `${path}/:codeHostId`,
  params: CodeHostParams,
  response: OneCodeHost,
  faults: ['not_found', 'precondition_failed'],
})

export const receiveCodeHostEvent = endpoint({
  ...common,
  id: 'receiveCodeHostEvent',
  summary: 'Receive an event of a code host',
  description:
    'For webhooks of GitHub (`X-Hub-Signature-256`) and GitLab (`X-Gitlab-Token`), as JSON. An event that says that a pull request was merged or closed, or a branch deleted, ends it here. Without the right signature or secret the answer is 401, whether the code host exists or not.',
  security: 'none',
  permission: 'anyone',
  method: 'POST',
  path: '/api/scm/v1/code-host-events/:codeHostId',
  params: Type.Object({ codeHostId: IdParameter }),
  body: Type.Record(Type.String(), Type.Unknown(), { maxProperties: 100, description: 'The event' }),
  signed: true,
  response: Type.Object({ received: Type.Boolean({ description: 'Always true' }) }),
  faults: ['unauthenticated'],
})
