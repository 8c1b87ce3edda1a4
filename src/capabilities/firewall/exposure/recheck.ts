import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { enqueueMany } from '../../../kernel/jobs/outbox.ts'
import { namePattern } from '../patterns/name-pattern.ts'
import { knownPackages, type PackageName, repositoriesHaving } from './exposure-store.ts'

export const repositoryKind = 'firewall.exposed-repository'
export const clientKind = 'firewall.exposed-clients'

export type Recheck = {
  /** What was decided about: names, and beginnings of names with a star. */
  names: readonly PackageName[]
  /** What the configuration of the deployment is at from the end of the transaction on. */
  configurationVersion: number
  /** Whether an advisory names the package. */
  isNamed(ecosystem: EcosystemId, name: string): boolean
}

/**
 * A deployment decided something about packages, or a decision of it ran out: whoever has one of them that advisories name is
 * looked at again.
 */
export async function recheck(
  tx: Transaction,
  { names, configurationVersion: rules, isNamed }: Recheck,
): Promise<void> {
  const packages = (await spelledOut(tx, names)).filter(({ ecosystem, name }) => isNamed(ecosystem, name))
  if (packages.length === 0) return
  const repositories = await repositoriesHaving(tx, packages)
  // The release before reads jobs too, and calls it `rules`.
  await enqueueMany(tx, [
    ...repositories.map((repositoryId) => ({ kind: repositoryKind, payload: { repositoryId, rules } })),
    { kind: clientKind, payload: { packages, rules } },
  ])
}

/** With those that the deployment has or asked for in place of each pattern. */
async function spelledOut(tx: Transaction, names: readonly PackageName[]): Promise<PackageName[]> {
  const all: PackageName[] = []
  for (const { ecosystem, name } of names) {
    const pattern = namePattern(ecosystem, name)
    if ('exact' in pattern) all.push({ ecosystem, name })
    else for (const start of pattern.starts) all.push(...(await knownPackages(tx, ecosystem, start)))
  }
  return [...new Map(all.map((each) => [`${each.ecosystem}\n${each.name}`, each])).values()]
}
