import { type Actor, seesEverything } from '../../../kernel/access/actor.ts'
import { Fault, type FieldError } from '../../../kernel/contract/fault.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { categoryCodes } from '../../findings/public.ts'
import type { CountedSet, Extent } from '../counting/parts.ts'
import type { ReportFilters } from './filters.ts'
import { type Names, resolve, type Scope } from './scope-store.ts'

/** What a report is about: what the filters name, among what the actor sees. */
export async function scopeOf(
  db: Queryable,
  actor: Actor,
  filters: ReportFilters,
): Promise<{ wanted: CountedSet; extent: Extent }> {
  const names: Names = {
    projects: named(filters.projects),
    projectIds: named(filters.projectIds)?.map(Number),
    tags: named(filters.tags),
    teams: named(filters.teams),
    archived: filters.archived,
    ruleIds: named(filters.ruleIds),
  }
  const categories = named(filters.findingCategories)?.map((name) => categoryCodes[name])
  const { projects, projectIds, tags, teams, archived, ruleIds } = names
  const isNarrowed = Boolean(projects ?? projectIds ?? tags ?? teams) || !seesEverything(actor)
  if (!isNarrowed && archived === undefined && !ruleIds) {
    return { wanted: { repositories: undefined, rules: undefined, categories }, extent: { repositories: 0, rules: 0 } }
  }
  const scope = await resolve(db, actor, names, !isNarrowed && archived === undefined)
  refuseUnknown(filters, scope)
  // Where none is archived, those that are not are all.
  const isPart = isNarrowed || (archived !== undefined && scope.repositoryIds.length < scope.repositories)
  const wanted = {
    repositories: isPart ? scope.repositoryIds.map(Number) : undefined,
    rules: ruleIds && scope.ruleIds.map(Number),
    categories,
  }
  return { wanted, extent: { repositories: scope.repositories, rules: scope.rules } }
}

/** Without repetitions; an empty list asks for nothing. */
function named<T extends string>(given: readonly T[] | undefined): T[] | undefined {
  return given && given.length > 0 ? [...new Set(given)] : undefined
}

/** A filter that silently matches nothing is a wrong answer. Rules may well not have found anything yet. */
function refuseUnknown(filters: ReportFilters, scope: Scope): void {
  const repositories = [
    ...pointTo('projects', 'repository', filters.projects, scope.unknownProjects),
    ...pointTo('projectIds', 'repository', filters.projectIds, scope.unknownProjectIds),
  ]
  const others = [
    ...pointTo('tags', 'tag', filters.tags, scope.unknownTags),
    ...pointTo('teams', 'team', filters.teams, scope.unknownTeams),
  ]
  const errors = [...repositories, ...others]
  if (errors.length === 0) return
  const said = [...new Set(errors.map((error) => error.detail))].join(', ')
  throw new Fault(others.length > 0 ? 'unprocessable' : 'unknown_repository', `There is ${said}.`, { errors })
}

function pointTo(
  field: string,
  kind: string,
  given: readonly string[] | undefined,
  unknown: readonly string[],
): FieldError[] {
  if (!given || unknown.length === 0) return []
  const missing = new Set(unknown)
  return given.flatMap((one, at) =>
    missing.has(field === 'projectIds' ? String(Number(one)) : one)
      ? [{ pointer: `/filters/${field}/${at}`, detail: `no ${kind} '${one}'` }]
      : [],
  )
}
