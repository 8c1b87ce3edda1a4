import sql, { empty, join, type Sql } from 'sql-template-tag'
import { ecosystemIds } from '../../../ecosystems/ecosystem.ts'
import { type Conditions, type Criterion, noLicence, otherLicence, type PackageCriteria } from './conditions.ts'
import { hasPart, spellingIn } from './name-spellings.ts'

/** The ids of the versions that match, some perhaps twice. */
export function versionsWanted(deploymentId: number, packages: PackageCriteria): Sql {
  const { named, nameless } = byName(packages)
  // `offset 0` keeps the tables from being joined as a whole: whoever wants few versions stops after reading few.
  // Rows are compared, and not keys alone, because that leaves one index to go by even to a planner without statistics.
  const inside = packages.narrowsVersions
    ? sql`and (v.package_id, v.order_key) >= (p.id, c.lower) and (v.package_id, v.order_key) < (p.id, c.upper)`
    : empty
  const queries = named(deploymentId).map(
    (matching) => sql`select matching.id ${matching}
      cross join lateral (select v.id from package_version v
        where v.deployment_id = ${deploymentId} and v.package_id = p.id ${inside} offset 0) matching`,
  )
  if (nameless.length > 0) {
    queries.push(sql`select v.id from ${intervals(nameless)}
      cross join lateral (select v.id, v.package_id from package_version v where v.deployment_id = ${deploymentId}
        and v.order_key >= c.lower and v.order_key < c.upper offset 0) v
      cross join lateral (select 1 from package p where p.deployment_id = ${deploymentId} and p.id = v.package_id
        and p.ecosystem = any(string_to_array(c.ecosystems, ' ')) ${besides(packages)} offset 0) p`)
  }
  return anyOf(queries)
}

/** Whether packages are asked for by parts of their names alone, whatever their versions. */
export function asksForPartsOfNames({ criteria, narrowsVersions }: PackageCriteria): boolean {
  return !narrowsVersions && criteria.length > 0 && criteria.every((each) => !each.exact)
}

/** The ids of the packages whose names have the parts, some perhaps twice. */
export function packagesNamed(deploymentId: number, packages: PackageCriteria): Sql {
  return sql`select p.id ${partsOfNames(deploymentId, packages, packages.criteria)}`
}

/** Whether a dependency `d` is one of the packages, and of the versions where it matters. */
export function packagesWanted(deploymentId: number, packages: PackageCriteria): Sql {
  if (takesMostNames(packages)) return isNoneWithout(deploymentId, packages.criteria[0]!.name)
  const { named, nameless } = byName(packages)
  const matching = named(deploymentId)
  const isPackage = sql`(d.package_id in (${anyOf(matching.map((each) => sql`select p.id ${each}`))})) is true`
  if (!packages.narrowsVersions) return sql`and ${isPackage}`
  // Versions of any package are many: which of them a dependency has is looked up first, and whose they are of those few alone.
  const ofAny = sql`select v.id from ${intervals(nameless)}
    cross join lateral (select v.id from package_version v where v.deployment_id = ${deploymentId}
      and v.order_key >= c.lower and v.order_key < c.upper offset 0) v`
  const isEither =
    nameless.length === 0
      ? isPackage
      : sql`((d.package_version_id in (${ofAny})) is true ${matching.length > 0 ? sql`or ${isPackage}` : empty})`
  if (nameless.length > 0) matching.push(partsOfNames(deploymentId, packages, nameless))
  const ofVersion = matching.map(
    (each) => sql`select ${each}
      join package_version v on v.deployment_id = ${deploymentId} and v.package_id = p.id
        and v.order_key >= c.lower and v.order_key < c.upper
      where p.id = d.package_id and v.id = d.package_version_id`,
  )
  return sql`and ${isEither} and exists (${anyOf(ofVersion)})`
}

/** Whether a package `p` may be one of them, whatever its versions: where most are, nobody is asked. */
export function packageIsWanted(deploymentId: number, packages: PackageCriteria): Sql {
  const { named, nameless } = byName(packages)
  if (takesMostNames(packages) || nameless.length > 0) return empty
  return sql`and ${isOneOf(sql`p.id`, anyOf(named(deploymentId).map((each) => sql`select p.id ${each}`)))}`
}

/** A letter or two in any name: most names have them, so those without are the fewer to remember. */
export function takesMostNames({ criteria, nameContains, narrowsVersions }: PackageCriteria): boolean {
  const [first] = criteria
  if (!first || narrowsVersions || nameContains !== '' || first.name.length > 2) return false
  return inEveryEcosystem(criteria) && criteria.every((each) => !each.exact && each.name === first.name)
}

function isNoneWithout(deploymentId: number, text: string): Sql {
  return sql`and (d.package_id in (select p.id from package p
    where p.deployment_id = ${deploymentId} and not ${hasPart(text)})) is not true`
}

function inEveryEcosystem(criteria: readonly Criterion[]): boolean {
  return new Set(criteria.map((each) => each.ecosystem)).size === ecosystemIds.length
}

export function licencesWanted(deploymentId: number, ids: readonly string[]): Sql {
  return sql`select l.id from licence l where l.deployment_id = ${deploymentId}
    and (exists (select 1 from unnest(l.spdx_ids) spdx_id where lower(spdx_id) = any(${ids}::text[]))
      or l.spdx_ids = '{}' and ${otherLicence} = any(${ids}::text[]))`
}

/** That the licences `c.licences` that were counted have one of these. */
export function hasLicence(deploymentId: number, ids: readonly string[]): Sql {
  const parts = [
    sql`c.licences && array(select spdx_id from licence l cross join lateral unnest(l.spdx_ids) each (spdx_id)
      where l.deployment_id = ${deploymentId} and lower(spdx_id) = any(${ids}::text[]))`,
  ]
  if (ids.includes(noLicence)) parts.push(sql`array_position(c.licences, null) is not null`)
  if (ids.includes(otherLicence)) parts.push(sql`array_position(c.licences, '') is not null`)
  return join(parts, ' or ')
}

/** That a dependency `d` is under one of the licences: by its id, or none where that is asked for. */
export function licenceIsWanted(licences: readonly string[], isNamed: Sql): Sql {
  return licences.includes(noLicence) ? sql`and (${isNamed} or d.licence_id is null)` : sql`and ${isNamed}`
}

/** What is asked of a dependency `d` besides its package; licences only where they are not what is searched by. */
export function rowIsWanted(deploymentId: number, conditions: Conditions): Sql {
  const { transitivity, lockfilePath, licences, packages } = conditions
  const parts: Sql[] = []
  if (transitivity) parts.push(sql`and d.transitivity = any(${transitivity}::"char"[])`)
  if (lockfilePath !== undefined) {
    const files = sql`select l.id from lockfile l where l.deployment_id = ${deploymentId} and l.path = ${lockfilePath}`
    parts.push(sql`and ${isOneOf(sql`d.lockfile_id`, files)}`)
  }
  if (licences && packages) {
    parts.push(licenceIsWanted(licences, sql`(d.licence_id in (${licencesWanted(deploymentId, licences)})) is true`))
  }
  return parts.length > 0 ? join(parts, ' ') : empty
}

/**
 * `is true` keeps it from being turned into a join: the ids are read once into a hash table, whatever the planner thinks of
 * how many rows there are to hold against it.
 */
export function isOneOf(column: Sql, ids: Sql): Sql {
  return sql`(${column} in (${ids})) is true`
}

/**
 * Whole names go through their index, parts of names through all packages; where only versions are asked for, their own
 * index is the way in. Each is a query of its own: packages `p` with their criterion `c`.
 */
function byName(packages: PackageCriteria) {
  const { criteria, narrowsVersions } = packages
  const exact = criteria.filter((each) => each.exact)
  const isNameless = (each: Criterion) => each.name === '' && narrowsVersions
  const nameless = criteria.filter(isNameless)
  const parts = criteria.filter((each) => !each.exact && !isNameless(each))
  const named = (deploymentId: number): Sql[] => [
    ...(exact.length > 0 ? [wholeNames(deploymentId, packages, exact)] : []),
    ...(parts.length > 0 ? [partsOfNames(deploymentId, packages, parts)] : []),
  ]
  return { named, nameless }
}

function wholeNames(deploymentId: number, packages: PackageCriteria, criteria: readonly Criterion[]): Sql {
  return sql`from ${table(criteria)} join package p on p.deployment_id = ${deploymentId}
    and p.name = c.name and p.ecosystem = c.ecosystem ${besides(packages)}`
}

function partsOfNames(deploymentId: number, packages: PackageCriteria, criteria: readonly Criterion[]): Sql {
  const first = criteria[0]!
  // One text for all ecosystems, as nearly always, is looked for while the packages are read; many only afterwards.
  const alike = criteria.every((each) => each.name === first.name)
  const isNamed = alike
    ? hasPart(first.name)
    : sql`(strpos(p.search_text, c.name) > 0 or strpos(p.search_text, c.spelling) > 0)`
  if (alike && !packages.narrowsVersions && inEveryEcosystem(criteria)) {
    return sql`from (select p.id from package p where p.deployment_id = ${deploymentId}
      and ${isNamed} ${besides(packages)}) p`
  }
  return sql`from package p join ${table(criteria)} on p.deployment_id = ${deploymentId}
    and ${isNamed} and p.ecosystem = c.ecosystem ${besides(packages)}`
}

function besides({ nameContains }: PackageCriteria): Sql {
  return nameContains === '' ? empty : sql`and ${hasPart(nameContains)}`
}

function table(criteria: readonly Criterion[]): Sql {
  const column = <K extends keyof Criterion>(key: K) => criteria.map((each) => each[key])
  const spellings = criteria.map((each) => (each.exact ? each.name : spellingIn(each.ecosystem, each.name)))
  return sql`unnest(${column('ecosystem')}::text[], ${column('name')}::text[], ${spellings}::text[],
    ${column('lower')}::bytea[], ${column('upper')}::bytea[]) as c (ecosystem, name, spelling, lower, upper)`
}

/** Many ecosystems have the same keys for the same version: those are looked for once. */
function intervals(criteria: readonly Criterion[]): Sql {
  const groups = Map.groupBy(criteria, ({ lower, upper }) => `${lower.toString('hex')} ${upper.toString('hex')}`)
  const rows = [...groups.values()].map((group) => ({
    ...group[0]!,
    names: group.map((each) => each.ecosystem).join(' '),
  }))
  return sql`unnest(${rows.map((row) => row.names)}::text[], ${rows.map((row) => row.lower)}::bytea[],
    ${rows.map((row) => row.upper)}::bytea[]) as c (ecosystems, lower, upper)`
}

function anyOf(queries: readonly Sql[]): Sql {
  return queries.length > 0 ? join([...queries], ' union all ') : sql`select null::bigint where false`
}
