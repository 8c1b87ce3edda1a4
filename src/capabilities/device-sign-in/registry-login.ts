import type { Actor } from '../../kernel/access/actor.ts'
import type { Authenticator, Identity } from '../../kernel/access/identity.ts'
import { permitted } from '../../kernel/access/permission.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { looksLikeToken, type TokenMaker } from '../tokens/public.ts'
import type { DeviceSignIns } from './service.ts'

type Given = { email: string; password: string; code?: string | undefined }
type Origin = { address: string; requestId: string }
type Parts = {
  devices: DeviceSignIns
  /** By the password, with all that signing in takes. */
  login: (given: Given, origin: Origin) => Promise<{ accessToken: string }>
  logout: (sessionId: string) => Promise<void>
  authenticate: Authenticator
  tokens: TokenMaker
}

const days = 30

/** The ways that clients of package registries sign in. Each ends in a token that fetches packages and does nothing else. */
export function createRegistryLogin({ devices, login, logout, authenticate, tokens }: Parts) {
  /** A person approves it in the browser that the client opens. */
  async function begin(deploymentId: number, client: string, origin: Origin, url: string) {
    const { deviceCode, page } = await devices.startByLink(deploymentId, { client, hostName: '', days }, origin, url)
    return { page, session: deviceCode }
  }

  /** Undefined while nobody has said yes or no. */
  async function result(session: string, requestId: string): Promise<string | undefined> {
    try {
      return (await devices.poll(session, { requestId })).secret
    } catch (error) {
      if (error instanceof Fault && (error.code === 'authorization_pending' || error.code === 'slow_down'))
        return undefined
      throw error
    }
  }

  /** With the password of the account, or with an API token in its place. */
  async function byPassword(
    deploymentId: number,
    { name, password, code }: { name: string; password: string; code: string | undefined },
    client: string,
    origin: Origin,
  ) {
    const wanted = { name: `${client}: login`, webApi: true, scopes: ['packages:read' as const] }
    if (looksLikeToken(password)) {
      const caller = await authenticate(password)
      const actor = actorOf(caller, deploymentId, origin.requestId)
      checkWebApi(caller)
      return (await tokens.create(actor, wanted)).secret
    }
    const { accessToken } = await login({ email: addressOf(name), password, code }, origin)
    // Also of somebody who has to set up a second factor first, and gets no token: their session is not left behind.
    const { sessionId } = await authenticate(accessToken, true)
    try {
      const actor = actorOf(await authenticate(accessToken), deploymentId, origin.requestId)
      return (await tokens.create(actor, { ...wanted, expiresInDays: days })).secret
    } finally {
      await logout(sessionId)
    }
  }

  async function end(secret: string, requestId: string): Promise<void> {
    await tokens.revokeSelf(await authenticate(secret), requestId)
  }

  return { begin, result, byPassword, end }
}

/** npm takes no `@` in a user name, so people write `~` in its place: ada~example.com. */
function addressOf(name: string): string {
  return name.includes('@') ? name : name.replace(/~(?=[^~]*$)/, '@')
}

/** What it makes must not do more than itself; that it fetches packages and ends with this one is seen to where it is made. */
function checkWebApi({ webApi }: Identity): void {
  if (!webApi) throw new Fault('web_api_disabled', 'This token was made without Web API access.')
}

function actorOf(caller: Identity, deploymentId: number, requestId: string): Actor {
  const role = caller.roles.get(deploymentId)
  if (!role) throw new Fault('not_found', `No deployment ${deploymentId}.`)
  const { personId, tokenId, bound } = caller
  const permissions = permitted(role, caller.scopes)
  return { deploymentId, personId, tokenId, role, permissions, requestId, ...(bound && { bound }) }
}
