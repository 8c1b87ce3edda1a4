import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import sql from 'sql-template-tag'
import type { Database } from '../../kernel/database.ts'
import type { KeyRing, SealedValue } from '../../vault/key-ring.ts'
import { placeIn, sealedColumns } from '../../vault/sealed-columns.ts'
import { sealedIdentity } from '../../vault/sealed-transaction.ts'

export type PublicKey = { kty: string; crv: string; x: string; kid: string; alg: string; use: string }
type Row = { id: string; public_jwk: PublicKey; sealed_private_key: SealedValue; retired_at: Date | null }
type SigningKey = { kid: string; privateKey: KeyObject }

const reloadPauseMs = 1_000

export type SigningKeys = ReturnType<typeof createSigningKeys>

/** The Ed25519 keys that sign JSON Web Tokens, shared by all processes on one database. The private half is stored sealed. */
export function createSigningKeys(db: Database, ring: KeyRing) {
  let verifying = new Map<string, KeyObject>()
  let published: PublicKey[] = []
  let signing: SigningKey | undefined
  let loadedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | undefined

  async function current(): Promise<SigningKey> {
    if (!signing) await load()
    return signing!
  }

  /** Another process may have made a key since: an unknown id makes us look again, at most once a second. */
  async function find(kid: string): Promise<KeyObject | undefined> {
    if (!verifying.has(kid) && performance.now() - loadedAt > reloadPauseMs) await load()
    return verifying.get(kid)
  }

  async function publicKeys(): Promise<PublicKey[]> {
    if (!signing) await load()
    return published
  }

  /** One look serves all who wait for it, and only one that succeeded counts. */
  function load(): Promise<void> {
    loading ??= read().finally(() => {
      loading = undefined
    })
    return loading
  }

  async function read(): Promise<void> {
    let rows = await list()
    if (!rows.some((row) => !row.retired_at)) {
      await make()
      rows = await list()
    }
    const newest = rows.find((row) => !row.retired_at)!
    const der = await ring.open('instance', newest.sealed_private_key, placeIn(sealedColumns.signingKey, newest.id))
    verifying = new Map(
      rows.map((row) => [row.id, createPublicKey({ key: row.public_jwk as JsonWebKey, format: 'jwk' })]),
    )
    published = rows.map((row) => row.public_jwk)
    signing = { kid: newest.id, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) }
    loadedAt = performance.now()
  }

  function list(): Promise<Row[]> {
    return db.identityQuery<Row>(sql`select id, public_jwk, sealed_private_key, retired_at from signing_key
      where retired_at is null or retired_at > now() - interval '1 hour' order by created_at desc, id`)
  }

  async function make(): Promise<void> {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const kid = randomUUID()
    const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' }
    const der = privateKey.export({ format: 'der', type: 'pkcs8' })
    const secret = { plaintext: der, place: placeIn(sealedColumns.signingKey, kid) }
    // Two processes that start at once must not each sign with a key of their own: the lock lets the first one win.
    await sealedIdentity({ db, ring }, secret, async (tx, sealed) => {
      await tx.query(sql`select pg_advisory_xact_lock(hashtext('gatehouse.signing_key'))`)
      await tx.query(sql`insert into signing_key (id, public_jwk, sealed_private_key)
        select ${kid}, ${JSON.stringify(publicJwk)}::jsonb, ${JSON.stringify(sealed)}::jsonb
        where not exists (select from signing_key where retired_at is null)`)
    })
  }

  return { current, find, publicKeys }
}
