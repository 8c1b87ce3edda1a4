import { type Registry, registriesOf, type SignIn, signInFor } from '../../capabilities/package-managers/public.ts'
import { type OwnedNames, ownedNames } from '../../capabilities/package-names/public.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { createSingleFlight } from '../cache/single-flight.ts'

/** A registry of a deployment, ready to be signed in to; or why it cannot be, which concerns nobody but who asks it. */
export type OpenRegistry = Registry & { signIn: SignIn | { unreadable: Fault } | undefined }

export type DeploymentRegistries = OwnedNames & { registries: OpenRegistry[]; hosts: string[] }

export type Registries = ReturnType<typeof createRegistries>

/** A change is felt by every process within a second. */
const freshMs = 500

/** The registries of deployments as they are now, their credentials opened once for each value that is stored. */
export function createRegistries(db: Database, ring: KeyRing, now: () => number) {
  const known = new Map<number, { at: number; value: DeploymentRegistries }>()
  const opened = new Map<string, Promise<SignIn | undefined>>()
  const once = createSingleFlight<DeploymentRegistries>()

  function get(deploymentId: number): DeploymentRegistries | Promise<DeploymentRegistries> {
    const entry = known.get(deploymentId)
    if (entry && now() - entry.at < freshMs) return entry.value
    return once(String(deploymentId), () => load(deploymentId))
  }

  async function load(deploymentId: number): Promise<DeploymentRegistries> {
    const at = now()
    const reader = db.as({ deploymentId })
    const [rows, owned] = await Promise.all([registriesOf(reader), ownedNames(reader)])
    const isHost = ({ registryType }: Registry) => registryType === 'REGISTRY_TYPE_MALWARE_FIREWALL'
    const registries = await Promise.all(
      rows
        .filter((row) => !isHost(row))
        .map(async (row) => ({ ...row, signIn: await signInOrFault(deploymentId, row) })),
    )
    const value = { ...owned, registries, hosts: rows.filter(isHost).map(({ url }) => url) }
    known.set(deploymentId, { at, value })
    return value
  }

  /** What was read of a deployment is read again when it is next needed. */
  function forget(deploymentId: number): void {
    known.delete(deploymentId)
  }

  function signIn(deploymentId: number, row: Registry): Promise<SignIn | undefined> {
    const key = `${deploymentId} ${row.id} ${row.version} ${row.credentials?.tag}`
    const found = opened.get(key)
    if (found) return found
    if (opened.size > 10_000) opened.clear()
    const opening = signInFor(ring, deploymentId, row)
    opened.set(key, opening)
    opening.catch(() => opened.delete(key))
    return opening
  }

  /** One registry whose credentials cannot be opened leaves the others as they are. */
  async function signInOrFault(deploymentId: number, row: Registry): Promise<OpenRegistry['signIn']> {
    try {
      return await signIn(deploymentId, row)
    } catch (error) {
      if (error instanceof Fault && error.code === 'credential_unreadable') return { unreadable: error }
      throw error
    }
  }

  return { get, forget }
}
