import type { PurlName } from './purl.ts'

/** What Gatehouse knows about one package ecosystem: its names and the order of its versions. Pure. */
export type Ecosystem = {
  readonly id: EcosystemId
  /** The purl type, e.g. `golang` for gomod (purl-spec, PURL-TYPES). */
  readonly purlType: string
  /** What OSV advisories call it (`affected[].package.ecosystem`); undefined where OSV has no advisories for it. */
  readonly osvName: string | undefined
  /** The one spelling under which a package is stored and looked up (PEP 503, case rules, `group:artifact`). */
  normalizeName(name: string): string
  /**
   * The same for all names that lead to one package, spelled as it was published or not: what is known or was decided about one of
   * them holds for each.
   */
  comparedName(name: string): string
  /**
   * A part of a name as that spelling has it, in lower case: what is looked for in names where somebody typed a part of one. The same
   * part for all spellings that `normalizeName` takes for one.
   */
  normalizePart(part: string): string
  /** The package's name as its own tools write it; undefined where such a purl cannot name a package here. */
  nameFromPurl(purl: PurlName): string | undefined
  /** The reverse; undefined where the name cannot be written as a purl (a Swift package without its host). */
  nameToPurl(name: string): PurlName | undefined
  /** Negative, zero or positive, like Array.prototype.sort wants it. A total order over all strings; never throws. */
  compare(a: string, b: string): number
  /** Bytes whose bytewise order is exactly `compare`; equal bytes where `compare` is 0. Linear in the length of the version. */
  orderKey(version: string): Uint8Array
  /**
   * The version that a build is one of, where a registry keeps several builds under one version: what is said of the version is said of
   * each of them. Any other version itself.
   */
  versionOfBuild(version: string): string
  /** Bytes that no build of the version comes after, and all later versions do: its key, where builds are not told apart. */
  lastBuildKey(version: string): Uint8Array
}

/** Ecosystems with a registry that packages are fetched from: what package managers and the firewall are about. */
export const registryEcosystemIds = [
  'npm',
  'pypi',
  'gomod',
  'cargo',
  'maven',
  'gem',
  'composer',
  'nuget',
  'pub',
  'swiftpm',
  'hex',
  'cocoapods',
] as const

/** Those whose packages come through the malware firewall. */
export const proxiedEcosystemIds = ['npm', 'pypi', 'maven', 'cargo', 'gomod'] as const
export type ProxiedEcosystemId = (typeof proxiedEcosystemIds)[number]

/** All that an inventory can have: the packages of distributions too, and `generic` for what belongs to none. */
export const ecosystemIds = [...registryEcosystemIds, 'deb', 'apk', 'rpm', 'generic'] as const
export type RegistryEcosystemId = (typeof registryEcosystemIds)[number]
export type EcosystemId = (typeof ecosystemIds)[number]

type Chosen = 'comparedName' | 'normalizePart' | 'versionOfBuild' | 'lastBuildKey'
type Rules = Omit<Ecosystem, 'compare' | Chosen> & Partial<Pick<Ecosystem, Chosen>>

/**
 * `compare` is never written by hand: it is the order of the keys, so the two cannot disagree. Parts of names differ from each other by
 * the case of letters, where nothing else is said.
 */
export function defineEcosystem(rules: Rules): Ecosystem {
  return {
    comparedName: rules.normalizeName,
    normalizePart: (part) => part.toLowerCase(),
    versionOfBuild: (version) => version,
    lastBuildKey: rules.orderKey,
    ...rules,
    compare: (a, b) => Buffer.compare(rules.orderKey(a), rules.orderKey(b)),
  }
}
