import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Outbound } from '../../../outbound/client/client.ts'
import { gitHubHeaders } from './github.ts'
import { HostError } from './host-error.ts'
import { createHostAsk, fieldsOf, textOf } from './host-request.ts'

type GitHubApp = { apiUrl: string; appId: string; installationId: string; privateKeyPem: string }

const needed = { checks: 'write', pull_requests: 'write', contents: 'read' } as const
export const appPermissions =
  'Give the app: checks (write), pull requests (write), contents (read), for this repository.'

/** What GitHub gives an app for one of its installations: a token for an hour, and the name that its comments are by. */
export function createGitHubApp(outbound: Outbound, app: GitHubApp, now: Date, signal?: AbortSignal) {
  async function ask() {
    const authorization = `Bearer ${await signedBy(app, now)}`
    return createHostAsk(outbound, {
      apiUrl: app.apiUrl,
      authorization,
      headers: gitHubHeaders,
      permissions: 'Is the app suspended?',
      signal,
    })
  }

  async function requestToken(): Promise<string> {
    const path = `app/installations/${app.installationId}/access_tokens`
    const { body } = await (await ask())('POST', path)
    const { token, permissions } = fieldsOf(body)
    const granted = fieldsOf(permissions)
    const missing = Object.entries(needed).filter(
      ([name, least]) => granted[name] !== 'write' && granted[name] !== least,
    )
    if (missing.length > 0) {
      const named = missing.map(([name, least]) => `${name.replace('_', ' ')} (${least})`).join(', ')
      throw new HostError('forbidden', `The installation of the app lacks: ${named}. Grant it in the app's settings.`)
    }
    if (textOf(token) === '') throw new HostError('unreachable', 'The code host gave no token for the installation.')
    return textOf(token)
  }

  async function findAccount(): Promise<string> {
    const { body } = await (await ask())('GET', 'app')
    return `${textOf(fieldsOf(body).slug)}[bot]`
  }

  return { requestToken, findAccount }
}

/** GitHub takes clocks that are a minute behind, and no more than ten minutes. */
function signedBy({ appId, privateKeyPem }: GitHubApp, now: Date): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1_000)
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(appId)
    .setIssuedAt(seconds - 60)
    .setExpirationTime(seconds + 540)
    .sign(createPrivateKey(privateKeyPem))
}
