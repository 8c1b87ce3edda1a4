import { Fault } from '../../../kernel/contract/fault.ts'

/** Our app at the chat service, as the operator registered it there. */
export type ChatApp = { clientId: string; clientSecret: string; url: string }
export type ChatAppSettings = { clientId: string | undefined; clientSecret: string | undefined; url: string }

/** What the app needs to list channels and to post to them, also to public ones it was not invited to. */
export const neededScopes = ['channels:read', 'groups:read', 'chat:write', 'chat:write.public']

export function configuredApp({ clientId, clientSecret, url }: ChatAppSettings): ChatApp {
  if (clientId && clientSecret) return { clientId, clientSecret, url }
  const missing = [
    ...(clientId ? [] : ['GATEHOUSE_CHAT_CLIENT_ID']),
    ...(clientSecret ? [] : ['GATEHOUSE_CHAT_CLIENT_SECRET']),
  ]
  throw new Fault('not_configured', `The chat app needs the settings ${missing.join(' and ')}.`)
}

/** Where the browser goes to install the app (RFC 6749 §4.1.1). */
export function authorizeUrl(app: ChatApp, redirectUri: string, state: string): string {
  const query = { client_id: app.clientId, scope: neededScopes.join(','), redirect_uri: redirectUri, state }
  return `${app.url}/oauth/v2/authorize?${new URLSearchParams(query)}`
}

/** Whether installing again would change something: a permission is lacking, or the settings name another app by now. */
export function isOutdated(
  installed: { scopes: string[]; clientId: string; providerUrl: string },
  now: ChatAppSettings,
): boolean {
  if (!neededScopes.every((scope) => installed.scopes.includes(scope))) return true
  return now.clientId !== undefined && (now.clientId !== installed.clientId || now.url !== installed.providerUrl)
}
