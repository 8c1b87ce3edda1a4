import type { PublishedAdvisory } from '../../capabilities/firewall/advisories/published-advisories.ts'
import { type AdvisoryRecordRow, severityWord } from '../../capabilities/vulnerabilities/public.ts'
import { formatPurl } from '../../ecosystems/purl.ts'
import { ecosystems } from '../../ecosystems/registry.ts'
import type { OsvPackage } from '../../formats/osv/record.ts'
import type { OsvEvent, Vulnerability } from './contract.ts'

const schemaVersion = '1.7.0'

/** As GitHub's database says it, which is what clients look for. */
const severityNames = { info: 'LOW', low: 'LOW', medium: 'MODERATE', high: 'HIGH', critical: 'CRITICAL' } as const

/** A record in the words of the OSV schema, made of what is kept of it. */
export function vulnerabilityRecord(row: AdvisoryRecordRow): Vulnerability {
  const { ids, externalId: id, vector, withdrawnAt } = row
  return {
    schema_version: schemaVersion,
    id,
    modified: row.modifiedAt.toISOString(),
    published: row.publishedAt.toISOString(),
    ...(withdrawnAt && { withdrawn: withdrawnAt.toISOString() }),
    aliases: ids.filter((alias) => alias !== id),
    summary: row.summary,
    details: row.details,
    ...(vector && { severity: [{ type: cvssType(vector), score: vector }] }),
    affected: row.packages.flatMap(affectedBy),
    references: row.links.map((url) => ({ type: 'WEB', url })),
    database_specific: { severity: severityNames[severityWord(row.severity)], cwe_ids: row.cwes },
  }
}

export function maliciousRecord({ id, live, modifiedAt, summary, packages }: PublishedAdvisory): Vulnerability {
  const modified = modifiedAt.toISOString()
  return {
    schema_version: schemaVersion,
    id,
    modified,
    // When it was taken back is not kept.
    ...(!live && { withdrawn: modified }),
    aliases: [],
    summary,
    details: '',
    affected: packages.flatMap(affectedBy),
    references: [],
    database_specific: { severity: 'CRITICAL', cwe_ids: ['CWE-506'] },
  }
}

function affectedBy({ ecosystem: id, name, ranges, versions }: OsvPackage): Vulnerability['affected'] {
  const ecosystem = ecosystems[id]
  if (ecosystem.osvName === undefined) return []
  const purlName = ecosystem.nameToPurl(name)
  const purl = purlName && formatPurl({ type: ecosystem.purlType, ...purlName })
  // Which repository a range of commits is of is not kept.
  const kept = ranges
    .filter(({ type }) => type !== 'GIT')
    .map(({ type, events }) => ({ type, events: events.map((event) => ({ ...event }) as OsvEvent) }))
  return [
    { package: { ecosystem: ecosystem.osvName, name, ...(purl && { purl }) }, ranges: kept, versions: [...versions] },
  ]
}

function cvssType(vector: string): string {
  if (vector.startsWith('CVSS:4')) return 'CVSS_V4'
  return vector.startsWith('CVSS:3') ? 'CVSS_V3' : 'CVSS_V2'
}
