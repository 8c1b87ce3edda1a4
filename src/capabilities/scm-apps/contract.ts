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
  Slug,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const path = '/api/scm/deployments/:deploymentId/devops_apps'
const common = { tag: 'Source code management apps', stability: 'experimental', security: 'both' } as const

const statuses = ['SCM_APP_STATUS_PENDING', 'SCM_APP_STATUS_READY'] as const
const ScmAppParams = Type.Object({ deploymentId: AnyId, scmAppId: IdParameter })
const ScmAppId = { ...IdString, description: 'Id of the app' }
const Pem = named(
  'Pem',
  Type.String({ maxLength: 20_000, description: 'The certificate to upload to the app registration, PEM' }),
)

// Letters, digits, dots and hyphens; they become part of an address, so neither begins with a dot.
const principal = { minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9][A-Za-z0-9.-]*$' }
const placeName = { minLength: 1, maxLength: 200, pattern: '^(?![.])[^/\\\\?#%\\u0000-\\u001f\\u007f]+$' }

export const NewDevopsApp = NamedObject('NewDevopsApp', {
  deploymentId: { ...IdString, description: 'Deployment the app is for' },
  baseUrl: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Address of the DevOps service without the organization, for example https://dev.azure.com',
  }),
  tenantId: Type.String({ ...principal, description: "Id or domain of the identity provider's tenant" }),
  clientId: Type.String({ ...principal, description: 'Client id of the app registration' }),
  organizationName: Type.String({ ...placeName, description: 'Organization at the DevOps service' }),
  projectName: Type.String({ ...placeName, description: 'Project in that organization' }),
})
export type NewDevopsApp = Static<typeof NewDevopsApp>

export const MadeDevopsApp = NamedObject('CreatedDevopsApp', { scmAppId: ScmAppId, publicCertificatePem: Pem })
export type MadeDevopsApp = Static<typeof MadeDevopsApp>

const installed = {
  id: ScmAppId,
  slug: Slug,
  appId: Type.String({ description: 'Client id of the app registration' }),
  scmType: OneOf(['SCM_TYPE_DEVOPS'], 'Kind of service'),
  baseUrl: Type.String({ description: 'Address of the DevOps service' }),
  tenantId: Type.String({ description: "The identity provider's tenant" }),
  status: OneOf(statuses, 'Pending until a completion has worked, then ready'),
}
export const InstalledApp = VersionedObject('InstalledDevopsApp', installed)
export type InstalledApp = Static<typeof InstalledApp>

const Certificate = NamedObject('DevopsAppCertificate', {
  publicCertificatePem: Pem,
  fingerprint: Type.String({ description: 'SHA-256 of the certificate, hexadecimal' }),
  expiresAt: Timestamp,
  accepted: Type.Boolean({ description: 'Whether the identity provider has accepted it in a completion' }),
})

export const ScmApp = VersionedObject('DevopsApp', {
  ...installed,
  organizationName: Type.String({ description: 'Organization at the DevOps service' }),
  projectName: Type.String({ description: 'Project in that organization' }),
  certificates: Type.Array(Certificate, { description: 'The one in use and, after a rotation, the one that waits' }),
  certificateExpiresAt: { ...Timestamp, description: 'When the certificate in use expires' },
  expiresSoon: Type.Boolean({ description: 'It expires within 30 days, or has expired: rotate it' }),
  lastFailure: OrNull(
    Type.Object(
      {
        step: Type.String({ description: 'certificate, token, organization, project or webhooks' }),
        detail: Type.String({ description: 'Why, in words' }),
        at: Timestamp,
      },
      { description: 'The last completion, if it failed' },
    ),
  ),
  lastEventAt: OrNull(Timestamp),
  eventCount: { ...Count, description: 'Events received from the DevOps service' },
  createdAt: Timestamp,
})
export type ScmApp = Static<typeof ScmApp>

export const createDevopsApp = endpoint({
  ...common,
  id: 'createDevopsApp',
  summary: 'Create a DevOps app with a service principal',
  description:
    'Makes a key pair and a certificate. Upload the certificate to the app registration, then complete the installation. The private key never leaves.',
  permission: 'scm-apps:write',
  deploymentIn: 'body',
  method: 'POST',
  path: '/api/scm/devops_app',
  params: Type.Object({}),
  body: NewDevopsApp,
  response: MadeDevopsApp,
  faults: ['not_found'],
})

export const completeDevopsApp = endpoint({
  ...common,
  id: 'completeDevopsApp',
  summary: 'Complete the installation of a DevOps app',
  description:
    'Gets a token with the newest certificate, checks organization and project, and registers webhooks. May be repeated at any time. A failure is 422, names the step (certificate, token, organization, project, webhooks) and leaves the app as it was.',
  permission: 'scm-apps:write',
  deploymentIn: 'body',
  method: 'PUT',
  path: '/api/scm/devops_app_install',
  params: Type.Object({}),
  body: Type.Object({
    deploymentId: { ...IdString, description: 'Deployment the app is for' },
    scmAppId: ScmAppId,
  }),
  response: Type.Object({ app: InstalledApp }),
  faults: ['not_found', 'conflict', 'unprocessable', 'precondition_failed'],
})

export const listDevopsApps = endpoint({
  ...common,
  id: 'listDevopsApps',
  summary: 'List DevOps apps',
  description: 'All of the deployment, ordered by id.',
  permission: 'scm-apps:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: Type.Object(pageQuery),
  response: Type.Object({ apps: Type.Array(ScmApp, { description: 'Oldest first' }), ...pageFields }),
  faults: [],
})

export const getDevopsApp = endpoint({
  ...common,
  id: 'getDevopsApp',
  summary: 'Get a DevOps app',
  description: 'What is known about it, without any key.',
  permission: 'scm-apps:read',
  method: 'GET',
  path: `${path}/:scmAppId`,
  params: ScmAppParams,
  response: Type.Object({ app: ScmApp }),
  faults: ['not_found'],
})

export const rotateDevopsAppCertificate = endpoint({
  ...common,
  id: 'rotateDevopsAppCertificate',
  summary: 'Rotate the certificate of a DevOps app',
  description:
    'Makes a new certificate. The one in use stays in use until a completion has worked with the new one; a new one that was never used is replaced.',
  permission: 'scm-apps:write',
  method: 'POST',
  path: `${path}/:scmAppId/certificate`,
  params: ScmAppParams,
  response: MadeDevopsApp,
  faults: ['not_found', 'precondition_failed'],
})

export const deleteDevopsApp = endpoint({
  ...common,
  id: 'deleteDevopsApp',
  summary: 'Delete a DevOps app',
  description: 'With its keys, and with its webhooks if the DevOps service lets us.',
  permission: 'scm-apps:write',
  method: 'DELETE',
  path: `${path}/:scmAppId`,
  params: ScmAppParams,
  response: Type.Object({
    app: ScmApp,
    webhooksRemoved: Type.Boolean({
      description: 'False: webhooks may be left at the DevOps service; they are refused',
    }),
  }),
  faults: ['not_found', 'conflict', 'precondition_failed'],
})

export const receiveDevopsEvent = endpoint({
  ...common,
  id: 'receiveDevopsEvent',
  summary: 'Receive an event of a DevOps service',
  description:
    'For the webhooks that a completion registers. An event that says that a pull request was completed or abandoned, or a branch deleted, ends it here, in the repository project/name, or else organization/project/name. They carry their secret as the password of HTTP Basic authentication; without it the answer is 401, whether the app exists or not.',
  security: 'none',
  permission: 'anyone',
  method: 'POST',
  path: '/api/scm/devops_app_webhook/:scmAppId',
  params: Type.Object({ scmAppId: IdParameter }),
  body: Type.Record(Type.String(), Type.Unknown(), { maxProperties: 100, description: 'The event' }),
  response: Type.Object({ received: Type.Boolean({ description: 'Always true' }) }),
  faults: ['unauthenticated'],
})
