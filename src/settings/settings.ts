import { resolve } from 'node:path'
import { fewestAuditDays } from '../capabilities/audit/retention.ts'
import { type Requirement, requirements } from '../capabilities/factors/requirement.ts'
import { fewestDetailDays } from '../capabilities/firewall-activity/retention/whole-days.ts'
import { fewestScanDays } from '../capabilities/scans/retention.ts'
import type { ProxiedEcosystemId } from '../ecosystems/ecosystem.ts'
import { type FeedLocation, parseFeedLocation } from '../feeds/feed-location.ts'
import { usualConnections } from '../kernel/database/connections/pool-sizes.ts'
import { usableMemory } from '../kernel/memory/usable-memory.ts'
import { hasLength } from '../kernel/text/characters.ts'
import { isMailAddress } from '../outbound/mail/mail-message.ts'
import { parseMailServer } from '../outbound/mail/mail-server.ts'
import type { MailServer } from '../outbound/mail/mailer.ts'
import type { Bucket } from '../outbound/object-store/object-store.ts'
import { type Collector, parseCollectorHeaders } from '../outbound/otlp/collector.ts'
import type { CredentialRule } from '../outbound/ssrf-guard/plain-http.ts'
import { parseSyslogServer, type SyslogServer } from '../outbound/syslog/syslog.ts'
import { isSumdbName } from '../proxy/go/route.ts'
import { parseMasterKey } from '../vault/master-key/master-key-text.ts'
import { objectStore } from './object-store-settings.ts'
import {
  brokerUrl,
  credentialRule,
  databaseUrl,
  egressAllow,
  entriesOf,
  integer,
  oneOf,
  oneWord,
  outsideUrl,
  plainHttpHosts,
  publicUrl,
  replicaSetting,
  SettingsProblem,
  trustProxy,
  upstreamUrl,
} from './setting-values.ts'

export type Settings = {
  host: string
  port: number
  dataFolder: string
  databaseUrl: string | undefined
  /** Where the owner of the schema signs in, where that is another login than the one that serves. */
  migrationUrl: string | undefined
  /** A replica of the database, for requests that only read. */
  readDatabaseUrl: string | undefined
  /** How many connections to the database this process takes at most. */
  databaseConnections: number
  /** How long a start waits for processes that the schema of this version would break. */
  migrationWaitSeconds: number
  publicUrl: string
  /** The same, but only where the operator said so. */
  givenUrl: string | undefined
  ownerEmail: string
  ownerPassword: string | undefined
  masterKey: string | undefined
  /** What the master key is to be changed to, where it does not lie in the data folder. */
  newMasterKey: string | undefined
  requestsPerMinute: number
  /** What Prometheus sends to read the metrics; undefined: only operators read them. */
  metricsToken: string | undefined
  /** Of package clients, for each token. */
  packageRequestsPerMinute: number
  trustProxy: string[]
  /** Addresses and ranges that outward calls may reach besides public ones, separated by commas. */
  egressAllow: string
  /** Where credentials may be sent, encrypted or not. */
  mayCarryCredentials: CredentialRule
  /** The CONNECT proxy for registries that are marked as reached through the network broker; may hold a login. */
  brokerUrl: string | undefined
  /** Where the tokens of DevOps apps come from, without a slash at its end. */
  identityProviderUrl: string
  /** The app at the chat service, and where that is, without a slash at its end. */
  chat: { clientId: string | undefined; clientSecret: string | undefined; url: string }
  /** How much room the packages of the malware firewall may take. */
  cacheBytes: number
  /** Where they are kept besides the disk; undefined: nowhere. */
  objectStore: Bucket | undefined
  /** What backups are encrypted with, and when they are made by themselves: undefined: never. */
  backup: { passphrase: string | undefined; folder: string | undefined; hours: number; keep: number }
  /** Where WAL of the embedded server is archived, if anywhere; how old its newest base may become, and for how long it is kept. */
  walArchive: { folder: string | undefined; hours: number; days: number }
  /** What this process and the embedded database may take together: by it threads, uploads at once and buffers are sized. */
  memoryBytes: number
  /** What is to stay free on the disks of this machine. */
  diskReserveBytes: number
  /** For how many days requests for packages are kept one by one; from then on by the day. */
  firewallDetailDays: number
  /** How long it is known who was refused a package. */
  firewallRefusedDays: number
  /** For how many days events of audit logs are kept, and scans that later ones replaced; undefined: for ever. */
  auditDays: number | undefined
  /** How long a branch may go without a scan until it is over. */
  branchDays: number
  scanDays: number | undefined
  /** Where packages come from when a deployment names no registry; undefined: where the client of this machine gets them. */
  packageUpstreams: Record<ProxiedEcosystemId, string | undefined>
  /** Which checksum database vouches for Go modules; undefined: none. */
  goSumdb: string | undefined
  /** Who this instance is at AWS, to assume the roles that deployments entered for their registries; undefined: nobody. */
  aws: { accessKeyId: string; secretAccessKey: string; endpoint: string | undefined } | undefined
  /** Where advisories about malicious packages come from. */
  feeds: FeedLocation[]
  /** Where advisories about vulnerabilities come from. */
  vulnerabilityFeeds: FeedLocation[]
  /** Lists of known exploited vulnerabilities. */
  exploitedFeeds: FeedLocation[]
  /** Lists of EPSS scores. */
  epssFeeds: FeedLocation[]
  feedMinutes: number
  /** Whether advisories are read from here without a token (OSV). */
  openOsv: boolean
  /** The deployments whose lists of malicious packages are read from here without a token (safe-chain). */
  safeChainDeployments: number[]
  /** What becomes of findings of a pull request whose base was not scanned: quiet or raise. */
  pullRequestsWithoutBase: string
  /** What people see who join a new deployment: all repositories, or those of teams they are put into. */
  newPeopleSee: 'all' | 'teams'
  /** Who needs a second factor in every deployment, whatever it says itself. */
  secondFactor: Requirement
  /**
   * Where mail is handed in, and whom it is from; undefined: none is sent. To domains besides the addresses of members, `*` for
   * all; this many an hour for each deployment.
   */
  mail: { server: MailServer; from: string; domains: string[]; perHour: number } | undefined
  /** Where the audit logs of all deployments are pushed to; undefined: nowhere. */
  auditSyslog: SyslogServer | undefined
  /** Where spans are sent to; undefined: nowhere. */
  tracing: { collector: Collector; serviceName: string; ratio: number } | undefined
  logLevel: string
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** How an address names the host that is listened at. */
export function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** Reads the environment once, at start; nothing else in the server looks at it. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const host = env.HOST || '127.0.0.1'
  const port = integer(env, 'PORT', 8080, 0, 65_535)
  const masterKey = env.GATEHOUSE_KEY
  if (masterKey !== undefined) parseMasterKey(masterKey, 'GATEHOUSE_KEY')
  return {
    host,
    port,
    dataFolder: resolve(env.GATEHOUSE_DATA || '.gatehouse'),
    databaseUrl: databaseUrl(env, 'DATABASE_URL'),
    migrationUrl: databaseUrl(env, 'GATEHOUSE_MIGRATION_DATABASE_URL'),
    readDatabaseUrl: databaseUrl(env, replicaSetting),
    databaseConnections: integer(env, 'GATEHOUSE_DATABASE_CONNECTIONS', usualConnections, 8, 1_000),
    migrationWaitSeconds: integer(env, 'GATEHOUSE_MIGRATION_WAIT_SECONDS', 60, 0, 86_400),
    publicUrl: publicUrl(env.GATEHOUSE_URL) ?? `http://${shownHost(host)}:${port}`,
    givenUrl: publicUrl(env.GATEHOUSE_URL),
    ownerEmail: email(env.GATEHOUSE_OWNER_EMAIL || 'owner@localhost'),
    ownerPassword: password(env.GATEHOUSE_OWNER_PASSWORD),
    masterKey,
    newMasterKey: env.GATEHOUSE_NEW_KEY,
    requestsPerMinute: integer(env, 'GATEHOUSE_REQUESTS_PER_MINUTE', 20_000, 1, 100_000_000),
    metricsToken: metricsToken(env.GATEHOUSE_METRICS_TOKEN),
    packageRequestsPerMinute: integer(env, 'GATEHOUSE_PACKAGE_REQUESTS_PER_MINUTE', 120_000, 1, 100_000_000),
    trustProxy: trustProxy(env.GATEHOUSE_TRUST_PROXY ?? ''),
    egressAllow: egressAllow(env.GATEHOUSE_EGRESS_ALLOW ?? ''),
    mayCarryCredentials: credentialRule(env),
    brokerUrl: brokerUrl(env.GATEHOUSE_BROKER_URL),
    identityProviderUrl: outsideUrl(env, 'GATEHOUSE_IDENTITY_PROVIDER_URL', 'https://login.microsoftonline.com'),
    chat: {
      clientId: oneWord(env, 'GATEHOUSE_CHAT_CLIENT_ID'),
      clientSecret: oneWord(env, 'GATEHOUSE_CHAT_CLIENT_SECRET'),
      url: outsideUrl(env, 'GATEHOUSE_CHAT_URL', 'https://slack.com'),
    },
    cacheBytes: integer(env, 'GATEHOUSE_CACHE_BYTES', 10 * 1024 ** 3, 1024 ** 2, 2 ** 50),
    objectStore: objectStore(env),
    backup: {
      passphrase: backupPassphrase(env.GATEHOUSE_BACKUP_PASSPHRASE),
      folder: env.GATEHOUSE_BACKUP_FOLDER ? resolve(env.GATEHOUSE_BACKUP_FOLDER) : undefined,
      hours: integer(env, 'GATEHOUSE_BACKUP_HOURS', 24, 1, 8_760),
      keep: integer(env, 'GATEHOUSE_BACKUP_KEEP', 7, 1, 10_000),
    },
    walArchive: {
      folder: walArchiveFolder(env),
      hours: integer(env, 'GATEHOUSE_WAL_ARCHIVE_BASE_HOURS', 24, 1, 8_760),
      days: integer(env, 'GATEHOUSE_WAL_ARCHIVE_DAYS', 7, 1, 36_500),
    },
    memoryBytes: integer(env, 'GATEHOUSE_MEMORY_BYTES', usableMemory(), 512 * 1024 ** 2, 2 ** 50),
    diskReserveBytes: integer(env, 'GATEHOUSE_DISK_RESERVE_BYTES', 512 * 1024 ** 2, 0, 2 ** 50),
    firewallDetailDays: integer(env, 'GATEHOUSE_FIREWALL_DETAIL_DAYS', 1_100, fewestDetailDays, 36_500),
    firewallRefusedDays: integer(env, 'GATEHOUSE_FIREWALL_REFUSED_DAYS', 400, 1, 36_500),
    auditDays: keptDays(env, 'GATEHOUSE_AUDIT_DAYS', fewestAuditDays),
    branchDays: integer(env, 'GATEHOUSE_BRANCH_DAYS', 90, 7, 36_500),
    scanDays: keptDays(env, 'GATEHOUSE_SCAN_DAYS', fewestScanDays),
    packageUpstreams: {
      npm: upstreamUrl(env, 'GATEHOUSE_NPM_UPSTREAM'),
      pypi: upstreamUrl(env, 'GATEHOUSE_PYPI_UPSTREAM'),
      maven: upstreamUrl(env, 'GATEHOUSE_MAVEN_UPSTREAM'),
      cargo: upstreamUrl(env, 'GATEHOUSE_CARGO_UPSTREAM'),
      gomod: upstreamUrl(env, 'GATEHOUSE_GO_UPSTREAM'),
    },
    goSumdb: goSumdb(env.GATEHOUSE_GO_SUMDB || 'sum.golang.org'),
    aws: aws(env),
    feeds: feeds('GATEHOUSE_FEED', env.GATEHOUSE_FEED || publicFeeds),
    vulnerabilityFeeds: feeds('GATEHOUSE_VULNERABILITY_FEED', env.GATEHOUSE_VULNERABILITY_FEED || 'none'),
    exploitedFeeds: feeds('GATEHOUSE_EXPLOITED_FEED', env.GATEHOUSE_EXPLOITED_FEED || 'none'),
    epssFeeds: feeds('GATEHOUSE_EPSS_FEED', env.GATEHOUSE_EPSS_FEED || 'none'),
    feedMinutes: integer(env, 'GATEHOUSE_FEED_MINUTES', 60, 1, 10_080),
    openOsv: oneOf('GATEHOUSE_OPEN_OSV', env.GATEHOUSE_OPEN_OSV || 'false', ['true', 'false']) === 'true',
    safeChainDeployments: deploymentIds('GATEHOUSE_SAFE_CHAIN_DEPLOYMENTS', env.GATEHOUSE_SAFE_CHAIN_DEPLOYMENTS ?? ''),
    pullRequestsWithoutBase: oneOf(
      'GATEHOUSE_PULL_REQUESTS_WITHOUT_BASE',
      env.GATEHOUSE_PULL_REQUESTS_WITHOUT_BASE || 'quiet',
      ['quiet', 'raise'],
    ),
    newPeopleSee: oneOf('GATEHOUSE_NEW_PEOPLE_SEE', env.GATEHOUSE_NEW_PEOPLE_SEE || 'all', ['all', 'teams']) as
      | 'all'
      | 'teams',
    secondFactor: oneOf('GATEHOUSE_SECOND_FACTOR', env.GATEHOUSE_SECOND_FACTOR || 'optional', [
      ...requirements,
    ]) as Requirement,
    mail: mail(env),
    auditSyslog: auditSyslog(env.GATEHOUSE_AUDIT_SYSLOG),
    tracing: tracing(env),
    logLevel: oneOf('GATEHOUSE_LOG_LEVEL', env.GATEHOUSE_LOG_LEVEL || 'info', logLevels),
  }
}

// The exports of OSV.dev for the ecosystems that come through the firewall.
const publicFeeds = ['npm', 'PyPI', 'Maven', 'crates.io', 'Go']
  .map((ecosystem) => `https://osv-vulnerabilities.storage.googleapis.com/${ecosystem}/all.zip`)
  .join(',')

function feeds(name: string, text: string): FeedLocation[] {
  if (text.trim() === 'none') return []
  const places = entriesOf(text).map(parseFeedLocation)
  if (places.length > 0 && places.every((place) => place !== undefined)) return places
  throw new SettingsProblem(
    `${name} takes folders, files and https addresses without user name and password, separated by commas, or none.`,
  )
}

function deploymentIds(name: string, text: string): number[] {
  const entries = entriesOf(text)
  if (entries.every((entry) => /^[1-9]\d{0,14}$/.test(entry))) return entries.map(Number)
  throw new SettingsProblem(`${name} takes ids of deployments, separated by commas.`)
}

function auditSyslog(text: string | undefined): SyslogServer | undefined {
  if (!text) return undefined
  const server = parseSyslogServer(text)
  if (!server) throw new SettingsProblem('GATEHOUSE_AUDIT_SYSLOG takes an address like tls://siem.example.com:6514.')
  return server
}

/** The settings of OpenTelemetry itself, so that whoever sets them for other programs sets them for this one. */
function tracing(env: NodeJS.ProcessEnv): Settings['tracing'] {
  const [name, headersName] = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS']
  const text = env[name]
  if (!text) return undefined
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new SettingsProblem(
      `${name} takes the address of a collector for OTLP over HTTP, like http://127.0.0.1:4318.`,
    )
  }
  const headers = parseCollectorHeaders(env[headersName] ?? '')
  if (!headers) {
    throw new SettingsProblem(`${headersName} takes name=value pairs, separated by commas, values percent-encoded.`)
  }
  if (Object.keys(headers).length > 0 && !credentialRule(env)(text)) {
    throw new SettingsProblem(
      `${headersName} would leave this machine without https: name the host in ${plainHttpHosts}.`,
    )
  }
  const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG || '1')
  if (!(ratio >= 0 && ratio <= 1)) throw new SettingsProblem('OTEL_TRACES_SAMPLER_ARG takes a number from 0 to 1.')
  const endpoint = url.origin + url.pathname.replace(/\/+$/, '')
  return { collector: { endpoint, headers }, serviceName: oneWord(env, 'OTEL_SERVICE_NAME') ?? 'gatehouse', ratio }
}

function metricsToken(text: string | undefined): string | undefined {
  if (!text) return undefined
  if (!/^[\w.~+/=-]{32,200}$/.test(text)) {
    throw new SettingsProblem(
      'GATEHOUSE_METRICS_TOKEN takes 32 to 200 letters, digits and . _ ~ + / = -, for example from: openssl rand -hex 32',
    )
  }
  return text
}

function keptDays(env: NodeJS.ProcessEnv, name: string, fewest: number): number | undefined {
  return env[name] ? integer(env, name, fewest, fewest, 36_500) : undefined
}

function walArchiveFolder({
  GATEHOUSE_WAL_ARCHIVE: folder,
  DATABASE_URL: ownServer,
}: NodeJS.ProcessEnv): string | undefined {
  if (!folder) return undefined
  if (ownServer)
    throw new SettingsProblem(
      'GATEHOUSE_WAL_ARCHIVE is for the embedded PostgreSQL. With DATABASE_URL, archive WAL by the tools of that server.',
    )
  return resolve(folder)
}

function backupPassphrase(text: string | undefined): string | undefined {
  if (!text) return undefined
  if (text.length < 12) throw new SettingsProblem('GATEHOUSE_BACKUP_PASSPHRASE takes at least 12 characters.')
  return text
}

/** By its name, as in GOSUMDB. */
function goSumdb(text: string): string | undefined {
  if (text === 'off') return undefined
  if (isSumdbName(text)) return text
  throw new SettingsProblem('GATEHOUSE_GO_SUMDB takes the name of a checksum database, such as sum.golang.org, or off.')
}

function aws(env: NodeJS.ProcessEnv): Settings['aws'] {
  const accessKeyId = oneWord(env, 'GATEHOUSE_AWS_ACCESS_KEY_ID')
  const secretAccessKey = oneWord(env, 'GATEHOUSE_AWS_SECRET_ACCESS_KEY')
  if (!accessKeyId && !secretAccessKey) return undefined
  if (!accessKeyId || !secretAccessKey) {
    throw new SettingsProblem(
      'GATEHOUSE_AWS_ACCESS_KEY_ID and GATEHOUSE_AWS_SECRET_ACCESS_KEY are set together or not at all.',
    )
  }
  const name = 'GATEHOUSE_AWS_ENDPOINT'
  const endpoint = env[name] ? outsideUrl(env, name, 'https://vpce.example.com') : undefined
  return { accessKeyId, secretAccessKey, endpoint }
}

function mail(env: NodeJS.ProcessEnv): Settings['mail'] {
  const { GATEHOUSE_SMTP_URL: url, GATEHOUSE_SMTP_FROM: from } = env
  if (!url && !from) return undefined
  const server = parseMailServer(url ?? '')
  if (!server) {
    throw new SettingsProblem(
      'GATEHOUSE_SMTP_URL takes an address like smtps://user:password@mail.example.com, smtp://user:password@mail.example.com ' +
        '(STARTTLS) or smtp://relay.example.com:25?tls=off (without a password).',
    )
  }
  if (!from || !isMailAddress(from)) {
    throw new SettingsProblem('GATEHOUSE_SMTP_FROM takes an address like gatehouse@example.com.')
  }
  return { server, from, domains: mailDomains(env.GATEHOUSE_MAIL_DOMAINS ?? ''), perHour: mailsPerHour(env) }
}

function mailsPerHour(env: NodeJS.ProcessEnv): number {
  return integer(env, 'GATEHOUSE_MAILS_PER_HOUR', 500, 1, 1_000_000)
}

function mailDomains(text: string): string[] {
  const domains = entriesOf(text.toLowerCase())
  if (domains.every((domain) => domain === '*' || isMailAddress(`a@${domain}`))) return domains
  throw new SettingsProblem('GATEHOUSE_MAIL_DOMAINS takes domains like example.com, separated by commas, or *.')
}

function email(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new SettingsProblem('GATEHOUSE_OWNER_EMAIL takes an e-mail address.')
  return text
}

function password(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (!hasLength(text, 12, 200)) throw new SettingsProblem('GATEHOUSE_OWNER_PASSWORD takes 12 to 200 characters.')
  return text
}
