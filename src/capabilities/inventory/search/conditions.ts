/** Versions as order keys, from `lower` on and before `upper`: one shape for every condition, so one shape of SQL. */
export type Interval = { readonly lower: Buffer; readonly upper: Buffer }

/** Packages of one ecosystem by name, and which of their versions. */
export type Criterion = Interval & { readonly ecosystem: string; readonly name: string; readonly exact: boolean }

/** What is asked of packages and versions. A version matches if at least one criterion does. */
export type PackageCriteria = {
  readonly criteria: readonly Criterion[]
  /** A further text that the name of the package must contain, in lower case. */
  readonly nameContains: string
  readonly narrowsVersions: boolean
}

/** What is asked of dependencies and of the repositories that have them; what is undefined asks for nothing. */
export type Conditions = {
  packages: PackageCriteria | undefined
  repositoryIds: readonly number[] | undefined
  lockfilePath: string | undefined
  /** SPDX ids in lower case, `noLicence` and `otherLicence` among them. */
  licences: readonly string[] | undefined
  /** D direct, T transitive, U unknown. */
  transitivity: readonly string[] | undefined
  includeArchived: boolean
}

/** Whether only repositories are asked for, whatever their dependencies. */
export function takesEveryDependency({ packages, lockfilePath, licences, transitivity }: Conditions): boolean {
  return !packages && !lockfilePath && !licences && !transitivity
}

/** What SPDX says where nothing is said: the file gives no licence. */
export const noLicence = 'noassertion'
/** The file gives a text that is no SPDX expression. */
export const otherLicence = 'other'

/** Whether there is an index of what is asked for. Dependencies without a licence are in none: they are many. */
export function isSearchedByIndex({ packages, licences }: Conditions): boolean {
  return packages !== undefined || (licences !== undefined && !licences.includes(noLicence))
}
