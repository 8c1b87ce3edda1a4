import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { findEcosystem } from '../../../ecosystems/registry.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import { cutPageBy } from '../../../kernel/contract/pagination.ts'
import { readSearchCursor } from '../../../kernel/contract/search-cursor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { CursorSeal } from '../../../vault/cursor-seal.ts'
import * as inventory from '../../inventory/public.ts'
import { severityName, severityOfVersion, vulnerabilitiesOf } from '../../vulnerabilities/public.ts'
import { conditionsOf } from '../search/conditions.ts'
import type {
  CountQuestion,
  DependencyCounts,
  NameQuery,
  PackageDetail,
  PackageSearch,
  PackageSummary,
  UsedVersion,
} from './package-contract.ts'

type Verdict = NonNullable<UsedVersion['verdict']>
export type PackageFirewall = {
  verdict(
    deploymentId: number,
    ecosystem: EcosystemId,
    name: string,
    version: string,
  ): { decision: Verdict; rule: string }
  /** Has what verdicts on the package need. */
  prepare(deploymentId: number, ecosystem: EcosystemId, name: string): Promise<void> | undefined
}

export type PackageService = ReturnType<typeof createPackageService>

/** What a cursor is written with. */
type Written = [rank: number, name: string, ecosystem: string]

const mostVersionsListed = 20
const mostVersions = 1_000
const mostLicences = 20

/** Packages as a deployment uses them: in which versions, where, and what is known about those. */
export function createPackageService(db: Database, cursors: CursorSeal, firewall: PackageFirewall) {
  async function search(actor: Actor, request: PackageSearch) {
    const { pageSize = 50, sort, vulnerable = false } = request
    const by = sort?.by ?? 'name'
    const order = { by, direction: sort?.direction ?? (by === 'name' ? 'asc' : 'desc') } as inventory.PackageOrder
    const conditions = await conditionsOf(request.dependencyFilter)
    const binding = ['packages', actor.deploymentId, request.dependencyFilter ?? {}, vulnerable, by, order.direction]
    const written = readSearchCursor<Written>(cursors, binding, request.cursor)
    const after = written && { rank: written[0], name: written[1], ecosystem: written[2] }
    const onlyKnown = vulnerable ? severityOfVersion : undefined
    const question = { conditions, onlyKnown, order, after, limit: pageSize + 1 }
    const found = await inventory.searchPackages(db.as(actor), actor, question)
    const { rows, ...page } = cutPageBy(found.rows, { size: pageSize }, (last) =>
      cursors.write(binding, [by === 'name' ? 0 : last[by], last.name, last.ecosystem] satisfies Written),
    )
    return { packages: await withVersions(actor, conditions, rows, found.way), atLeast: found.atLeast, ...page }
  }

  async function withVersions(
    actor: Actor,
    conditions: inventory.Conditions,
    rows: readonly inventory.PackageRow[],
    way: inventory.FoundPackages['way'],
  ): Promise<PackageSummary[]> {
    const ids = rows.map((row) => row.id)
    const all =
      way && way.by !== 'index'
        ? await inventory.listCountedVersions<number>(db.as(actor), conditions, ids, severityOfVersion, way)
        : await inventory.listVersions<number>(db.as(actor), actor, conditions, ids, severityOfVersion)
    const byPackage = Map.groupBy(all, (version) => version.packageId)
    return rows.map((row) => {
      const versions = byPackage.get(row.id) ?? []
      return { ...figures(actor, row, versions), versions: shown(actor, row, versions.slice(0, mostVersionsListed)) }
    })
  }

  async function get(actor: Actor, ecosystem: string, name: string): Promise<PackageDetail> {
    const conditions = await conditionsOf({})
    const tenant = db.as(actor)
    const rules = findEcosystem(ecosystem)
    const about = { known: severityOfVersion, mostLicences }
    const use =
      rules &&
      (await inventory.readPackageUse<number>(
        tenant,
        actor,
        conditions,
        { name: rules.normalizeName(name), ecosystem: rules.id },
        about,
      ))
    if (!use) throw new Fault('not_found', `No repository that you see has a package '${name}' of ${ecosystem}.`)
    await firewall.prepare(actor.deploymentId, rules.id, use.name)
    return {
      ...figures(actor, use, use.versions),
      directRepositoryCount: use.directRepositories,
      licences: use.licences,
      versions: shown(actor, use, use.versions.slice(0, mostVersions)),
      vulnerabilities: await vulnerabilitiesOf(tenant, use, use.versions),
    }
  }

  async function names(actor: Actor, { text, ecosystem, limit = 10 }: NameQuery) {
    const conditions = await conditionsOf({})
    const wanted = { text: text.toLowerCase(), ecosystem: ecosystem && findEcosystem(ecosystem)?.id, limit }
    return { names: await inventory.completeNames(db.as(actor), actor, conditions, wanted) }
  }

  async function counts(actor: Actor, { dependencyFilter }: CountQuestion): Promise<DependencyCounts> {
    const conditions = await conditionsOf(dependencyFilter)
    const found = await inventory.countDependencies(db.as(actor), actor, conditions)
    const searched = await inventory.countSearched(db.as(actor), actor, conditions)
    return {
      repositoryCount: found.repositories,
      directRepositoryCount: found.directRepositories,
      packageCount: found.packages,
      versionCount: found.versions,
      dependencyCount: found.dependencies,
      atLeast: found.atLeast,
      searched: {
        repositoryCount: searched.repositories,
        dependencyCount: searched.dependencies,
        withoutInventory: searched.withoutInventory,
        oldestInventoryAt: searched.oldestInventoryAt?.toISOString() ?? null,
      },
    }
  }

  function figures(actor: Actor, row: inventory.PackageRow, versions: readonly inventory.VersionRow<number>[]) {
    const known = versions.flatMap((version) => version.known ?? [])
    return {
      ecosystem: row.ecosystem,
      name: row.shownName,
      repositoryCount: row.repositories,
      dependencyCount: row.dependencies,
      versionCount: versions.length,
      vulnerableVersionCount: known.length,
      severity: severityOf(known.length > 0 ? Math.max(...known) : null),
      verdict: worstOf(versions.map((version) => verdict(actor, row, version.version))),
    }
  }

  function shown(actor: Actor, row: inventory.PackageRow, versions: readonly inventory.VersionRow<number>[]) {
    return versions.map((each) => ({
      version: each.version,
      repositoryCount: each.repositories,
      dependencyCount: each.dependencies,
      severity: severityOf(each.known),
      verdict: verdict(actor, row, each.version),
    }))
  }

  function verdict(actor: Actor, { ecosystem, name }: inventory.PackageRow, version: string): Verdict | null {
    if (!actor.permissions.has('firewall:read') || version === '') return null
    const { decision, rule } = firewall.verdict(actor.deploymentId, ecosystem as EcosystemId, name, version)
    return rule === 'unknown_facts' || rule === 'unknown_age' ? null : decision
  }

  return { search, get, names, counts }
}

const gravest: (Verdict | null)[] = ['block', 'held', 'undetermined', null, 'allow']

/** Before what is not known comes what is known to keep one of them out. */
function worstOf(verdicts: readonly (Verdict | null)[]): Verdict | null {
  return gravest.find((one) => verdicts.includes(one)) ?? null
}

function severityOf(code: number | null): string | null {
  return code === null ? null : severityName(code)
}
