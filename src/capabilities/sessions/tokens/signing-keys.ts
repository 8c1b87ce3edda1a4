import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import sql from 'sql-template-tag'
import type { Database } from '../../../kernel/database/database.ts'
import type { KeyRing, SealedValue } from '../../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../../vault/rotation/sealed-columns.ts'
import { sealedIdentity } from '../../../vault/sealed-transaction.ts'

export type PublicKey = { kty: string; crv: string; x: string; kid: string; alg: string; use: string }
type Row = { id: string; public_jwk: PublicKey; sealed_private_key: SealedValue; retired: boolean; due: boolean }
type SigningKey = { kid: string; privateKey: KeyObject }

const reloadPauseMs = 1_000
/** Within which every process has noticed a new key. */
const usualFreshMs = 60_000
/** After which a key gives way to a new one. */
const signingDays = 30
/**
 * How long a key verifies after it was retired: the 15 minutes that a token lives, the minute in which another process may
 * still sign with it, and time for clocks that differ. Then it is removed.
 */
const verifyingMinutes = 60

export type SigningKeys = ReturnType<typeof createSigningKeys>

/**
 * The Ed25519 keys that sign JSON Web Tokens, shared by all processes on one database. The private half is stored sealed.
 * The newest signs; one that is too old is retired by whoever notices first, and removed when no token of its can be valid.
 */
export function createSigningKeys(db: Database, ring: KeyRing, freshMs = usualFreshMs) {
  let verifying = new Map<string, KeyObject>()
  let published: PublicKey[] = []
  let signing: SigningKey | undefined
  let loadedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | undefined

  async function current(): Promise<SigningKey> {
    if (!isFresh()) await load()
    return signing!
  }

  function isFresh(): boolean {
    return performance.now() - loadedAt < freshMs
  }

  /** Another process may have made a key since: an unknown id makes us look again, at most once a second. */
  async function find(kid: string): Promise<KeyObject | undefined> {
    const pauseMs = verifying.has(kid) ? freshMs : reloadPauseMs
    if (performance.now() - loadedAt > pauseMs) await load()
    return verifying.get(kid)
  }

  async function publicKeys(): Promise<PublicKey[]> {
    if (!isFresh()) await load()
    return published
  }

  /** A new key from now on; the id of it. Other processes notice within a minute. */
  async function rotate(): Promise<string> {
    const before = (await list()).filter(({ retired }) => !retired).map(({ id }) => id)
    await make(before)
    await read()
    return signing!.kid
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
    if (!rows.some(({ retired, due }) => !retired && !due)) {
      await make(rows.map(({ id }) => id))
      rows = await list()
    }
    const newest = rows.find(({ retired }) => !retired)!
    const der = await ring.open(
      'instance',
      newest.sealed_private_key,
      sealedFieldOf(sealedColumns.signingKey, newest.id),
    )
    verifying = new Map(
      rows.map((row) => [row.id, createPublicKey({ key: row.public_jwk as JsonWebKey, format: 'jwk' })]),
    )
    published = rows.map((row) => row.public_jwk)
    signing = { kid: newest.id, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) }
    loadedAt = performance.now()
  }

  function list(): Promise<Row[]> {
    return db.identityQuery<Row>(sql`select id, public_jwk, sealed_private_key, retired_at is not null as retired,
        created_at < now() - make_interval(days => ${signingDays}) as due
      from signing_key where ${stillVerifies} order by created_at desc, id`)
  }

  /** A key in place of those with these ids, unless another process was faster. */
  async function make(inPlaceOf: readonly string[]): Promise<void> {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const kid = randomUUID()
    const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' }
    const der = privateKey.export({ format: 'der', type: 'pkcs8' })
    const secret = { plaintext: der, place: sealedFieldOf(sealedColumns.signingKey, kid) }
    // Two processes that start at once must not each sign with a key of their own: the lock lets the first one win.
    await sealedIdentity({ db, ring }, secret, async (tx, sealed) => {
      await tx.query(sql`select pg_advisory_xact_lock(hashtext('gatehouse.signing_key'))`)
      await tx.query(sql`insert into signing_key (id, public_jwk, sealed_private_key)
        select ${kid}, ${JSON.stringify(publicJwk)}::jsonb, ${JSON.stringify(sealed)}::jsonb
        where not exists (select 1 from signing_key where retired_at is null and id <> all(${inPlaceOf}::text[]))`)
      await tx.query(
        sql`update signing_key set retired_at = now() where retired_at is null and id = any(${inPlaceOf}::text[])`,
      )
      await tx.query(sql`delete from signing_key where not (${stillVerifies})`)
    })
  }

  return { current, find, publicKeys, rotate }
}

const stillVerifies = sql`retired_at is null or retired_at > now() - make_interval(mins => ${verifyingMinutes})`
