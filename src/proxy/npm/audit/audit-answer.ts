import { createHash } from 'node:crypto'
import type { PackageAdvisory } from '../../../capabilities/vulnerabilities/public.ts'
import type { AuditedVersion } from './audited-versions.ts'
import { patchedRange, vulnerableRange } from './semver-range.ts'

/** As npm's registry says it: `moderate`, not `medium`. */
const severities = { info: 'info', low: 'low', medium: 'moderate', high: 'high', critical: 'critical' } as const

/** For `POST /-/npm/v1/security/advisories/bulk`: npm 7 and later, yarn 4, bun. */
export function bulkAnswer(advisories: readonly PackageAdvisory[]): object {
  const entries = [...Map.groupBy(advisories, ({ name }) => name)].map(([name, own]) => [name, own.map(inShort)])
  return Object.fromEntries(entries)
}

/** For `POST /-/npm/v1/security/audits` and `…/audits/quick`: npm 6, yarn 1 and pnpm. */
export function treeAnswer(advisories: readonly PackageAdvisory[], audited: readonly AuditedVersion[]): object {
  const byName = Map.groupBy(audited, ([name]) => name)
  const vulnerabilities = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 }
  const told = advisories.map((advisory) => {
    const affected = new Set(advisory.versions)
    const own = (byName.get(advisory.name) ?? []).filter(([, version]) => affected.has(version))
    vulnerabilities[severities[advisory.severity]] += own.length
    return { advisory, own }
  })
  const dependencies = new Set(audited.map(([name, version]) => `${name}@${version}`)).size
  return {
    actions: told.map(({ advisory, own }) => ({
      action: 'review',
      module: advisory.name,
      resolves: own.map(([, , path]) => ({
        id: numberOf(advisory),
        path,
        dev: false,
        optional: false,
        bundled: false,
      })),
    })),
    advisories: Object.fromEntries(told.map(({ advisory, own }) => [numberOf(advisory), inFull(advisory, own)])),
    muted: [],
    metadata: {
      vulnerabilities,
      dependencies,
      devDependencies: 0,
      optionalDependencies: 0,
      totalDependencies: dependencies,
    },
  }
}

function inShort(advisory: PackageAdvisory) {
  const { title, severity, cwes, score, vector } = advisory
  return {
    id: numberOf(advisory),
    url: addressOf(advisory),
    title: title || advisory.ids[0]!,
    severity: severities[severity],
    vulnerable_versions: rangeOf(advisory),
    cwe: cwes,
    cvss: { score, vectorString: vector || null },
  }
}

function inFull(advisory: PackageAdvisory, own: readonly AuditedVersion[]) {
  const { name, ids, ranges, title } = advisory
  const findings = [...Map.groupBy(own, ([, version]) => version)]
  const patched = patchedRange(ranges)
  return {
    ...inShort(advisory),
    module_name: name,
    cves: ids.filter((id) => id.startsWith('CVE-')),
    github_advisory_id: ids.find((id) => id.startsWith('GHSA-')) ?? '',
    patched_versions: patched,
    overview: title,
    recommendation: patched === '<0.0.0' ? 'None' : `Upgrade to version ${patched}`,
    references: advisory.links.map((link) => `- ${link}`).join('\n'),
    access: 'public',
    findings: findings.map(([version, rows]) => ({ version, paths: rows.map(([, , path]) => path) })),
  }
}

/** A record names more packages than are kept with it, now and then: then it is about the versions that were asked for. */
function rangeOf({ ranges, listed, versions }: PackageAdvisory): string {
  return vulnerableRange(ranges, listed) || versions.join(' || ')
}

function addressOf({ ids, links }: PackageAdvisory): string {
  const github = ids.find((id) => id.startsWith('GHSA-'))
  if (github) return `https://github.com/advisories/${github}`
  return links.find((link) => /^https?:/.test(link)) ?? `https://osv.dev/vulnerability/${encodeURIComponent(ids[0]!)}`
}

/** Clients know advisories by a number: the same each time, and another one for another package. */
function numberOf({ ids, name }: PackageAdvisory): number {
  return createHash('sha256').update(`${name} ${ids[0]}`).digest().readUIntBE(0, 6)
}
