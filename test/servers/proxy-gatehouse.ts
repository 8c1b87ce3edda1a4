import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { Firewall, FirewallEvent, Verdict } from '../../src/capabilities/firewall/verdicts/verdict.ts'
import { createAuthenticator } from '../../src/capabilities/sessions/authenticator.ts'
import { createAccessTokens } from '../../src/capabilities/sessions/tokens/access-token.ts'
import { ecosystems } from '../../src/ecosystems/registry.ts'
import { createApi } from '../../src/http/api.ts'
import { createSessionCookie } from '../../src/http/console/session-cookie.ts'
import { createRegistryLimits } from '../../src/http/registry/registry-limits.ts'
import { createRegistryMount } from '../../src/http/registry/registry-mount.ts'
import { createCredentials } from '../../src/http/requests/credentials.ts'
import { createRateLimit } from '../../src/http/requests/rate-limit.ts'
import { createServer } from '../../src/http/server.ts'
import { createReceiver } from '../../src/http/uploads/upload.ts'
import { systemClock } from '../../src/kernel/time/clock.ts'
import { createOutbound, type OutboundOptions } from '../../src/outbound/client/client.ts'
import { createCredentialRule } from '../../src/outbound/ssrf-guard/plain-http.ts'
import { createProxy, type ProxyOptions } from '../../src/proxy/proxy.ts'
import { openGatehouse, type TestGatehouse } from '../gatehouse.ts'

export type ProxyGatehouse = Awaited<ReturnType<typeof openProxyGatehouse>>

export type ProxyGatehouseOptions = {
  upstreams?: Partial<ProxyOptions['upstreams']>
  /** Of Go; none where it is not given. */
  goSumdb?: string
  cacheBytes?: number
  egressAllow?: string
  perMinute?: number
  mayCarryCredentials?: ProxyOptions['mayCarryCredentials']
  folder?: string
  outbound?: Partial<OutboundOptions>
  aws?: ProxyOptions['aws']
  times?: ProxyOptions['times']
  bucket?: ProxyOptions['bucket']
  log?: pino.Logger
}

/** Left to the clients of this machine. */
export const noUpstreams = { npm: undefined, pypi: undefined, maven: undefined, cargo: undefined, gomod: undefined }

/** A firewall whose verdicts a test decides, and which remembers what it was told. */
export function createTestFirewall() {
  const blocked = new Map<string, string>()
  const events: FirewallEvent[] = []
  const control: {
    verdict?: ((name: string, version: string, publishedAt?: Date) => Partial<Verdict>) | undefined
    record?: (() => Promise<void>) | undefined
    prepare?: ((name: string) => Promise<void>) | undefined
  } = {}
  const blockedBy = (id: string): Verdict => ({
    decision: 'block',
    refuse: true,
    rule: 'malicious',
    reason: `Known to be malicious: ${id}.`,
    advisoryIds: [id],
    dataAgeSeconds: 1,
  })
  const firewall: Firewall = {
    nameVerdict(_deployment, ecosystem, name, { gone } = {}) {
      const ofAny = () => [...blocked].find(([named]) => named.startsWith(`${ecosystem} ${name}@`))?.[1]
      const id = blocked.get(`${ecosystem} ${name}`) ?? (gone ? ofAny() : undefined)
      return id === undefined ? undefined : blockedBy(id)
    },
    verdict(_deployment, ecosystem, name, version, more) {
      const whole = ecosystems[ecosystem].versionOfBuild(version)
      const named = [`${name}@${version}`, `${name}@${whole}`, name].map((each) => blocked.get(`${ecosystem} ${each}`))
      const id = named.find((each) => each !== undefined)
      if (id !== undefined) return blockedBy(id)
      return {
        advisoryIds: [],
        dataAgeSeconds: 1,
        decision: 'allow',
        refuse: false,
        rule: 'none',
        reason: '',
        ...control.verdict?.(name, version, more?.publishedAt),
      }
    },
    audience: () => '',
    advice: () => 'Ask for an exception.',
    contactOf: () => 'Ask the platform team.',
    prepare: (_deployment, _ecosystem, name) => control.prepare?.(name),
    noteArchive: async () => {},
    namesBeginning: async () => [],
    async record(event) {
      events.push(event)
      await control.record?.()
    },
  }
  return { firewall, blocked, events, control }
}

/** The fronts of the proxy on a server of their own, with the database, people and tokens of a real Gatehouse. */
export async function openProxyGatehouse(options: ProxyGatehouseOptions = {}, gatehouse?: TestGatehouse) {
  const base = gatehouse ?? (await openGatehouse())
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'gatehouse-proxy-'))
  const decisions = createTestFirewall()
  const authenticator = createAuthenticator(
    base.db,
    createAccessTokens(base.signingKeys, systemClock),
    systemClock,
    'optional',
  )
  const clock = { ahead: 0 }
  const circuitFailures = Number.POSITIVE_INFINITY
  const outbound = createOutbound({ circuitFailures, allow: options.egressAllow ?? '', ...options.outbound })
  const proxy = createProxy({
    db: base.db,
    ring: base.ring,
    firewall: decisions.firewall,
    outbound,
    egressAllow: options.egressAllow ?? '',
    mayCarryCredentials: options.mayCarryCredentials ?? createCredentialRule(''),
    upstreams: { ...noUpstreams, ...options.upstreams },
    goSumdb: options.goSumdb,
    dataFolder: folder,
    cacheBytes: options.cacheBytes ?? 1024 ** 3,
    judgedMs: 0,
    now: () => performance.now() + clock.ahead,
    time: () => new Date(Date.now() + clock.ahead),
    circuitFailures,
    aws: options.aws,
    times: options.times ?? {},
    bucket: options.bucket,
    ...(options.log && { log: options.log }),
  })
  const app = createServer({ log: pino({ level: 'silent' }), trustProxy: [], https: false })
  const limit = createRateLimit({ limit: 1_000_000, windowSeconds: 60, clock: systemClock })
  const receiver = createReceiver(join(folder, 'uploads'))
  const cookie = createSessionCookie(false)
  const credentials = createCredentials({ ...authenticator, cookie, signInCookie: cookie, ownOrigin: undefined })
  createApi(app, [], { credentials, clock: systemClock, limit, receiver, checkResponses: true })
  const log = pino({ level: 'silent' })
  const limits = createRegistryLimits({ perMinute: options.perMinute ?? 1_000_000, clock: systemClock })
  const mount = createRegistryMount(app, {
    authenticate: authenticator.authenticate,
    publicUrl: undefined,
    limits,
    log,
  })
  for (const front of proxy.fronts) mount(front)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  function get(path: string, { as = base.owner.token, headers = {}, ...init }: GetOptions = {}): Promise<TestResponse> {
    const authorization = as ? { authorization: `Bearer ${as}` } : undefined
    return fetch(`${url}/firewall/1/${path}`, { ...init, headers: { ...authorization, ...headers } })
  }

  /** Nothing that is remembered is fresh any more. */
  function expire(): void {
    clock.ahead += 3_600_000
  }

  async function close(): Promise<void> {
    app.server.closeAllConnections()
    await app.close()
    await proxy.close()
    await outbound.close()
    await authenticator.close()
    if (!gatehouse) await base.close()
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }

  return { ...decisions, gatehouse: base, url, get, expire, close, clock, folder, token: base.owner.token, proxy }
}

/** The sentences of a refusal: in a problem document, or by themselves where clients print what they get. */
export async function toldBy(answer: Pick<Response, 'headers' | 'text'>): Promise<string> {
  const text = await answer.text()
  const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json')
  return isProblem ? (JSON.parse(text) as { error: string }).error : text.replaceAll('\n', ' ')
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type TestResponse = Omit<Response, 'json'> & { json(): Promise<any> }
type GetOptions = {
  as?: string
  headers?: Record<string, string>
  method?: string
  signal?: AbortSignal
  body?: string | Buffer<ArrayBuffer>
}
