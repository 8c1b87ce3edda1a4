import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

export const testClient = { clientId: 'gatehouse', clientSecret: 'a secret that only the client has' }

type Person = { email: string; name?: string; email_verified?: boolean; groups?: string[] }

/** An OpenID provider as companies run one: oidc-provider, on a port of its own, with pages to sign in. */
export async function startOpenIdProvider() {
  const people = new Map<string, Person>()
  let handle: ReturnType<Provider['callback']> = async () => {}
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const cookieKey = randomBytes(16).toString('hex')
  let place = { redirectUri: 'https://gatehouse.invalid/', logoutUri: '' }
  let keys = [await makeKey('key-1')]

  function configure(): void {
    const provider = new Provider(url, {
      clients: [
        {
          client_id: testClient.clientId,
          client_secret: testClient.clientSecret,
          redirect_uris: [place.redirectUri],
          ...(place.logoutUri && {
            backchannel_logout_uri: place.logoutUri,
            backchannel_logout_session_required: true,
          }),
        },
      ],
      jwks: { keys },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      features: { backchannelLogout: { enabled: true } },
      cookies: { keys: [cookieKey] },
      fetch: (input: string | URL, options: object) => fetch(input, { ...options, dispatcher: undefined } as object),
      findAccount: (_: unknown, id: string) => {
        const person = people.get(id)
        return person && { accountId: id, claims: () => ({ sub: id, ...person }) }
      },
    })
    handle = provider.callback()
  }
  configure()

  return {
    url,
    people,
    /** Where the client lives, known once Gatehouse knows the provider. */
    register(redirectUri: string, logoutUri = '') {
      place = { redirectUri, logoutUri }
      configure()
    },
    /** Another key in the place of the one that there was. */
    async rotate() {
      keys = [await makeKey(`key-${randomBytes(4).toString('hex')}`)]
      configure()
    },
    close() {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

async function makeKey(kid: string) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }
}

/** A person with a browser at the provider: signs in there, agrees, and answers where the provider sends them back to. */
export function personAtProvider(login: string) {
  const jar = new Map<string, string>()

  async function request(url: string, form?: Record<string, string>) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair] = cookie.split(';')
      const at = pair!.indexOf('=')
      jar.set(pair!.slice(0, at), pair!.slice(at + 1))
    }
    const text = await response.text()
    const location = response.headers.get('location')
    return { text, next: location ? new URL(location, url).href : undefined }
  }

  async function visit(start: string): Promise<URL> {
    const home = new URL(start).origin
    let page = await request(start)
    for (let step = 0; step < 20; step++) {
      if (page.next) {
        if (new URL(page.next).origin !== home) return new URL(page.next)
        page = await request(page.next)
        continue
      }
      const action = /action="([^"]+)"/.exec(page.text)?.[1]
      const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1]
      if (!action || !prompt) throw new Error(`the provider shows no form: ${page.text.slice(0, 500)}`)
      page = await request(new URL(action, start).href, { prompt, login, password: 'any' })
    }
    throw new Error('the provider never sends back')
  }

  return { visit, request }
}
