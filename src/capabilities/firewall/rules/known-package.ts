import type { KeyInterval } from '../../../ecosystems/version-range.ts'
import type { ArchiveFacts } from './release-facts.ts'

/** An advisory about a vulnerability, as far as it concerns one package. */
export type KnownVulnerability = {
  id: string
  severity: string
  /** The version that fixes it; '' where none is known. */
  fixed: string
  interval: KeyInterval
  /** A list of known exploited vulnerabilities has it. */
  isExploited: boolean
  /** High, critical or exploited, and repositories of the deployment have a version that it names. */
  isUrgent: boolean
}

/** Versions that a deployment has already, by `versionKey`. */
export type VersionsInUse = {
  /** The firewall gave them to a client. */
  given: ReadonlySet<string>
  /** Repositories have them, by their last scans. */
  present: ReadonlySet<string>
}

/** A name that repositories have, or that belongs to the deployment. */
export type OwnName = { name: string; isPrivate: boolean }

/** What the database says of a package. */
export type KnownPackage = {
  vulnerabilities: readonly KnownVulnerability[]
  inUse: VersionsInUse
  archives: SeenArchives
  /** A name of the deployment's own that the package's is nearly. */
  near: OwnName | undefined
}

/** What was seen in an artifact. `isOld`: by an older reader, so that it says nothing of the artifact itself any more. */
export type SeenArchive = { digest: string; seen: ArchiveFacts; isOld: boolean }

/** What was seen in the artifacts of a package, by `versionKey`. */
export type SeenArchives = Map<string, SeenArchive[]>

/**
 * What was not looked at yet: the metadata of the version, that of packages which it names, or advisories about it. What is in its archive
 * is looked at when a client fetches it, so that alone leaves nothing undetermined before; one that cannot be read does.
 */
export type Lack = 'metadata' | 'dependencies' | 'advisories' | 'archive' | 'unreadable_archive'
