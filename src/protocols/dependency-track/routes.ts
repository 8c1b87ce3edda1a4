import type { DependencyService } from '../../capabilities/dependencies/service.ts'
import type { Findings } from '../../capabilities/findings/service.ts'
import type { Malware } from '../../capabilities/firewall/exposure/malware.ts'
import { countComponents, type KnownVersion } from '../../capabilities/inventory/public.ts'
import type { RepositoryService } from '../../capabilities/repositories/service.ts'
import type { ScanService } from '../../capabilities/scans/service.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Permission } from '../../kernel/access/permission.ts'
import { withAnswer } from '../../kernel/contract/answer.ts'
import type { Api } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { billVulnerabilities } from './bill-vulnerabilities.ts'
import { createProjectChange } from './change-project.ts'
import * as contract from './contract.ts'
import { findingsOf } from './project-findings.ts'
import { metricsOf } from './project-metrics.ts'
import { stableUuid } from './project-uuid.ts'
import { violationsOf } from './project-violations.ts'
import { createProjects } from './projects.ts'
import { createVexUpload } from './take-vex.ts'
import { createBomUpload } from './upload-bom.ts'

export type DependencyTrackParts = {
  db: Database
  clock: Clock
  scans: ScanService
  repositories: RepositoryService
  findings: Findings
  dependencies: Pick<DependencyService, 'sbom'>
  malware: Pick<Malware, 'maliciousIn'>
  /** Of Gatehouse itself. */
  version: string
}

/** Has what is served here, and no feature that is not. */
const speaksLike = '4.13.0'

/** What its clients call what a token may do. */
const permissionNames: Record<string, Permission> = {
  BOM_UPLOAD: 'scans:write',
  PROJECT_CREATION_UPLOAD: 'scans:write',
  VIEW_PORTFOLIO: 'findings:read',
  VIEW_VULNERABILITY: 'findings:read',
  VIEW_POLICY_VIOLATION: 'findings:read',
  VULNERABILITY_ANALYSIS: 'findings:triage',
}

/** What is in a bill of each variant. */
const billVariants: Record<string, { vulnerabilities: boolean; analysis: boolean }> = {
  inventory: { vulnerabilities: false, analysis: false },
  withvulnerabilities: { vulnerabilities: true, analysis: false },
  // A vulnerability disclosure report: what is affected, and what was decided about it.
  vdr: { vulnerabilities: true, analysis: true },
}

type Page = { pageNumber?: number; pageSize?: number }

export function dependencyTrackRoutes(api: Api, parts: DependencyTrackParts): void {
  const { db, clock, scans, repositories, findings, malware } = parts
  const startedAt = clock.now().toISOString()
  const projects = createProjects(db)
  const uploadBom = createBomUpload({ projects, scans, repositories })
  const changeProject = createProjectChange({ projects, repositories })
  const takeVex = createVexUpload({ db, projects, findings })
  const violations = (actor: Actor, project: KnownVersion) =>
    violationsOf(db, actor, malware.maliciousIn, project, clock.now())

  async function foundIn(actor: Actor, project: KnownVersion, { analysis }: { analysis: boolean }) {
    if (!actor.permissions.has('findings:read'))
      throw new Fault('forbidden', 'A bill with vulnerabilities takes the permission findings:read as well.')
    const found = await findingsOf(db, actor, project, clock.now())
    return { list: billVulnerabilities(found, analysis), affectedOnly: analysis }
  }

  async function metrics(actor: Actor, uuid: string) {
    const project = await projects.withUuid(actor, uuid)
    const [found, broken, components] = await Promise.all([
      findingsOf(db, actor, project, clock.now()),
      violations(actor, project),
      project.isDefaultBranch ? countComponents(db.as(actor), project.repositoryId) : project.componentCount,
    ])
    return metricsOf(found, broken, components, clock.now())
  }

  api.serve(contract.dtrackPutBom, ({ actor, body, files }) => uploadBom(actor, body, files))
  api.serve(contract.dtrackPostBom, ({ actor, body, files }) => uploadBom(actor, body, files))
  api.serve(contract.dtrackPutVex, ({ actor, body, files }) => takeVex(actor, body, files))
  api.serve(contract.dtrackPostVex, ({ actor, body, files }) => takeVex(actor, body, files))
  api.serve(contract.dtrackEvent, () => ({ processing: false }))
  api.serve(contract.dtrackBomToken, () => ({ processing: false }))
  api.serve(contract.dtrackProjects, async ({ actor, query }) => {
    const { projects: listed, total } = await projects.list(actor, query)
    return withTotal(listed, total)
  })
  api.serve(contract.dtrackLookup, async ({ actor, query }) =>
    projects.shown(actor, await projects.named(actor, query.name, query.version ?? '')),
  )
  api.serve(contract.dtrackLatest, async ({ actor, params }) =>
    projects.shown(actor, await projects.latest(actor, params.name)),
  )
  api.serve(contract.dtrackProject, async ({ actor, params }) =>
    projects.shown(actor, await projects.withUuid(actor, params.uuid)),
  )
  api.serve(contract.dtrackPatchProject, ({ actor, params, body }) => changeProject(actor, params.uuid, body))
  api.serve(contract.dtrackPostProject, ({ actor, body }) => changeProject(actor, body.uuid, body))
  api.serve(contract.dtrackExportBom, async ({ actor, params, query: { format = 'json', variant = 'inventory' } }) => {
    if (format.toLowerCase() !== 'json') throw new Fault('validation_failed', 'Bills are exported as json alone.')
    const contents = billVariants[variant.toLowerCase()]
    if (!contents) throw new Fault('validation_failed', 'The variant is inventory, withVulnerabilities or vdr.')
    const project = await projects.withUuid(actor, params.uuid)
    const kept = project.isDefaultBranch ? undefined : project
    const found = contents.vulnerabilities ? await foundIn(actor, project, contents) : undefined
    return parts.dependencies.sbom(actor, project.repositoryId, { format: 'cyclonedx' }, { kept, found })
  })
  api.serve(contract.dtrackFindings, async ({ actor, params, query }) => {
    for (const name of ['isKev', 'epssFrom', 'epssTo'] as const) {
      if (query[name])
        throw new Fault('validation_failed', `'${name}' is not known here, so nothing can be chosen by it.`)
    }
    const all = await findingsOf(db, actor, await projects.withUuid(actor, params.uuid), clock.now())
    const wanted = all.filter(
      ({ analysis, vulnerability }) =>
        (query.suppressed === 'true' || !analysis.isSuppressed) &&
        (!query.source || vulnerability.source === query.source.toUpperCase()),
    )
    return withTotal(pageOf(wanted, query), wanted.length)
  })
  api.serve(contract.dtrackViolations, async ({ actor, params, query }) => {
    const all = await violations(actor, await projects.withUuid(actor, params.uuid))
    return withTotal(pageOf(all, query), all.length)
  })
  api.serve(contract.dtrackMetrics, ({ actor, params }) => metrics(actor, params.uuid))
  api.serve(contract.dtrackRefreshMetrics, async ({ actor, params }) => {
    await projects.withUuid(actor, params.uuid)
    return {}
  })
  api.serve(contract.dtrackTeam, ({ actor }) => {
    const may = Object.entries(permissionNames).filter(([, permission]) => actor.permissions.has(permission))
    return {
      uuid: stableUuid('team', actor.deploymentId),
      name: 'Gatehouse',
      permissions: may.map(([name]) => ({ name })),
    }
  })
  api.serve(contract.dtrackVersion, () => {
    const uuid = stableUuid('server', startedAt)
    return {
      application: 'Gatehouse',
      version: speaksLike,
      timestamp: startedAt,
      uuid,
      systemUuid: uuid,
      framework: { name: 'Gatehouse', version: parts.version, timestamp: startedAt, uuid },
    }
  })
}

/** All of it, unless the client asks for a page. */
function pageOf<T>(all: readonly T[], { pageNumber = 1, pageSize }: Page): T[] {
  if (pageSize === undefined) return [...all]
  return all.slice((pageNumber - 1) * pageSize, pageNumber * pageSize)
}

function withTotal<T>(body: T[], total: number): T[] {
  return withAnswer({ status: 200, headers: { 'x-total-count': String(total), 'x-powered-by': 'Gatehouse' }, body })
}
