import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vulnerabilities } from './vulnerabilities.ts'

type Accusation = { id: string; ecosystem: string; name: string; version?: string; published?: Date }

export type DemoFeeds = ReturnType<typeof writeFeeds>

/** Made up, like the packages that they are about: these are only in the demo's registries. */
const malicious: Accusation[] = [
  { id: 'MAL-0000-0001', ecosystem: 'npm', name: 'meadow-colours', version: '1.4.1' },
  { id: 'MAL-0000-0002', ecosystem: 'npm', name: 'expresss' },
  { id: 'MAL-0000-0003', ecosystem: 'npm', name: 'lodahs' },
  { id: 'MAL-0000-0004', ecosystem: 'PyPI', name: 'reqeusts' },
  { id: 'MAL-0000-0005', ecosystem: 'Maven', name: 'org.apache.loging:log4j-core' },
]

/** Those of the demo's vulnerabilities that CISA's catalogue has. */
const knownExploited = [
  { cveID: 'CVE-2021-44228', dateAdded: '2021-12-10' },
  { cveID: 'CVE-2023-44487', dateAdded: '2023-10-10' },
]

/** Of the demo's vulnerabilities: probability and percentile. The numbers are its own, near to what FIRST has published. */
const epssScores = [
  ['CVE-2021-44228', 0.94358, 0.99957],
  ['CVE-2023-44487', 0.94432, 0.99983],
  ['CVE-2021-23337', 0.00812, 0.73604],
] as const

/** Writes all feeds into a folder. */
export function writeFeeds(folder: string) {
  const places = { malicious: join(folder, 'malicious'), vulnerable: join(folder, 'vulnerable') }
  for (const place of Object.values(places)) mkdirSync(place, { recursive: true, mode: 0o700 })
  const write = (place: string, record: { id: string }) =>
    writeFileSync(join(place, `${record.id}.json`), JSON.stringify(record))
  for (const each of malicious) write(places.malicious, recordOf(each))
  for (const each of vulnerabilities) write(places.vulnerable, each)
  const exploited = join(folder, 'exploited.json')
  writeFileSync(exploited, JSON.stringify({ vulnerabilities: knownExploited }))
  const epss = join(folder, 'epss.csv')
  writeFileSync(epss, ['cve,epss,percentile', ...epssScores.map((score) => score.join(','))].join('\n'))

  return {
    settings: {
      GATEHOUSE_FEED: places.malicious,
      GATEHOUSE_VULNERABILITY_FEED: places.vulnerable,
      GATEHOUSE_EXPLOITED_FEED: exploited,
      GATEHOUSE_EPSS_FEED: epss,
    },
    /** Somebody has found out about one more. */
    accuse: (accusation: Accusation) => write(places.malicious, recordOf(accusation)),
  }
}

/** Without a version it is about every version. */
function recordOf({ id, ecosystem, name, version, published }: Accusation) {
  const at = published?.toISOString() ?? '2025-01-01T00:00:00Z'
  return {
    id,
    modified: at,
    published: at,
    summary: `Malicious code in ${name} (${ecosystem})`,
    details: `${version ? `Version ${version}` : 'Every version'} sends the environment of the build to a foreign host.`,
    affected: [
      {
        package: { ecosystem, name },
        ...(version ? { versions: [version] } : { ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }] }] }),
      },
    ],
  }
}
