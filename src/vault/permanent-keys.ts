import type { KeyRing } from './key-ring.ts'

/** What the keys that stay for ever are called, in an installation with these deployments. */
export function permanentKeyLabels(deploymentIds: readonly number[]): string[] {
  return [...installationWide, ...deploymentIds.map(findingIdentity)]
}

const installationWide = ['cursor', 'idempotency'] as const
const findingIdentity = (deploymentId: number) => `finding-identity/${deploymentId}`

export type PermanentKeys = ReturnType<typeof createPermanentKeys>

/** Keys whose value must survive a change of the master key. Those of the installation are loaded before they are used. */
export function createPermanentKeys(ring: KeyRing) {
  const loaded = new Map<string, Buffer>()

  /** Before the first request is taken. */
  async function load(): Promise<void> {
    for (const label of installationWide) loaded.set(label, await ring.keep(label))
  }

  function get(label: (typeof installationWide)[number]): Buffer {
    const key = loaded.get(label)
    if (!key) throw new Error(`The key '${label}' is used before it was loaded.`)
    return key
  }

  return {
    load,
    cursor: () => get('cursor'),
    idempotency: () => get('idempotency'),
    /**
     * What the identity of secrets is made with: always the same, so that a secret is known again, and another one in each
     * deployment, so that nobody can tell by its findings what secrets another one has.
     */
    findingIdentity: async (deploymentId: number) => new Uint8Array(await ring.keep(findingIdentity(deploymentId))),
  }
}
