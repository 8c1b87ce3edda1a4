/*
 * What packages, versions, dependencies and files a deployment has. Nobody else names these tables: scans record into them,
 * others ask functions, or join what functions give them into statements of their own.
 */
export { type BillEntry, type BillFile, readBillFiles, readVersionBill } from './bill-store.ts'
export { type EntryColumns, inventoryEntries, packedEntries, shownNameOf } from './entries.ts'
export { inventories, joinDependencies, joinPackages, joinVersions, versionIdsOf } from './joins.ts'
export { createLicenceCounting } from './licences/licence-counting.ts'
export { countLicences } from './licences/licence-counts.ts'
export { findInventory, type LockfileRow, listLockfiles } from './lockfile-store.ts'
export {
  chosenPackages,
  listPackageIds,
  listRepositoriesWith,
  type PackageName,
  packageNamesInUse,
  packagesInUse,
} from './package-reads.ts'
export { completeNames } from './packages/complete-names.ts'
export { countDependencies, countSearched } from './packages/dependency-counts.ts'
export { findByPrefix, packageNamesWhere } from './packages/find-by-prefix.ts'
export {
  type FoundPackages,
  type PackageOrder,
  type PackageRow,
  searchPackages,
} from './packages/package-search.ts'
export { readPackageUse } from './packages/package-use.ts'
export { repositoriesOfPackages } from './packages/repositories-of-packages.ts'
export { listCountedVersions, listVersions, type VersionRow } from './packages/version-store.ts'
export { type BroughtFiles, findInBatches, isSentAtOnce } from './packed-files.ts'
export { type PackedFile, type PathTo, pathsInFiles, pathsInInventory } from './paths/entry-paths.ts'
export { describeEntries, filesWith, readGraph } from './paths/file-store.ts'
export { shortestPaths } from './paths/shortest-paths.ts'
export { type PackedInventory, packColumns } from './recording/column-batches.ts'
export {
  hasInventory,
  listFiles,
  prepareFiles,
  replaceFiles,
  type StoredFile,
  statementCount,
} from './recording/inventory-store.ts'
export { addPackages, identifyLicences } from './recording/package-store.ts'
export type { Conditions, Criterion, Interval, PackageCriteria } from './search/conditions.ts'
export type { DependencyRow, ListPosition } from './search/list-store.ts'
export { searchDependencies, searchRepositories } from './search/search-inventories.ts'
export type { SummaryRow } from './search/summary-store.ts'
export { ofBestSource } from './sources.ts'
export { listStatements, type StatementRow } from './statement-store.ts'
export { createUseCounting } from './use/use-counting.ts'
export { forgetLatest, keepVersionBill, versionBillEntries } from './version-bill-store.ts'
export { countComponents, type KnownVersion, listKnownVersions, type VersionFilter } from './version-list-store.ts'
