import Type, { type Static } from 'typebox'
import type { ReleaseDetails, Verdict } from '../../../capabilities/firewall/verdicts/verdict.ts'
import { auditPackages, knowsEcosystem, type PackageAdvisory } from '../../../capabilities/vulnerabilities/public.ts'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { registryEcosystemIds } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { OneOf } from '../../../kernel/contract/schema.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { type Tool, tool } from '../tool.ts'
import { asData } from '../untrusted.ts'
import { type PublicationOf, type PublishedPackage, publications } from './publications.ts'

const askedPackage = Type.Object({
  ecosystem: Type.Unsafe<EcosystemId>(OneOf(registryEcosystemIds, 'For example npm, pypi or maven')),
  name: Type.String({ minLength: 1, maxLength: 400, pattern: '\\S', description: 'Maven: group:artifact' }),
  version: Type.String({ minLength: 1, maxLength: 200, description: 'The exact version that would be installed' }),
})
type Asked = Static<typeof askedPackage>

const input = Type.Object({
  packages: Type.Array(askedPackage, {
    minItems: 1,
    maxItems: 100,
    description: 'The packages to check, all in one call',
  }),
})

export type PackageCheck = {
  db: Database
  clock: Clock
  /** What the firewall would answer this caller; all that it knows of the package is in memory. */
  verdict(actor: Actor, ...question: [EcosystemId, string, string, ReleaseDetails]): Verdict
  /** Brings that into memory. */
  prepare(deploymentId: number, ecosystem: EcosystemId, name: string): Promise<void> | undefined
  publicationOf: PublicationOf
  /** The licences that files of repositories the caller sees give, and how many of those have it; undefined: none. */
  usageOf(
    actor: Actor,
    ecosystem: EcosystemId,
    name: string,
  ): Promise<{ licences: string[]; repositories: number } | undefined>
}

const mostVulnerabilities = 10
const dayMs = 86_400_000

export function checkPackage(given: PackageCheck): Tool {
  return tool({
    name: 'check_package',
    title: 'Check packages before installing them',
    description:
      'Call this before you add or upgrade a dependency. For each package version: whether the malware firewall lets it through, its known vulnerabilities, its licence, its age, the nearest version without known vulnerabilities, and how many repositories use the package. Up to 100 packages in one call.',
    permissions: ['firewall:read', 'dependencies:read'],
    input,
    asksOutside: true,
    async call(actor, { packages }) {
      await Promise.all(packages.map(({ ecosystem, name }) => given.prepare(actor.deploymentId, ecosystem, name)))
      const published = await publications(given.publicationOf, actor, packages)
      const known = await knownVulnerabilities(given, actor, packages)
      const results = packages.map(async (asked, index) => {
        const usage = await given.usageOf(actor, asked.ecosystem, asked.name)
        return shown(given, actor, asked, { published: published[index]!, ...known(asked), usage })
      })
      return { packages: await Promise.all(results) }
    },
  })
}

type Known = { advisories: PackageAdvisory[] | undefined; safeVersion: string | null }
type Facts = Known & { published: PublishedPackage; usage: { licences: string[]; repositories: number } | undefined }

/** By ecosystem, each in two questions to the database: about what was asked, and about what would mend it. */
async function knownVulnerabilities({ db, verdict }: PackageCheck, actor: Actor, packages: readonly Asked[]) {
  const reading = db.as(actor)
  const byEcosystem = new Map<EcosystemId, (asked: Asked) => Known>()
  for (const [id, asked] of Map.groupBy(packages, ({ ecosystem }) => ecosystem)) {
    const ecosystem = ecosystems[id]
    if (!(await knowsEcosystem(reading, ecosystem))) {
      byEcosystem.set(id, () => ({ advisories: undefined, safeVersion: null }))
      continue
    }
    const named = byPackage(await auditPackages(reading, ecosystem, asked))
    const hitsOf = ({ name, version }: Asked) => named(ecosystem.normalizeName(name), version)
    const fixesOf = (one: Asked) => fixesAfter(ecosystem.compare, one.version, hitsOf(one))
    const fixes = asked.flatMap((one) => fixesOf(one).map((version) => ({ name: one.name, version })))
    const stillNamed = byPackage(await auditPackages(reading, ecosystem, fixes))
    byEcosystem.set(id, (one) => ({
      advisories: hitsOf(one),
      safeVersion:
        fixesOf(one).find(
          (version) =>
            stillNamed(ecosystem.normalizeName(one.name), version).length === 0 &&
            verdict(actor, id, one.name, version, {}).decision !== 'block',
        ) ?? null,
    }))
  }
  return (asked: Asked): Known => byEcosystem.get(asked.ecosystem)!(asked)
}

function byPackage(advisories: readonly PackageAdvisory[]) {
  const named = Map.groupBy(advisories, ({ name }) => name)
  return (name: string, version: string): PackageAdvisory[] =>
    (named.get(name) ?? []).filter(({ versions }) => versions.includes(version))
}

/** Versions that some advisory calls fixed, from the asked one up. */
function fixesAfter(
  compare: (a: string, b: string) => number,
  version: string,
  advisories: readonly PackageAdvisory[],
): string[] {
  const fixed = advisories.flatMap(({ ranges }) =>
    ranges.flatMap(({ events }) => events.flatMap((one) => one.fixed ?? [])),
  )
  return [...new Set(fixed)].filter((one) => compare(one, version) > 0).sort(compare)
}

function shown(
  { clock, verdict }: PackageCheck,
  actor: Actor,
  { ecosystem, name, version }: Asked,
  { advisories, safeVersion, published, usage }: Facts,
): object {
  const { details, isMissing, licence } = published
  const { publishedAt } = details
  const judged = verdict(actor, ecosystem, name, version, details)
  const { decision, refuse, rule, advisoryIds, reason } = judged
  const ageDays = publishedAt ? Math.floor((clock.now().getTime() - publishedAt.getTime()) / dayMs) : null
  return {
    ecosystem,
    name,
    version,
    advice: adviceFor({ refuse, isMissing, advisories, safeVersion }),
    verdict: { decision, refused: refuse, rule, advisoryIds },
    vulnerabilityCount: advisories?.length ?? null,
    vulnerabilities: (advisories ?? [])
      .toSorted((a, b) => b.score - a.score)
      .slice(0, mostVulnerabilities)
      .map(inShort),
    safeVersion,
    publishedAt: publishedAt?.toISOString() ?? null,
    ageDays,
    usedInRepositories: usage?.repositories ?? 0,
    untrusted: asData({ reason, licences: [...new Set([licence ?? [], usage?.licences ?? []].flat())] }),
  }
}

function inShort({ ids, severity, score, ranges, title }: PackageAdvisory): object {
  const fixed = ranges.flatMap(({ events }) => events.flatMap((one) => one.fixed ?? []))
  return {
    id: ids[0],
    aliases: ids.slice(1, 6),
    severity,
    cvssScore: score,
    fixedVersions: [...new Set(fixed)],
    untrusted: asData({ title }),
  }
}

function adviceFor(facts: Pick<Known, 'advisories' | 'safeVersion'> & { refuse: boolean; isMissing: boolean }): string {
  const { refuse, isMissing, advisories, safeVersion } = facts
  const instead = safeVersion ? ` ${safeVersion} has no known vulnerability.` : ''
  if (refuse) return `Do not install it: the firewall refuses it.${instead}`
  if (isMissing) return 'Do not install it: its registry does not have this version. Check the name.'
  if (!advisories)
    return 'The firewall lets it through. No advisories about vulnerabilities are loaded for this ecosystem, so nothing is known about those.'
  if (advisories.length === 0) return 'Nothing known speaks against it.'
  return safeVersion
    ? `It has known vulnerabilities. Use ${safeVersion} instead.`
    : 'It has known vulnerabilities, and no version without them is known.'
}
