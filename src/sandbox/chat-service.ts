import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../kernel/time/clock.ts'
import { type SandboxAnswer, type SandboxRequest, startLocalServer } from './local-server.ts'
import { sandboxPage, shown } from './sandbox-page.ts'

export type Workspace = {
  team: { id: string; name: string } | null
  enterprise: { id: string; name: string } | null
  /** Of the workspace, or of the organisation where there is no workspace. */
  url: string
}
export type Channel = { id: string; name: string; is_private: boolean; is_member: boolean; is_archived: boolean }

type Grant = { redirectUri: string; scope: string; workspace: Workspace; expiresAt: number }

const codeMs = 10 * 60 * 1000
const app = { id: 'A0SANDBOX', clientId: '1111.2222', clientSecret: 'sandbox-chat-client-secret' }
const oneWorkspace: Workspace = {
  team: { id: 'T0SANDBOX', name: 'Sandbox' },
  enterprise: null,
  url: 'https://sandbox.example.com/',
}

/**
 * A chat service in the manner of Slack: OAuth v2 for one app, and the part of the Web API that Gatehouse uses. Bot tokens
 * are per workspace: installing again gives the same one.
 */
export async function startChatService({ clock = systemClock, port = 0 }: { clock?: Clock; port?: number } = {}) {
  const codes = new Map<string, Grant>()
  const tokens = new Map<string, { scope: string; workspace: Workspace }>()
  const messages: { channel: string; text: string; team: string; id: string; ts: string }[] = []
  const channels: Channel[] = []
  const control: {
    /** In place of the answer, if it gives one. */
    trouble?: ((method: string) => SandboxAnswer | Promise<SandboxAnswer> | undefined) | undefined
    /** In place of the answer, after everything happened. */
    lostAnswer?: ((method: string) => SandboxAnswer | undefined) | undefined
    /** Merged into what `oauth.v2.access` answers. */
    moreAccess?: Record<string, unknown> | undefined
  } = {}
  const server = await startLocalServer(answer, port)

  /** What somebody does in the browser: opens the address, agrees, and is sent back with this. */
  function approve(redirectUrl: string, workspace: Workspace = oneWorkspace): { state: string; code: string } {
    const url = new URL(redirectUrl)
    const [clientId, scope, redirectUri, state] = ['client_id', 'scope', 'redirect_uri', 'state'].map(
      (name) => url.searchParams.get(name) ?? '',
    ) as [string, string, string, string]
    if (url.origin !== server.url || url.pathname !== '/oauth/v2/authorize') throw new Error('not our address')
    if (clientId !== app.clientId || !scope || !redirectUri || !state)
      throw new Error('the sandbox shows an error page')
    const code = randomBytes(16).toString('hex')
    codes.set(code, { redirectUri, scope, workspace, expiresAt: clock.now().getTime() + codeMs })
    return { state, code }
  }

  /** A browser that opens the address agrees to everything and is sent back. */
  function agreed(query: URLSearchParams): SandboxAnswer {
    const back = new URL(query.get('redirect_uri') ?? server.url)
    const { state, code } = approve(`${server.url}/oauth/v2/authorize?${query}`)
    back.searchParams.set('state', state)
    back.searchParams.set('code', code)
    return { status: 302, headers: { location: back.href } }
  }

  function answer(request: SandboxRequest): SandboxAnswer | Promise<SandboxAnswer> {
    const [folder, method = ''] = request.path
    const trouble = control.trouble?.(method)
    if (trouble) return trouble
    if (request.method === 'GET' && request.path.join('/') === 'oauth/v2/authorize') return agreed(request.query)
    if (request.method === 'GET' && request.path.length === 0) return messagesPage()
    if (folder !== 'api' || request.method !== 'POST') return { status: 404 }
    const form = new URLSearchParams(request.body)
    if (method === 'oauth.v2.access') return { body: access(form, request.headers.authorization) }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (!token) return { body: refuse('not_authed') }
    const holder = tokens.get(token)
    if (!holder) return { body: refuse('invalid_auth') }
    const done = { body: methods[method]?.(form, token, holder) ?? refuse('unknown_method') }
    return control.lostAnswer?.(method) ?? done
  }

  /** What a person sees there in a browser, the newest first. */
  function messagesPage(): SandboxAnswer {
    const nameOf = (id: string) => channels.find((channel) => channel.id === id)?.name ?? id
    const said = messages.map(({ channel, text }) => `<li>#${shown(nameOf(channel))}: ${shown(text)}</li>`).reverse()
    return sandboxPage(
      'Chat of the sandbox',
      said.length > 0 ? `<ul>${said.join('\n')}</ul>` : '<p>No channel was told anything.</p>',
    )
  }

  function access(form: URLSearchParams, authorization: string | undefined): object {
    const basic = Buffer.from(/^Basic (.+)$/.exec(authorization ?? '')?.[1] ?? '', 'base64').toString('utf8')
    const [clientId, clientSecret] = basic.split(':').map(decodeURIComponent)
    if (clientId !== app.clientId) return refuse('invalid_client_id')
    if (clientSecret !== app.clientSecret) return refuse('bad_client_secret')
    const code = form.get('code') ?? ''
    const grant = codes.get(code)
    codes.delete(code)
    if (!grant || grant.expiresAt < clock.now().getTime()) return refuse('invalid_code')
    if (grant.redirectUri !== form.get('redirect_uri')) return refuse('bad_redirect_uri')
    const { scope, workspace } = grant
    return {
      ok: true,
      app_id: app.id,
      authed_user: { id: 'U0SANDBOX' },
      scope,
      token_type: 'bot',
      access_token: tokenFor(workspace, scope),
      bot_user_id: 'U0BOT',
      team: workspace.team,
      enterprise: workspace.enterprise,
      is_enterprise_install: workspace.team === null,
      ...control.moreAccess,
    }
  }

  function tokenFor(workspace: Workspace, scope: string): string {
    const known = [...tokens].find(([, holder]) => placeOf(holder.workspace) === placeOf(workspace))?.[0]
    const token = known ?? `xoxb-${randomBytes(16).toString('hex')}`
    tokens.set(token, { scope, workspace })
    return token
  }

  type Method = (form: URLSearchParams, token: string, holder: { scope: string; workspace: Workspace }) => object
  const methods: Record<string, Method> = {
    'auth.test': (_form, _token, { workspace: { team, enterprise, url } }) => ({
      ok: true,
      url,
      team: team?.name ?? enterprise?.name,
      team_id: team?.id ?? enterprise?.id,
      user_id: 'U0BOT',
      is_enterprise_install: team === null,
    }),
    'auth.revoke': (_form, token) => ({ ok: true, revoked: tokens.delete(token) }),
    'conversations.list': (form, _token, { scope, workspace }) => {
      if (!scope.split(',').includes('channels:read')) return refuse('missing_scope')
      if (workspace.team === null && !form.get('team_id')) return refuse('missing_argument')
      const start = Number(Buffer.from(form.get('cursor') ?? '', 'base64').toString('utf8') || 0)
      const end = start + Number(form.get('limit') ?? 100)
      const shown = channels.filter((channel) => !(channel.is_archived && form.get('exclude_archived') === 'true'))
      const cursor = end < shown.length ? Buffer.from(String(end)).toString('base64') : ''
      return { ok: true, channels: shown.slice(start, end), response_metadata: { next_cursor: cursor } }
    },
    'conversations.info': (form, _token, { scope }) => {
      if (!scope.split(',').includes('channels:read')) return refuse('missing_scope')
      const channel = channels.find(({ id }) => id === form.get('channel'))
      if (!channel || (channel.is_private && !channel.is_member)) return refuse('channel_not_found')
      return { ok: true, channel }
    },
    'chat.postMessage': (form, _token, { scope, workspace }) => {
      if (!scope.split(',').includes('chat:write')) return refuse('missing_scope')
      const channel = channels.find(({ id }) => id === form.get('channel'))
      if (!channel || (channel.is_private && !channel.is_member)) return refuse('channel_not_found')
      if (channel.is_archived) return refuse('is_archived')
      // The id of the client: a repetition is answered with what it was the first time.
      const id = form.get('client_msg_id') ?? ''
      const known = messages.find((message) => id && message.id === id && message.channel === channel.id)
      const ts = known?.ts ?? `${clock.now().getTime() / 1000}.${messages.length + 1}`
      if (!known) messages.push({ channel: channel.id, text: form.get('text') ?? '', team: placeOf(workspace), id, ts })
      return { ok: true, channel: channel.id, ts }
    },
  }

  /** What an administrator of the workspace does: takes the app out. */
  function removeApp(): void {
    tokens.clear()
  }

  const { url, seen, close } = server
  return { url, seen, close, app, control, tokens, messages, channels, approve, removeApp }
}

function placeOf({ team, enterprise }: Workspace): string {
  return team?.id ?? enterprise?.id ?? ''
}

function refuse(error: string): object {
  return { ok: false, error }
}
