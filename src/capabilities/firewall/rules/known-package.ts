import type { KeyInterval } from '../../../ecosystems/version-range.ts'

/** An advisory about a vulnerability, as far as it concerns one package. */
export type KnownVulnerability = {
  id: string
  severity: string
  /** The version that fixes it; '' where none is known. */
  fixed: string
  interval: KeyInterval
  /** High or critical, and repositories of the deployment have a version that it names. */
  isUrgent: boolean
}

/** Versions that a deployment has already, by `versionKey`. */
export type VersionsInUse = {
  /** The firewall gave them to a client. */
  given: ReadonlySet<string>
  /** Repositories have them, by their last scans. */
  present: ReadonlySet<string>
}

/** What the database says of a package. */
export type KnownPackage = { vulnerabilities: readonly KnownVulnerability[]; inUse: VersionsInUse }

/** What was not looked at yet: the metadata of the version, that of the dependencies which it gains, or advisories about it. */
export type Lack = 'metadata' | 'dependencies' | 'advisories'
