import { type DependencyDecision, listDependencyDecisions } from '../../capabilities/findings/public.ts'
import type { KnownVersion } from '../../capabilities/inventory/public.ts'
import { type ComponentMatch, matchComponents } from '../../capabilities/vulnerabilities/public.ts'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import { ecosystems, toPurl } from '../../ecosystems/registry.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Component, Finding } from './answers.ts'
import { projectUuid, stableUuid } from './project-uuid.ts'

const severities = { critical: 'CRITICAL', high: 'HIGH', medium: 'MEDIUM', low: 'LOW', info: 'INFO' } as const
const ranks = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO', 'UNASSIGNED']

/** What advisories say today about a version, with what people decided; the most severe first. */
export async function findingsOf(db: Database, actor: Actor, project: KnownVersion, now: Date): Promise<Finding[]> {
  const { repositoryId } = project
  const reading = db.as(actor)
  const [matches, decisions] = await Promise.all([
    matchComponents(reading, componentsOf(project)),
    listDependencyDecisions(reading, repositoryId),
  ])
  const byVersion = Map.groupBy(decisions, versionKey)
  const findings = matches.map((match) => {
    return toFinding(actor, project, match, byVersion.get(versionKey(match)) ?? [], now)
  })
  return findings.sort(
    (a, b) => a.vulnerability.severityRank - b.vulnerability.severityRank || (a.matrix < b.matrix ? -1 : 1),
  )
}

/** Where to look for the components of a version. */
export function componentsOf({ repositoryId, version, isDefaultBranch }: KnownVersion) {
  return { repositoryId, version: isDefaultBranch ? undefined : version }
}

export function toComponent(
  actor: Actor,
  project: KnownVersion,
  { ecosystem, name, version }: { ecosystem: string; name: string; version: string },
): Component {
  const uuid = projectUuid(actor.deploymentId, project.repositoryId, project.version)
  const cut = name.search(/[/:][^/:]*$/)
  const purl = toPurl(ecosystem as EcosystemId, name, version)
  return {
    uuid: stableUuid(uuid, ecosystem, name, version),
    name: name.slice(cut + 1),
    ...(cut > 0 && { group: name.slice(0, cut) }),
    version,
    ...(purl && { purl }),
    project: uuid,
    projectName: project.repository,
    projectVersion: project.version,
    hasOccurrences: false,
  }
}

function toFinding(
  actor: Actor,
  project: KnownVersion,
  match: ComponentMatch,
  decisions: readonly DependencyDecision[],
  now: Date,
): Finding {
  const component = toComponent(actor, project, match)
  const [vulnId = ''] = match.ids
  const uuid = stableUuid('vulnerability', vulnId)
  const severity = severities[match.severity]
  return {
    component,
    vulnerability: {
      uuid,
      source: databaseOf(vulnId),
      vulnId,
      title: match.title,
      description: match.details,
      ...(match.fixedVersion && { recommendation: `Update to ${match.fixedVersion}.` }),
      ...(match.links.length > 0 && { references: match.links.join('\n') }),
      severity,
      severityRank: ranks.indexOf(severity),
      ...scoresOf(match),
      cwes: match.cwes.map((name) => ({ cweId: Number(/\d+/.exec(name)?.[0] ?? 0), name })),
      aliases: [aliasesOf(match.ids)],
      published: match.publishedAt.getTime(),
    },
    analysis: analysisOf(match, decisions),
    attribution: { analyzerIdentity: 'OSV_ANALYZER', attributedOn: now.getTime() },
    matrix: `${component.project}:${component.uuid}:${uuid}`,
  }
}

function databaseOf(id: string): string {
  if (id.startsWith('CVE-')) return 'NVD'
  return id.startsWith('GHSA-') ? 'GITHUB' : 'OSV'
}

function scoresOf({ score, vector }: ComponentMatch) {
  if (score === 0 || vector === '') return {}
  if (vector.startsWith('CVSS:4')) return { cvssV4Score: score, cvssV4Vector: vector }
  if (vector.startsWith('CVSS:3')) return { cvssV3BaseScore: score, cvssV3Vector: vector }
  return { cvssV2BaseScore: score, cvssV2Vector: vector }
}

function aliasesOf(ids: readonly string[]) {
  const cveId = ids.find((id) => id.startsWith('CVE-'))
  const ghsaId = ids.find((id) => id.startsWith('GHSA-'))
  const osvId = ids.find((id) => id !== cveId && id !== ghsaId)
  return { ...(cveId && { cveId }), ...(ghsaId && { ghsaId }), ...(osvId && { osvId }) }
}

/** Where a package has one finding in each of several files, it is suppressed when all of them are. */
function analysisOf({ ids }: ComponentMatch, decisions: readonly DependencyDecision[]): Finding['analysis'] {
  const own = decisions.filter(({ vulnerabilityIds }) => vulnerabilityIds.some((id) => ids.includes(id)))
  const isSuppressed = own.length > 0 && own.every(isIgnored)
  const [first] = own
  if (isSuppressed) {
    return { state: first!.reason === 'false-positive' ? 'FALSE_POSITIVE' : 'NOT_AFFECTED', isSuppressed }
  }
  const open = own.find((one) => !isIgnored(one))
  if (open?.state === 'reviewing') return { state: 'IN_TRIAGE', isSuppressed }
  return { state: open?.state === 'fixing' ? 'EXPLOITABLE' : 'NOT_SET', isSuppressed }
}

function isIgnored({ state }: DependencyDecision): boolean {
  return state === 'ignored' || state === 'provisionally-ignored'
}

/** What was decided about one version says nothing about another one that a release has. */
function versionKey({ ecosystem, name, version }: { ecosystem: string; name: string; version: string }): string {
  const normalized = ecosystems[ecosystem as EcosystemId]?.normalizeName(name) ?? name
  return `${ecosystem} ${normalized} ${version}`
}
