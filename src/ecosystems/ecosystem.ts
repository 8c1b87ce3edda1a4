/** What Gatehouse knows about one package ecosystem: its names and the order of its versions. Pure. */
export type Ecosystem = {
  readonly id: EcosystemId
  /** The purl type, e.g. `golang` for gomod (purl-spec, PURL-TYPES). */
  readonly purlType: string
  /** The one spelling under which a package is stored and looked up (PEP 503, case rules, `group:artifact`). */
  normalizeName(name: string): string
  /** Negative, zero or positive, like Array.prototype.sort wants it. A total order over all strings; never throws. */
  compare(a: string, b: string): number
  /** Bytes whose bytewise order is exactly `compare`; equal bytes where `compare` is 0. Linear in the length of the version. */
  orderKey(version: string): Uint8Array
}

export const ecosystemIds = [
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
export type EcosystemId = (typeof ecosystemIds)[number]
