import { mostNamed, type PackageNews } from './contract.ts'
import type { KnownNow } from './known.ts'
import type { Known } from './store.ts'

/** What is there now and was not when somebody last looked. What went away is not news: nobody has to do anything about it. */
export function newsSince(seen: Known, now: KnownNow): PackageNews {
  const repositories = added(seen.repositoryIds, now.repositories, ({ id }) => id)
  const versions = added(seen.versions, now.versions, (version) => version)
  const vulnerabilities = added(seen.vulnerabilityIds, now.vulnerabilityIds, (id) => id)
  return {
    repositoryCount: repositories.length,
    repositories: repositories.slice(0, mostNamed).map(({ id, name }) => ({ id: String(id), name })),
    versionCount: versions.length,
    versions: versions.slice(0, mostNamed),
    vulnerabilityCount: vulnerabilities.length,
    vulnerabilities: vulnerabilities.slice(0, mostNamed),
    firewall: seen.isKeptOut === now.isKeptOut ? null : now.isKeptOut ? 'kept_out' : 'let_in',
  }
}

export function isNews({ repositoryCount, versionCount, vulnerabilityCount, firewall }: PackageNews): boolean {
  return repositoryCount + versionCount + vulnerabilityCount > 0 || firewall !== null
}

function added<Key, Item>(before: readonly Key[], now: readonly Item[], keyOf: (item: Item) => Key): Item[] {
  const known = new Set(before)
  return now.filter((item) => !known.has(keyOf(item)))
}
