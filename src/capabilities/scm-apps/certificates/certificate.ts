import { createHash, KeyObject, randomBytes, webcrypto } from 'node:crypto'
import { createSemaphore } from '../../../kernel/threads/semaphore.ts'

export type MadeCertificate = { pem: string; fingerprint: Buffer; expiresAt: Date; privateKeyPem: string }

const validDays = 365
const skewMs = 5 * 60_000
const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
// Each takes a thread of the pool for some tenths of a second; file reads and name look-ups wait for the same threads.
const turns = createSemaphore(2, 20_000)

/** An RSA-3072 key pair and a self-signed X.509 certificate (RFC 5280) for it. */
export function makeCertificate(clientId: string, now: Date): Promise<MadeCertificate> {
  return turns.run(async () => {
    const parameters = { ...algorithm, modulusLength: 3072, publicExponent: new Uint8Array([1, 0, 1]) }
    const keys = await webcrypto.subtle.generateKey(parameters, true, ['sign', 'verify'])
    const { pem, der, expiresAt } = await selfSigned(keys, clientId, now)
    const privateKeyPem = KeyObject.from(keys.privateKey).export({ format: 'pem', type: 'pkcs8' }).toString()
    return { pem, expiresAt, privateKeyPem, fingerprint: createHash('sha256').update(der).digest() }
  })
}

async function selfSigned(keys: webcrypto.CryptoKeyPair, clientId: string, now: Date) {
  // Loaded by the first who needs it: it takes longer than everything else at the start of the server.
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  // X.509 knows no fractions of seconds. The clock of the other side may be behind ours.
  const start = Math.floor(now.getTime() / 1000) * 1000 - skewMs
  const expiresAt = new Date(start + validDays * 86_400_000)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    // RFC 5280 appendix A.1: a common name has at most 64 characters.
    name: [{ CN: [`Gatehouse ${clientId}`.slice(0, 64)] }],
    notBefore: new Date(start),
    notAfter: expiresAt,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { pem: `${certificate.toString('pem')}\n`, der: Buffer.from(certificate.rawData), expiresAt }
}

/** RFC 5280 §4.1.2.2: positive and at most 20 bytes. */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return bytes.toString('hex')
}
