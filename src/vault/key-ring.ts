import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { Fault } from '../kernel/contract/fault.ts'
import { deriveKey, unwrapKey, type WrappedKey, wrapKey } from './master-key/wrapping.ts'
import { cannotOpen, open as openSealed, type Sealed, seal as sealWith } from './seal.ts'
import { VaultError } from './vault-error.ts'

export type { WrappedKey } from './master-key/wrapping.ts'

/** Where wrapped data keys are kept. What it holds is useless without the master key. */
export type KeyStore = {
  list(scope: string): Promise<WrappedKey[]>
  /** False, and nothing changed, where the scope has that version already. */
  insert(scope: string, version: number, wrapped: string): Promise<boolean>
  /** Throws where what is stored is wrapped by another master key; `requireOpens` throws for a key that is. */
  confirm?(requireOpens: (scope: string, key: WrappedKey) => void): Promise<void>
}

export type SealedValue = Sealed & { keyVersion: string }
export type ExportedKeys = {
  scope: string
  currentVersion: string
  keys: { keyVersion: string; key: string }[]
}
export type SealedField = { record: string; field: string }

/** The keys of a scope as they were when they were loaded, to work with where nothing may be waited for. */
export type LoadedKeys = {
  version: number
  seal(plaintext: Uint8Array, place: SealedField): SealedValue
  open(sealed: SealedValue, place: SealedField): Buffer
}

type DataKey = { version: number; wrapped: string; key: KeyObject }

export type KeyRing = ReturnType<typeof createKeyRing>

/**
 * Data keys per scope ('instance' or a deployment id), in versions: the newest seals, all of them open.
 * A data key is 32 random bytes, stored only sealed under a key derived from the master key for its scope and version.
 */
export function createKeyRing({ masterKey, store }: { masterKey: Buffer; store: KeyStore }) {
  const master = createSecretKey(masterKey)
  const unwrapped = new Map<string, DataKey>()

  /** Always asks the store, since another process may have rotated; sealing is rare, so its cost does not matter. */
  async function seal(scope: string, plaintext: string | Uint8Array, place: SealedField): Promise<SealedValue> {
    return sealUnder(await current(scope), scope, plaintext, place)
  }

  /** Refuses by a Fault that names the place and nothing of the value. */
  async function open(scope: string, sealed: SealedValue, place: SealedField): Promise<Buffer> {
    const { keyVersion } = sealed
    const key = /^[1-9][0-9]{0,8}$/.test(keyVersion) ? await find(scope, keyVersion) : undefined
    try {
      if (!key) throw cannotOpen()
      return openSealed(key, sealed, { scope, ...place, keyVersion })
    } catch (error) {
      if (!(error instanceof VaultError) || error.reason !== 'cannot_open') throw error
      throw new Fault('credential_unreadable', unreadable(scope, place), { cause: error })
    }
  }

  /** Adds a version and returns it; of rotations that meet, all return the one version that came of them. */
  async function rotate(scope: string): Promise<string> {
    const newest = (await load(scope)).at(-1)?.version ?? 0
    return String((await add(scope, newest + 1)).version)
  }

  /** The raw keys, for a scan agent that opens its deployment's credentials itself. The caller records who asked. */
  async function exportKeys(scope: string): Promise<ExportedKeys> {
    const { version } = await current(scope)
    const keys = await load(scope)
    return {
      scope,
      currentVersion: String(version),
      keys: keys.map(({ version, key }) => ({
        keyVersion: String(version),
        key: key.export().toString('base64'),
      })),
    }
  }

  async function loadKeys(scope: string): Promise<LoadedKeys> {
    const newest = await current(scope)
    const keys = new Map((await load(scope)).map(({ version, key }) => [String(version), key]))
    return {
      version: newest.version,
      seal: (plaintext, place) => sealUnder(newest, scope, plaintext, place),
      open(sealed, place) {
        const key = keys.get(sealed.keyVersion)
        if (!key) throw cannotOpen()
        return openSealed(key, sealed, { scope, ...place, keyVersion: sealed.keyVersion })
      },
    }
  }

  /** The version that seals now. */
  async function currentVersion(scope: string): Promise<string> {
    return String((await current(scope)).version)
  }

  /**
   * A key that stays what it is for ever, whatever becomes of the master key: what it was used for could not be known again
   * with another one. Its first value is derived from the master key of that time, and it is stored before it is used.
   */
  async function keep(label: string): Promise<Buffer> {
    const scope = `kept:${label.replaceAll('/', ':')}`
    const known =
      unwrapped.get(`${scope}/1`) ?? (await load(scope))[0] ?? (await add(scope, 1, deriveKey(master, label)))
    return known.key.export()
  }

  /** Throws where the keys in the store are wrapped by another master key than ours. */
  async function confirm(): Promise<void> {
    await store.confirm?.((scope, key) => void unwrap(scope, key))
  }

  async function current(scope: string): Promise<DataKey> {
    return (await load(scope)).at(-1) ?? (await add(scope, 1))
  }

  async function find(scope: string, keyVersion: string): Promise<KeyObject | undefined> {
    const known = unwrapped.get(`${scope}/${keyVersion}`)
    if (known) return known.key
    return (await load(scope)).find(({ version }) => String(version) === keyVersion)?.key
  }

  async function load(scope: string): Promise<DataKey[]> {
    const rows = await store.list(scope)
    return rows.map((row) => unwrap(scope, row)).sort((a, b) => a.version - b.version)
  }

  /** On a conflict somebody else has just made that version: theirs is the one that counts. */
  async function add(scope: string, version: number, key: Buffer = randomBytes(32)): Promise<DataKey> {
    await confirm()
    await store.insert(scope, version, wrapKey(master, scope, version, key))
    const added = (await load(scope)).find((key) => key.version === version)
    if (!added) throw new Error(`The key store lost version ${version} of scope ${scope}.`)
    return added
  }

  function unwrap(scope: string, row: WrappedKey): DataKey {
    const name = `${scope}/${row.version}`
    const known = unwrapped.get(name)
    if (known?.wrapped === row.wrapped) return known
    const entry = { ...row, key: createSecretKey(unwrapKey(master, scope, row)) }
    unwrapped.set(name, entry)
    return entry
  }

  return { seal, open, rotate, load: loadKeys, export: exportKeys, currentVersion, keep, confirm }
}

function unreadable(scope: string, { record, field }: SealedField): string {
  const owner = scope === 'instance' ? 'this Gatehouse' : `deployment ${scope}`
  return (
    `What is stored as ${field} of ${record} in ${owner} cannot be opened, so it was not used. ` +
    'Something other than Gatehouse changed it in the database. Enter it again.'
  )
}

function sealUnder(
  { key, version }: DataKey,
  scope: string,
  plaintext: string | Uint8Array,
  place: SealedField,
): SealedValue {
  const keyVersion = String(version)
  return { ...sealWith(key, plaintext, { scope, ...place, keyVersion }), keyVersion }
}
