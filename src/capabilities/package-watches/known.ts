import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import * as inventory from '../inventory/public.ts'
import { severityOfVersion, vulnerabilityIdsByPackage } from '../vulnerabilities/public.ts'
import type { Known } from './store.ts'

export type WatchedFirewall = {
  verdict(deploymentId: number, ecosystem: EcosystemId, name: string, version: string): { decision: string }
  /** Has what verdicts on the package need: without it they would be others, once a client has asked for it. */
  prepare(deploymentId: number, ecosystem: EcosystemId, name: string): Promise<void> | undefined
}

/** With the names that news is told by. */
export type KnownNow = Known & { repositories: readonly { id: number; name: string }[] }

const everything: inventory.Conditions = {
  packages: undefined,
  repositoryIds: undefined,
  lockfilePath: undefined,
  licences: undefined,
  transitivity: undefined,
  includeArchived: false,
}

export const packageKey = ({ ecosystem, name }: inventory.PackageName) => `${ecosystem} ${name}`

/** What the actor could find out about these packages, by `packageKey`. What no repository has is left out. */
export async function readKnown(
  db: Queryable,
  actor: Actor,
  packages: readonly inventory.PackageName[],
  firewall: WatchedFirewall,
): Promise<Map<string, KnownNow>> {
  const found = packages.length > 0 ? await inventory.repositoriesOfPackages(db, actor, everything, packages) : []
  const ids = found.map((each) => each.id)
  const versions = await inventory.listVersions<number>(db, actor, everything, ids, severityOfVersion)
  const byPackage = Map.groupBy(versions, (version) => version.packageId)
  const vulnerabilityIds = await vulnerabilityIdsByPackage(db, vulnerableAmong(found, byPackage), packageKey)
  const mayReadFirewall = actor.permissions.has('firewall:read')
  if (mayReadFirewall)
    await Promise.all(
      found.map(({ ecosystem, name }) => firewall.prepare(actor.deploymentId, ecosystem as EcosystemId, name)),
    )
  const known = new Map<string, KnownNow>()
  for (const { id, repositories, ...own } of found) {
    const used = byPackage.get(id) ?? []
    known.set(packageKey(own), {
      repositories,
      repositoryIds: repositories.map((each) => each.id),
      versions: used.map(({ version }) => version).filter((version) => version !== ''),
      vulnerabilityIds: vulnerabilityIds.get(packageKey(own)) ?? [],
      isKeptOut: mayReadFirewall && used.some(({ version }) => isKeptOut(own, version)),
    })
  }
  return known

  function isKeptOut({ ecosystem, name }: inventory.PackageName, version: string): boolean {
    if (version === '') return false
    const { decision } = firewall.verdict(actor.deploymentId, ecosystem as EcosystemId, name, version)
    return decision === 'block' || decision === 'held'
  }
}

/** The versions that some advisory names, each with its package. */
function vulnerableAmong(
  found: readonly (inventory.PackageName & { id: number })[],
  byPackage: ReadonlyMap<number, inventory.VersionRow<number>[]>,
) {
  return found.flatMap(({ id, ecosystem, name }) =>
    (byPackage.get(id) ?? [])
      .filter(({ version, known }) => version !== '' && known !== null)
      .map(({ orderKey }) => ({ ecosystem, name, orderKey })),
  )
}
