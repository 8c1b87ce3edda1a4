import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { createServer } from '../http/server.ts'
import { readSettings } from './settings.ts'

test('without any setting everything has a value', () => {
  const settings = readSettings({})
  assert.deepEqual([settings.host, settings.port, settings.publicUrl], ['127.0.0.1', 8080, 'http://127.0.0.1:8080'])
  assert.deepEqual(
    [settings.ownerEmail, settings.requestsPerMinute, settings.databaseUrl],
    ['owner@localhost', 20_000, undefined],
  )
})

test('a list of feeds that is left empty is one that is not set', () => {
  const names = ['GATEHOUSE_FEED', 'GATEHOUSE_VULNERABILITY_FEED', 'GATEHOUSE_EXPLOITED_FEED', 'GATEHOUSE_EPSS_FEED']
  const feedsFor = (env: Record<string, string>) => {
    const { feeds, vulnerabilityFeeds, exploitedFeeds, epssFeeds } = readSettings(env)
    return [feeds, vulnerabilityFeeds, exploitedFeeds, epssFeeds]
  }
  assert.deepEqual(feedsFor(Object.fromEntries(names.map((name) => [name, '']))), feedsFor({}))
  assert.deepEqual(readSettings({ GATEHOUSE_FEED: 'none' }).feeds, [])
})

const store = {
  GATEHOUSE_S3_ENDPOINT: 'https://s3.example.com',
  GATEHOUSE_S3_BUCKET: 'packages',
  GATEHOUSE_S3_ACCESS_KEY_ID: 'canary',
  GATEHOUSE_S3_SECRET_ACCESS_KEY: 'canary',
}
const { GATEHOUSE_S3_BUCKET: _, ...withoutBucket } = store

test('the bucket is in the path of its address, or in the host', () => {
  const urlFor = (env: Record<string, string>) => readSettings({ ...store, ...env }).objectStore?.url
  assert.equal(urlFor({}), 'https://s3.example.com/packages')
  assert.equal(urlFor({ GATEHOUSE_S3_PATH_STYLE: 'false' }), 'https://packages.s3.example.com')
  const inside = { GATEHOUSE_S3_ENDPOINT: 'http://minio.internal:9000', GATEHOUSE_PLAIN_HTTP_HOSTS: 'minio.internal' }
  assert.equal(urlFor(inside), 'http://minio.internal:9000/packages')
})

const refused: Record<string, Record<string, string>> = {
  'a port that is none': { PORT: '80a' },
  'a port out of range': { PORT: '65536' },
  'another database': { DATABASE_URL: 'mysql://x' },
  'several databases': { DATABASE_URL: 'postgres://a:b@one:5432,two:5432/gatehouse?target_session_attrs=read-write' },
  'several databases as a parameter': { DATABASE_URL: 'postgres://a:b@/gatehouse?host=one,two' },
  'several replicas': {
    GATEHOUSE_READ_DATABASE_URL: 'postgres://a:b@two,three/gatehouse',
    DATABASE_URL: 'postgres://a:b@one/gatehouse',
  },
  'a replica that writes': {
    GATEHOUSE_READ_DATABASE_URL: 'postgres://a:b@two/gatehouse?target_session_attrs=read-write',
    DATABASE_URL: 'postgres://a:b@one/gatehouse',
  },
  'a replica of the embedded database': { GATEHOUSE_READ_DATABASE_URL: 'postgres://a:b@two/gatehouse' },
  'a database that only reads': { DATABASE_URL: 'postgres://a:b@one/gatehouse?target_session_attrs=standby' },
  'a database whose password is not encoded': { DATABASE_URL: 'postgres://a:1#b/c@one/gatehouse' },
  'a database whose password ends its address': { DATABASE_URL: 'postgres://a:b/c@one/gatehouse' },
  'a database at a port that is none': { DATABASE_URL: 'postgres://a:b@one:70000/gatehouse' },
  'a database with a certificate that is not there': {
    DATABASE_URL: 'postgres://a:b@one/gatehouse?sslmode=verify-full&sslrootcert=/nothing/there',
  },
  'a database whose encryption is misspelt': { DATABASE_URL: 'postgres://a:b@one/gatehouse?sslmod=verify-full' },
  'a database whose encryption is in capitals': { DATABASE_URL: 'postgres://a:b@one/gatehouse?sslMode=verify-full' },
  'a reverse proxy by its name': { GATEHOUSE_TRUST_PROXY: '127.0.0.1, haproxy' },
  'reverse proxies everywhere': { GATEHOUSE_TRUST_PROXY: '0.0.0.0/0' },
  'a range of reverse proxies that is none': { GATEHOUSE_TRUST_PROXY: '10.0.0.0/33' },
  'reverse proxies by a mask that is none': { GATEHOUSE_TRUST_PROXY: '10.0.0.0/255.0.255.0' },
  'fewer connections than kinds of work': { GATEHOUSE_DATABASE_CONNECTIONS: '7' },
  'an address that is none': { GATEHOUSE_URL: 'ftp://elsewhere' },
  'an address with a password': { GATEHOUSE_URL: 'https://a:canary@gatehouse.example.com' },
  'an address with a query': { GATEHOUSE_URL: 'https://gatehouse.example.com/?from=canary' },
  'a password of six emoji': { GATEHOUSE_OWNER_PASSWORD: '🚀🦄🐙🌵🍋🧊' },
  'an e-mail address that is none': { GATEHOUSE_OWNER_EMAIL: 'owner' },
  'a short password': { GATEHOUSE_OWNER_PASSWORD: 'short' },
  'a short key': { GATEHOUSE_KEY: 'c2hvcnQ=' },
  'a short token for the metrics': { GATEHOUSE_METRICS_TOKEN: 'short' },
  'a short passphrase of backups': { GATEHOUSE_BACKUP_PASSPHRASE: 'short' },
  'an empty key': { GATEHOUSE_KEY: '' },
  'a well-known key': { GATEHOUSE_KEY: Buffer.alloc(32).toString('base64') },
  'an address range that is none': { GATEHOUSE_EGRESS_ALLOW: '10.1.2.3/8' },
  'a broker with a path': { GATEHOUSE_BROKER_URL: 'http://broker.example/path' },
  'an identity provider without encryption': { GATEHOUSE_IDENTITY_PROVIDER_URL: 'http://login.example.com' },
  'an identity provider with a password': { GATEHOUSE_IDENTITY_PROVIDER_URL: 'https://a:b@login.example.com' },
  'a chat service without encryption': { GATEHOUSE_CHAT_URL: 'http://chat.example.com' },
  'a mail server by its name alone': { GATEHOUSE_SMTP_URL: 'postfix.internal', GATEHOUSE_SMTP_FROM: 'a@b.org' },
  'a mail server and nobody who writes': { GATEHOUSE_SMTP_FROM: '', GATEHOUSE_SMTP_URL: 'smtps://mail.internal' },
  'a sender who says more': {
    GATEHOUSE_SMTP_FROM: 'a@b.org>\r\nBcc: c@d.org',
    GATEHOUSE_SMTP_URL: 'smtps://mail.internal',
  },
  'a client id of several words': { GATEHOUSE_CHAT_CLIENT_ID: 'two words' },
  'a client secret of several lines': { GATEHOUSE_CHAT_CLIENT_SECRET: 'two\nlines' },
  'an identity at AWS without its secret': { GATEHOUSE_AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE' },
  'an endpoint of AWS without encryption': {
    GATEHOUSE_AWS_ENDPOINT: 'http://vpce.example.com',
    GATEHOUSE_AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    GATEHOUSE_AWS_SECRET_ACCESS_KEY: 'secret',
  },
  'feeds without a name': { GATEHOUSE_FEED: ' , ' },
  'a feed of advisories that anybody on the way could change': {
    GATEHOUSE_VULNERABILITY_FEED: 'http://feeds.example.com/all.zip',
  },
  'a checksum database with an address in place of its name': { GATEHOUSE_GO_SUMDB: 'https://sum.golang.org/' },
  'a Cargo index by its protocol': { GATEHOUSE_CARGO_UPSTREAM: 'sparse+https://index.example/' },
  'a collector that is no address': { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
  'headers for a collector that are none': {
    OTEL_EXPORTER_OTLP_HEADERS: 'canary',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
  },
  'headers for a collector that anybody on the way could read': {
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=canary',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example.com:4318',
  },
  'more traces than all': { OTEL_TRACES_SAMPLER_ARG: '1.5', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' },
  'a log level that is none': { GATEHOUSE_LOG_LEVEL: 'loud' },
  'an object store without its bucket': { GATEHOUSE_S3_ENDPOINT: 'https://s3.example.com' },
  'an object store that anybody on the way could read': {
    ...store,
    GATEHOUSE_S3_ENDPOINT: 'http://s3.example.com',
  },
  'an object store with a path': { ...store, GATEHOUSE_S3_ENDPOINT: 'https://s3.example.com/path' },
  'an object store with a login': { ...store, GATEHOUSE_S3_ENDPOINT: 'https://a:canary@s3.example.com' },
  'a bucket with a slash': { GATEHOUSE_S3_BUCKET: 'a/../b', ...withoutBucket },
  'a prefix that climbs': { GATEHOUSE_S3_PREFIX: '../others', ...store },
  'a secret in two places': { GATEHOUSE_S3_SECRET_ACCESS_KEY_FILE: '/etc/hostname', ...store },
  'a secret in a file that is not there': {
    GATEHOUSE_S3_ACCESS_KEY_ID_FILE: '/nothing/there',
    GATEHOUSE_S3_ENDPOINT: 'https://s3.example.com',
  },
}

for (const [name, env] of Object.entries(refused)) {
  test(`refuses ${name}, naming the setting and not its value`, () => {
    const [[setting, value]] = Object.entries(env) as [[string, string]]
    assert.throws(
      () => readSettings(env),
      (error: Error) => error.message.includes(setting) && (value === '' || !error.message.includes(value)),
    )
  })
}

test('reverse proxies are addresses, ranges, masks and the names of ranges that the web server knows', async () => {
  const entries = ['127.0.0.1', '::1', '10.244.0.0/16', 'fd00::/8', '10.0.0.0/255.0.0.0', 'loopback', 'uniquelocal']
  const { trustProxy } = readSettings({ GATEHOUSE_TRUST_PROXY: entries.join(' , ') })
  assert.deepEqual(trustProxy, entries)
  await createServer({ log: pino({ level: 'silent' }), trustProxy, https: false }).close()
})
