import type { Transaction } from '../../../kernel/database/database.ts'
import { enqueueMany } from '../../../kernel/jobs/outbox.ts'
import { type PackageName, repositoriesHaving } from './exposure-store.ts'

export const repositoryKind = 'firewall.exposed-repository'
export const clientKind = 'firewall.exposed-clients'

/**
 * A deployment decided something about packages, or a decision of it ran out: whoever has one of them is looked at again.
 * `rules` is what its rules are at from the end of the transaction on.
 */
export async function recheck(tx: Transaction, packages: readonly PackageName[], rules: number): Promise<void> {
  if (packages.length === 0) return
  const repositories = await repositoriesHaving(tx, packages)
  await enqueueMany(tx, [
    ...repositories.map((repositoryId) => ({ kind: repositoryKind, payload: { repositoryId, rules } })),
    { kind: clientKind, payload: { packages, rules } },
  ])
}
