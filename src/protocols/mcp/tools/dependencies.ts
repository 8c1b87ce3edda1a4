import Type from 'typebox'
import type { DependencyFilter } from '../../../capabilities/dependencies/contract.ts'
import type { DependencyService } from '../../../capabilities/dependencies/service.ts'
import type { VulnerabilityService } from '../../../capabilities/vulnerabilities/service.ts'
import { ecosystemIds } from '../../../ecosystems/ecosystem.ts'
import { OneOf } from '../../../kernel/contract/schema.ts'
import { type Tool, tool } from '../tool.ts'
import { asData } from '../untrusted.ts'
import { pageCursor, pageSize } from './pages.ts'

const mostEntries = 10
const mostDetails = 2_000

export function findDependency(dependencies: Pick<DependencyService, 'listDependencies'>): Tool {
  return tool({
    name: 'find_dependency',
    title: 'Find who uses a package',
    description:
      'Which repositories depend on a package, in which versions, in which files and lines, directly or not. Give bounds to find a range of versions.',
    permissions: ['dependencies:read'],
    input: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 500, description: 'Name of the package' }),
      partOfName: Type.Optional(Type.Boolean({ description: 'The name is only a part of it; false by default' })),
      ecosystem: Type.Optional(OneOf(ecosystemIds, 'Only packages of this ecosystem')),
      version: Type.Optional(Type.String({ maxLength: 200, description: 'Just this version' })),
      from: Type.Optional(
        Type.String({ maxLength: 200, description: 'This version and later ones; >1.0 for later ones' }),
      ),
      to: Type.Optional(
        Type.String({ maxLength: 200, description: 'Up to and including this version; <2.0 without it' }),
      ),
      cursor: Type.Optional(pageCursor),
    }),
    async call(actor, { name, partOfName = false, ecosystem, version, from, to, cursor }) {
      const wanted = {
        name,
        exactNameMatch: !partOfName,
        ...(version && { exactVersion: version }),
        ...(from && { versionLowerBound: from }),
        ...(to && { versionUpperBound: to }),
      }
      const filter: DependencyFilter = { packageFilters: [wanted], ...(ecosystem && { ecosystem: [ecosystem] }) }
      const request = { dependencyFilter: filter, pageSize, ...(cursor && { cursor }) }
      const found = await dependencies.listDependencies(actor, request)
      const shown = found.dependencies.map((one) => ({
        repositoryId: one.repositoryId,
        ecosystem: one.ecosystem,
        transitivity: one.transitivity,
        development: one.development,
        line: one.line,
        untrusted: asData({
          repository: one.repositoryName,
          name: one.name,
          version: one.version,
          file: one.lockfilePath,
          licence: one.license,
        }),
      }))
      return { dependencies: shown, nextCursor: found.cursor || null }
    },
  })
}

export function whoIsAffected(vulnerabilities: Pick<VulnerabilityService, 'get' | 'repositories'>): Tool {
  return tool({
    name: 'who_is_affected',
    title: 'Find who is affected by a vulnerability',
    description:
      'What is known about a vulnerability, by any of its ids (CVE, GHSA, PYSEC), and the repositories whose dependencies it hits, with the files and lines.',
    permissions: ['dependencies:read'],
    input: Type.Object({
      vulnerabilityId: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[!-~]+$',
        description: 'For example CVE-2021-44228',
      }),
      cursor: Type.Optional(pageCursor),
    }),
    async call(actor, { vulnerabilityId, cursor }) {
      const { id, ids, records } = await vulnerabilities.get(actor, vulnerabilityId)
      const page = { pageSize, ...(cursor && { cursor: Number(cursor) || 0 }) }
      const { repositories, cursor: next } = await vulnerabilities.repositories(actor, vulnerabilityId, page)
      const lead = records.find((record) => record.id === id) ?? records[0]!
      return {
        id,
        aliases: ids.slice(1, 11),
        severity: lead.severity,
        cvssScore: lead.cvssScore,
        cwes: lead.cwes,
        publishedAt: lead.publishedAt,
        withdrawnAt: lead.withdrawnAt,
        untrusted: asData({
          summary: lead.summary,
          details: lead.details.slice(0, mostDetails),
          links: lead.links.slice(0, 5),
        }),
        repositories: repositories.map((one) => ({
          repositoryId: one.repositoryId,
          dependencyCount: one.dependencyCount,
          untrusted: asData({ repository: one.repository, dependencies: one.dependencies.slice(0, mostEntries) }),
        })),
        nextCursor: next || null,
      }
    },
  })
}
