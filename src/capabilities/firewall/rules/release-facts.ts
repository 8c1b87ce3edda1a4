/** What can be seen of a release when it is compared with those before it. Each is explained where it is found. */
export const signalNames = [
  'new_install_script',
  'new_exotic_dependency',
  'young_dependency',
  'trust_lost',
  'new_publisher',
  'long_silence',
  'sudden_size',
  'two_majors',
  'burst',
  'source_only',
  'scope_burst',
  'new_executable',
] as const
export type SignalName = (typeof signalNames)[number]

/** A sentence for the person who is refused, without a full stop. */
export type ReleaseSignal = { signal: SignalName; because: string }

/** What the metadata of a registry says of one version, as far as rules ask for it. */
export type ReleaseFacts = {
  signals: readonly ReleaseSignal[]
  /** What runs code when it is installed: `postinstall`, `binding.gyp`, `setup.py`. */
  installScript?: string
  /** A dependency that does not come from a registry, as it is written: `name@github:user/name`. */
  exoticDependency?: string
  /** What its maintainers say of it; '' where they only mark it. */
  deprecated?: string
  /** An SPDX expression or whatever else it says. */
  licence?: string
  /** When the package came to be, in milliseconds since 1970, where its registry says so. */
  bornAt?: number
  /** Dependencies that no release before it had, whose own age is not known yet. */
  gained?: readonly string[]
  /** Packages of the same scope that it names; undefined where it has no scope, or they were looked at. */
  siblings?: readonly string[]
  /** When the releases before it came out that it is compared with, in milliseconds since 1970. */
  earlierAt?: readonly number[]
  /** The versions that it is compared with. */
  before?: readonly string[]
}

/** What was seen in an artifact that came through here, where its registry's metadata cannot say it. */
export type ArchiveFacts = {
  signals: readonly ReleaseSignal[]
  /** As in the facts of a release: `binding.gyp`, `setup.pth`. */
  installScript?: string
  /** It cannot be listed, so nothing can be said of what is in it. */
  isUnreadable?: boolean
}

/** Raised whenever the reader of archives begins to find other things in them: what an older one saw is looked for again. */
export const archiveReader = 2

/** Of a version with nothing to tell. */
export const plainFacts: ReleaseFacts = { signals: [] }
