import type { SealedField } from '../key-ring.ts'

/** A column that holds sealed values. Its values are bound to their row by `prefix` and id, and to the column by `field`. */
export type SealedColumn = {
  table: string
  column: string
  idType: 'bigint' | 'text'
  /** Whose key seals it: that of the deployment the row belongs to, or the one of the whole instance. */
  scope: 'deployment' | 'instance'
  prefix: string
  field: string
}

/**
 * Every column of type `sealed_value`: what seals into it takes its place from here, and a rotation of keys finds it here.
 * A test compares this with the database.
 */
export const sealedColumns = {
  signingKey: {
    table: 'signing_key',
    column: 'sealed_private_key',
    idType: 'text',
    scope: 'instance',
    prefix: '',
    field: 'private-key',
  },
  totpSecret: {
    table: 'totp_factor',
    column: 'secret',
    idType: 'bigint',
    scope: 'instance',
    prefix: 'totp-of-person:',
    field: 'secret',
  },
  totpSetup: {
    table: 'totp_setup',
    column: 'secret',
    idType: 'bigint',
    scope: 'instance',
    prefix: 'totp-of-person:',
    field: 'setup',
  },
  packageManagerCredentials: {
    table: 'package_manager_config',
    column: 'credentials',
    idType: 'bigint',
    scope: 'deployment',
    prefix: 'package-manager-config:',
    field: 'credentials',
  },
  scmAppPrivateKey: {
    table: 'scm_app_certificate',
    column: 'private_key',
    idType: 'bigint',
    scope: 'deployment',
    prefix: 'scm-app-certificate:',
    field: 'private-key',
  },
  scmAppWebhookSecret: {
    table: 'scm_app',
    column: 'webhook_secret',
    idType: 'bigint',
    scope: 'deployment',
    prefix: 'scm-app:',
    field: 'webhook-secret',
  },
  codeHostCredential: {
    table: 'code_host',
    column: 'credential',
    idType: 'bigint',
    scope: 'deployment',
    prefix: 'code-host:',
    field: 'credential',
  },
  codeHostWebhookSecret: {
    table: 'code_host',
    column: 'webhook_secret',
    idType: 'bigint',
    scope: 'deployment',
    prefix: 'code-host:',
    field: 'webhook-secret',
  },
  chatBotToken: {
    table: 'chat_installation',
    column: 'bot_token',
    idType: 'bigint',
    scope: 'deployment',
    prefix: 'chat-installation:',
    field: 'bot-token',
  },
  ticketingApiToken: {
    table: 'ticketing_instance',
    column: 'api_token',
    idType: 'bigint',
    scope: 'deployment',
    prefix: 'ticketing-instance:',
    field: 'api-token',
  },
  automationActionSecret: {
    table: 'automation_action',
    column: 'secret',
    idType: 'bigint',
    scope: 'deployment',
    prefix: 'automation-action:',
    field: 'secret',
  },
  cloudsecClientSecret: {
    table: 'cloudsec_credential',
    column: 'client_secret',
    idType: 'bigint',
    scope: 'deployment',
    prefix: 'cloudsec-credential:',
    field: 'client-secret',
  },
  signInClientSecret: {
    table: 'sign_in_provider',
    column: 'client_secret',
    idType: 'bigint',
    scope: 'deployment',
    prefix: 'sign-in-provider:',
    field: 'client-secret',
  },
  auditStreamSecret: {
    table: 'audit_stream',
    column: 'secret',
    idType: 'text',
    scope: 'deployment',
    prefix: 'audit-stream:',
    field: 'secret',
  },
} as const satisfies Record<string, SealedColumn>

export function sealedFieldOf({ prefix, field }: SealedColumn, id: number | string): SealedField {
  return { record: `${prefix}${id}`, field }
}
