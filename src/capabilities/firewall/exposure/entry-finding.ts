import type { Entry } from './exposure-store.ts'
import {
  type Doubt,
  doubtfulPackage,
  fingerprintOf,
  type MaliciousPackage,
  maliciousPackage,
  named,
  type PackageObservation,
} from './malicious-package.ts'

type EntryLocation = Pick<Entry, 'path' | 'ecosystem' | 'name' | 'version'>

export function maliciousEntry(entry: Entry, advisoryIds: readonly string[]): PackageObservation {
  const { shownName, version } = entry
  return maliciousPackage({
    ...about(entry, advisoryIds),
    identity: identityOf(entry),
    title: `Malicious package ${shownName}`,
    message:
      `${shownName} ${version} is known to be malicious (${named(advisoryIds)}). Whatever installed it ran its ` +
      'code: remove it, and treat machines and secrets within its reach as lost.',
  })
}

/** `origin` says where it comes from, where that is the doubt. */
export function doubtfulEntry(
  entry: Entry,
  advisoryIds: readonly string[],
  doubt: Doubt,
  origin: string,
): PackageObservation {
  const { shownName, version } = entry
  const [title, message] =
    doubt === 'name'
      ? [
          `${shownName} has the name of a malicious package`,
          `${named(advisoryIds)} calls ${shownName} ${version} of the public registry malicious. This one comes from ${origin}, so ` +
            'it is another package that may only share the name. See what it is, and that nothing installs the other one in its place.',
        ]
      : [
          `${shownName} is named by an advisory that waits for a decision`,
          `${named(advisoryIds)} calls every version of ${shownName} malicious. You have had ${version} for a while, so the advisory ` +
            'may be a mistake: an owner or admin confirms or releases it under held advisories. New installs wait until then.',
        ]
  return doubtfulPackage({ ...about(entry, advisoryIds), identity: identityOf(entry, doubt), title, message }, doubt)
}

/** Of every finding that an entry may have: it has one of them at a time. */
export function entryFingerprints(entry: EntryLocation): string[] {
  return [identityOf(entry), identityOf(entry, 'held'), identityOf(entry, 'name')].map(fingerprintOf)
}

function identityOf({ path, ecosystem, name, version }: EntryLocation, doubt?: Doubt): MaliciousPackage['identity'] {
  return [...(doubt ? [doubt] : []), path, ecosystem, name, version]
}

function about({ path, line, ecosystem, shownName, version }: Entry, advisoryIds: readonly string[]) {
  return { path, line, ecosystem, name: shownName, version, advisoryIds }
}
