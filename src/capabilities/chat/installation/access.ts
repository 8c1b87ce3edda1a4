import { textIn } from '../../../outbound/client/text-in.ts'
import type { ChatApi } from '../messages/chat-api.ts'
import { ChatError } from '../messages/chat-error.ts'
import type { InstallationFields } from '../store.ts'
import type { ChatApp } from './app.ts'

/** What the exchange of a code gave. */
export type Access = { token: string; fields: InstallationFields }

/** Exchanges a code for a bot token (RFC 6749 §4.1.3). */
export async function exchange(api: ChatApi, app: ChatApp, code: string, redirectUri: string): Promise<Access> {
  const basic = `${encodeURIComponent(app.clientId)}:${encodeURIComponent(app.clientSecret)}`
  const authorization = `Basic ${Buffer.from(basic).toString('base64')}`
  const answer = await api.call('oauth.v2.access', authorization, { code, redirect_uri: redirectUri })
  const token = answer.access_token
  if (answer.token_type !== 'bot' || typeof token !== 'string' || !/^[!-~]{1,1000}$/.test(token)) {
    throw new ChatError('refused', 'The chat service gave no bot token; the app there needs a bot user.')
  }
  if (answer.refresh_token !== undefined || answer.expires_in !== undefined) {
    throw new ChatError('refused', 'The token would expire; switch token rotation off for the app at the chat service.')
  }
  const fields = {
    providerUrl: app.url,
    clientId: app.clientId,
    appId: textIn(answer, 'app_id'),
    teamId: textIn(answer.team, 'id'),
    teamName: textIn(answer.team, 'name'),
    enterpriseName: textIn(answer.enterprise, 'name'),
    enterpriseUrl: '',
    isOrgWide: answer.is_enterprise_install === true,
    scopes: textIn(answer, 'scope').split(',').filter(Boolean).sort(),
  }
  return { token, fields }
}

/** Tries the token out. Only for a whole organisation is the address it answers that of the organisation. */
export async function tryOut(api: ChatApi, { token, fields }: Access): Promise<InstallationFields> {
  const answer = await api.call('auth.test', bearer(token))
  return fields.isOrgWide ? { ...fields, enterpriseUrl: textIn(answer, 'url') } : fields
}

/** Whether the chat service says that the token is of no use any more. */
export async function revoke(api: ChatApi, token: string): Promise<boolean> {
  try {
    return (await api.call('auth.revoke', bearer(token))).revoked === true
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    return error.reason === 'revoked'
  }
}

export function bearer(token: string): string {
  return `Bearer ${token}`
}
