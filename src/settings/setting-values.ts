import { isIP } from 'node:net'
import pg from 'pg'
import { didYouMean } from '../kernel/text/did-you-mean.ts'
import { createAddressRules } from '../outbound/ssrf-guard/address-rules.ts'
import { type CredentialRule, createCredentialRule } from '../outbound/ssrf-guard/plain-http.ts'

// What a setting may be, and what is said of one that is not. `settings.ts` has the settings themselves.

/** A setting that cannot be used. The message names it and says what it takes, never its value. */
export class SettingsProblem extends Error {
  override name = 'SettingsProblem'
}

export const plainHttpHosts = 'GATEHOUSE_PLAIN_HTTP_HOSTS'
export const replicaSetting = 'GATEHOUSE_READ_DATABASE_URL'

export function integer(env: NodeJS.ProcessEnv, name: string, fallback: number, least: number, most: number): number {
  const text = env[name]
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new SettingsProblem(`${name} takes a whole number from ${least} to ${most}.`)
  }
  return value
}

export function oneOf(name: string, value: string, allowed: string[]): string {
  if (!allowed.includes(value)) throw new SettingsProblem(`${name} takes one of ${allowed.join(', ')}.`)
  return value
}

export function databaseUrl(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = env[name]
  if (!text) return undefined
  if (!/^postgres(ql)?:\/\//.test(text)) {
    throw new SettingsProblem(`${name} takes an address like postgres://user:password@host:5432/database.`)
  }
  refuseSeveralHosts(name, text)
  refuseMisspelt(name, text)
  refuseUnreadable(name, text)
  if (name !== 'DATABASE_URL' && !env.DATABASE_URL) throw new SettingsProblem(`${name} needs DATABASE_URL besides.`)
  return text
}

/** Those that the driver reads, and those of libpq, whose addresses people have. */
const encryptionParameters =
  `ssl sslmode sslcert sslkey sslrootcert sslnegotiation sslpassword sslcompression sslcrl sslcrldir
  sslsni sslcertmode ssl_min_protocol_version ssl_max_protocol_version`.split(/\s+/)

/** The driver passes over what it does not know: with a misspelt sslmode nothing would be encrypted. */
function refuseMisspelt(name: string, text: string): void {
  for (const key of new URLSearchParams(text.split('?')[1]).keys()) {
    if (encryptionParameters.includes(key) || !/^ssl/i.test(key)) continue
    const close = didYouMean(key, encryptionParameters)
    throw new SettingsProblem(
      `${name} has the parameter ${key.slice(0, 40)}, which is not known${close ? `; did you mean ${close}?` : '.'}`,
    )
  }
}

/** As the driver will read it when it connects: with the files of certificates that it names. */
function refuseUnreadable(name: string, text: string): void {
  try {
    new pg.Client({ connectionString: text })
    // What is behind it, the host for one, would be left out.
    if (!text.includes('#')) return
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall) throw new SettingsProblem(`${name} names a file that cannot be read (${code}).`)
  }
  throw new SettingsProblem(
    `${name} cannot be read as an address. User and password are percent-encoded (# is %23, / is %2F, ? is %3F, @ is %40), and a port is at most 65535.`,
  )
}

/** The driver would take the first, or none: whoever names several expects that the right one is found. */
function refuseSeveralHosts(name: string, text: string): void {
  const [, authority = '', query = ''] = /^[^:]+:\/\/([^/?]*)[^?]*\??(.*)$/.exec(text) ?? []
  const parameters = new URLSearchParams(query)
  const hosts = `${authority.slice(authority.lastIndexOf('@') + 1)}${parameters.get('host') ?? ''}`
  const isReplica = name === replicaSetting
  if (hosts.includes(',')) {
    throw new SettingsProblem(
      `${name} takes one host. Where there are several servers, name what leads to ${isReplica ? 'one replica' : 'the one that writes'}: a proxy, a virtual address, or the endpoint of the managed service.`,
    )
  }
  const wanted = parameters.get('target_session_attrs') ?? 'any'
  if (isReplica) {
    if (['any', 'read-only', 'standby', 'prefer-standby'].includes(wanted)) return
    throw new SettingsProblem(`${name} needs a replica: target_session_attrs=${wanted} would lead to another server.`)
  }
  if (!['any', 'read-write', 'primary'].includes(wanted)) {
    throw new SettingsProblem(
      `${name} needs a server that writes: target_session_attrs=${wanted} would lead to another.`,
    )
  }
}

export function publicUrl(text: string | undefined): string | undefined {
  if (!text) return undefined
  const url = URL.parse(text)
  // Links are made by adding a path to it.
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || /[?#]/.test(text)) {
    throw new SettingsProblem('GATEHOUSE_URL takes an address like https://gatehouse.example.com.')
  }
  return text.replace(/\/+$/, '')
}

const namedRanges = ['loopback', 'linklocal', 'uniquelocal']

/** Addresses, ranges by length or mask, and the names that the web server has for some. */
export function trustProxy(text: string): string[] {
  const entries = entriesOf(text)
  const isKnown = (entry: string) => {
    if (namedRanges.includes(entry)) return true
    const [, address = '', , range] = /^([^/]*)(\/(.*))?$/.exec(entry) ?? []
    const version = isIP(address)
    if (version === 0 || range === undefined) return version !== 0
    if (/^\d{1,3}$/.test(range)) return Number(range) > 0 && Number(range) <= (version === 4 ? 32 : 128)
    return version === 4 && isMask(range)
  }
  if (entries.every(isKnown)) return entries
  throw new SettingsProblem(
    'GATEHOUSE_TRUST_PROXY takes addresses and ranges of reverse proxies, no names, separated by commas, for example 127.0.0.1,10.244.0.0/16.',
  )
}

/** 255.255.0.0: ones, then zeros. */
function isMask(text: string): boolean {
  if (isIP(text) !== 4) return false
  const bits = text.split('.').map((part) => Number(part).toString(2).padStart(8, '0'))
  return /^1+0*$/.test(bits.join(''))
}

export function egressAllow(text: string): string {
  try {
    createAddressRules(text)
    return text
  } catch {
    throw new SettingsProblem(
      'GATEHOUSE_EGRESS_ALLOW takes addresses and ranges, separated by commas, for example 10.20.0.0/16,10.9.0.5; ' +
        'a range is written with its first address.',
    )
  }
}

export function brokerUrl(text: string | undefined): string | undefined {
  if (!text) return undefined
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw new SettingsProblem(
      'GATEHOUSE_BROKER_URL takes the address of a CONNECT proxy, like http://broker.example:3128.',
    )
  }
  return text
}

/** What proves who we are is sent there, so it is encrypted; except on this machine, which also has to be allowed. */
export function outsideUrl(env: NodeJS.ProcessEnv, name: string, fallback: string): string {
  const url = URL.parse(env[name] || fallback)
  const isLocal = url?.protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
  if (!url || (url.protocol !== 'https:' && !isLocal) || url.username || url.password || url.search || url.hash) {
    throw new SettingsProblem(`${name} takes an https address like ${fallback}.`)
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** A registry; a login may stand in its address. */
export function upstreamUrl(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = env[name]
  if (!text) return undefined
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.port === '0') {
    throw new SettingsProblem(`${name} takes the http or https address of a registry, without query and fragment.`)
  }
  if ((url.username || url.password) && !credentialRule(env)(text)) {
    throw new SettingsProblem(`${name} has a login and no https: name its host in ${plainHttpHosts}, or leave one out.`)
  }
  return text
}

export function credentialRule(env: NodeJS.ProcessEnv): CredentialRule {
  try {
    return createCredentialRule(env[plainHttpHosts] ?? '')
  } catch {
    throw new SettingsProblem(
      `${plainHttpHosts} takes hosts, separated by commas, for example npm.internal,10.9.0.5:8081.`,
    )
  }
}

export function oneWord(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = env[name]
  if (!text) return undefined
  if (!/^[!-~]{1,500}$/.test(text)) throw new SettingsProblem(`${name} takes up to 500 characters without spaces.`)
  return text
}

/** What stands between commas. */
export function entriesOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
}
