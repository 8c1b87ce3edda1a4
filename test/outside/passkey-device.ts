import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

type Options = { challenge: string; rp?: { id: string }; rpId?: string; user?: { id: string } }
type Told = { origin?: string; rpId?: string; counter?: number; verified?: boolean }

/**
 * An authenticator in software (WebAuthn §6), with one ES256 key that it keeps to itself: what a browser and a security key do
 * together, and what a wrong one would do.
 */
export function passkeyDevice(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  let counter = 0
  let userHandle = ''

  /** `navigator.credentials.create` and `toJSON`. */
  function create({ challenge, rp, user }: Options, told: Told = {}) {
    userHandle = user!.id
    const data = authenticatorData(told.rpId ?? rp!.id, { ...told, counter: told.counter ?? ++counter }, publicKey)
    const attestation = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(data)],
    ])
    return {
      ...named(),
      response: {
        clientDataJSON: clientData('webauthn.create', challenge, told),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  /** `navigator.credentials.get` and `toJSON`. */
  function get({ challenge, rpId }: Options, told: Told = {}) {
    const data = authenticatorData(told.rpId ?? rpId!, { ...told, counter: told.counter ?? ++counter })
    const client = clientData('webauthn.get', challenge, told)
    const digest = createHash('sha256').update(Buffer.from(client, 'base64url')).digest()
    const signed = createSign('sha256')
      .update(Buffer.concat([data, digest]))
      .sign(privateKey)
    return {
      ...named(),
      response: {
        clientDataJSON: client,
        authenticatorData: data.toString('base64url'),
        signature: signed.toString('base64url'),
        userHandle,
      },
    }
  }

  function named() {
    const text = id.toString('base64url')
    return {
      id: text,
      rawId: text,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
    }
  }

  function clientData(type: string, challenge: string, told: Told): string {
    const data = { type, challenge, origin: told.origin ?? origin, crossOrigin: false }
    return Buffer.from(JSON.stringify(data)).toString('base64url')
  }

  /** WebAuthn §6.1: with the new key after it when one is made. */
  function authenticatorData(rpId: string, told: Told, key?: KeyObject): Buffer {
    const userPresent = 1
    const userVerified = told.verified === false ? 0 : 4
    const flags = Buffer.from([userPresent | userVerified | (key ? 0x40 : 0)])
    const count = Buffer.alloc(4)
    count.writeUInt32BE(told.counter ?? 0)
    const head = Buffer.concat([createHash('sha256').update(rpId).digest(), flags, count])
    if (!key) return head
    return Buffer.concat([head, Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey(key)])
  }

  return { create, get }
}

/** RFC 9053 §7.1.1: EC2, ES256, P-256. */
function coseKey(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' })
  return cborMap([
    [Buffer.from([0x01]), Buffer.from([0x02])],
    [Buffer.from([0x03]), Buffer.from([0x26])],
    [Buffer.from([0x20]), Buffer.from([0x01])],
    [Buffer.from([0x21]), cborBytes(Buffer.from(x!, 'base64url'))],
    [Buffer.from([0x22]), cborBytes(Buffer.from(y!, 'base64url'))],
  ])
}

function cborMap(entries: [Buffer, Buffer][]): Buffer {
  return Buffer.concat([Buffer.from([0xa0 | entries.length]), ...entries.flat()])
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)])
}

function cborBytes(bytes: Buffer): Buffer {
  // RFC 8949 §4.2.1: the shortest length that holds it.
  const length = bytes.length < 256 ? [0x58, bytes.length] : [0x59, bytes.length >> 8, bytes.length & 255]
  return Buffer.concat([Buffer.from(length), bytes])
}
