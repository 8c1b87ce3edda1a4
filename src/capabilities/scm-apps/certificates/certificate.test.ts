import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startIdentityProvider } from '../../../sandbox/identity-provider.ts'
import { makeCertificate } from './certificate.ts'
import { type AssertionRequest, signAssertion } from './client-assertion.ts'

const clientId = '0b7d2c44-93f5-4e0a-a1c8-5d6e7f8091a2'
const now = new Date()
const made = await makeCertificate(clientId, now)
const other = await makeCertificate(clientId, now)

const time = { now: () => now }
const provider = await startIdentityProvider({ clock: time })
provider.register('tenant', clientId)
provider.uploadCertificate(clientId, made.pem)
after(() => provider.close())

const tokenEndpoint = `${provider.url}/tenant/oauth2/v2.0/token`
const right: AssertionRequest = { clientId, tokenEndpoint, now, ...made }

async function present(assertion: string): Promise<{ status: number; codes: number[]; token: string | undefined }> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    scope: 'service/.default',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  })
  const response = await fetch(tokenEndpoint, { method: 'POST', body })
  const answer = (await response.json()) as { error_codes?: number[]; access_token?: string }
  return { status: response.status, codes: answer.error_codes ?? [], token: answer.access_token }
}

test('a certificate is what it says: RSA-3072, self-signed, a year, for signatures only', () => {
  const certificate = new X509Certificate(made.pem)
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.modulusLength, 3072)
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.publicExponent, 65537n)
  assert.ok(certificate.verify(certificate.publicKey))
  assert.ok(certificate.checkPrivateKey(createPrivateKey(made.privateKeyPem)))
  assert.equal(certificate.ca, false)
  assert.equal(certificate.subject, `CN=Gatehouse ${clientId}`)
  assert.equal(certificate.validToDate.getTime(), made.expiresAt.getTime())
  assert.equal(certificate.fingerprint256.replaceAll(':', '').toLowerCase(), made.fingerprint.toString('hex'))
  assert.ok(certificate.validFromDate < now)
  assert.match(certificate.serialNumber, /^[4-7][0-9A-F]{31}$/)
})

test('no two are alike', () => {
  assert.notEqual(made.pem, other.pem)
  assert.notEqual(new X509Certificate(made.pem).serialNumber, new X509Certificate(other.pem).serialNumber)
})

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

test('openssl accepts it, strictly', { skip: hasOpenssl ? false : 'there is no openssl here' }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-certificate-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'certificate.pem')
  writeFileSync(file, made.pem)
  const openssl = (...args: string[]) => spawnSync('openssl', args, { encoding: 'utf8' })
  const verified = openssl('verify', '-x509_strict', '-check_ss_sig', '-purpose', 'sslclient', '-CAfile', file, file)
  assert.deepEqual([verified.status, verified.stdout.trim()], [0, `${file}: OK`], verified.stderr)
  const shown = openssl('x509', '-in', file, '-noout', '-text', '-fingerprint', '-sha256')
  assert.equal(shown.status, 0, shown.stderr)
  assert.match(shown.stdout, /Public-Key: \(3072 bit\)/)
  assert.match(shown.stdout, /Signature Algorithm: sha256WithRSAEncryption/)
  assert.match(shown.stdout, /CA:FALSE/)
  assert.match(shown.stdout, /Digital Signature\n/)
  const fingerprint = /Fingerprint=([0-9A-F:]+)/.exec(shown.stdout)?.[1]?.replaceAll(':', '').toLowerCase()
  assert.equal(fingerprint, made.fingerprint.toString('hex'))
})

test('the provider takes an assertion once', async () => {
  const assertion = await signAssertion(right)
  const first = await present(assertion)
  assert.equal(first.status, 200)
  assert.equal(provider.whose(first.token!), clientId)
  const second = await present(assertion)
  assert.deepEqual([second.status, second.token], [401, undefined])
})

const refused: [string, Partial<AssertionRequest>, number][] = [
  ['by another key', { privateKeyPem: other.privateKeyPem }, 700027],
  ['by a certificate that was not uploaded', other, 700027],
  ['that has expired', { now: new Date(now.getTime() - 301_000) }, 700024],
  ['from the future', { now: new Date(now.getTime() + 3_600_000) }, 700027],
  ['for another endpoint', { tokenEndpoint: `${provider.url}/other/oauth2/v2.0/token` }, 700027],
  ['of another client', { clientId: 'somebody-else' }, 700027],
]

for (const [name, change, code] of refused) {
  test(`the provider refuses an assertion ${name}`, async () => {
    const answer = await present(await signAssertion({ ...right, ...change }))
    assert.deepEqual(answer, { status: 401, codes: [code], token: undefined })
  })
}

test('the provider refuses what was changed after signing, and other algorithms', async () => {
  const [header, payload, signature] = (await signAssertion(right)).split('.') as [string, string, string]
  const decoded = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const longer = Buffer.from(JSON.stringify({ ...decoded, exp: decoded.exp + 100 })).toString('base64url')
  const none = Buffer.from(JSON.stringify({ alg: 'none', 'x5t#S256': made.fingerprint.toString('base64url') }))
  const tampered = [`${header}.${longer}.${signature}`, `${none.toString('base64url')}.${payload}.`, 'nonsense', '']
  for (const assertion of tampered) assert.equal((await present(assertion)).status, 401, assertion.slice(0, 20))
})
