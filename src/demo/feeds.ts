import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the packages of the catalogue really suffered from, as OSV writes it; shortened. */
const vulnerabilities = [
  known(
    'GHSA-35jh-r3h4-6jhm',
    'CVE-2021-23337',
    'npm',
    'lodash',
    '0',
    '4.17.21',
    'PR:H/UI:N/S:U/C:H/I:H/A:H',
    'CWE-94',
  ),
  known(
    'GHSA-xvch-5gv4-984h',
    'CVE-2021-44906',
    'npm',
    'minimist',
    '1.0.0',
    '1.2.6',
    'PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CWE-1321',
  ),
  known('GHSA-cph5-m8f7-6c5x', 'CVE-2021-3749', 'npm', 'axios', '0', '0.21.2', 'PR:N/UI:N/S:U/C:N/I:N/A:H', 'CWE-400'),
  known('GHSA-8q59-q68h-6hv4', 'CVE-2020-14343', 'PyPI', 'pyyaml', '0', '5.4', 'PR:N/UI:N/S:U/C:H/I:H/A:H', 'CWE-20'),
  known(
    'GHSA-jfh8-c2jp-5v3q',
    'CVE-2021-44228',
    'Maven',
    'org.apache.logging.log4j:log4j-core',
    '2.0-beta9',
    '2.15.0',
    'PR:N/UI:N/S:C/C:H/I:H/A:H',
    'CWE-502',
  ),
  known(
    'GHSA-599f-7c49-w659',
    'CVE-2022-42889',
    'Maven',
    'org.apache.commons:commons-text',
    '1.5',
    '1.10.0',
    'PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CWE-94',
  ),
]

/** Made up, like the packages that they are about: these are only in the demo's registry. */
const malicious = [
  {
    id: 'MAL-0000-0001',
    modified: '2026-01-01T00:00:00Z',
    summary: 'Malicious code in meadow-colours (npm)',
    affected: [{ package: { ecosystem: 'npm', name: 'meadow-colours' }, versions: ['1.4.1'] }],
  },
  {
    id: 'MAL-0000-0002',
    modified: '2026-01-01T00:00:00Z',
    summary: 'Malicious code in expresss (npm)',
    affected: [
      {
        package: { ecosystem: 'npm', name: 'expresss' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
      },
    ],
  },
]

/** Writes both feeds into a folder; answers with the settings that name them. */
export function writeFeeds(folder: string): Record<string, string> {
  const write = (name: string, records: readonly { id: string }[]) => {
    const place = join(folder, name)
    mkdirSync(place, { recursive: true, mode: 0o700 })
    for (const record of records) writeFileSync(join(place, `${record.id}.json`), JSON.stringify(record))
    return place
  }
  return {
    GATEHOUSE_FEED: write('malicious', malicious),
    GATEHOUSE_VULNERABILITY_FEED: write('vulnerable', vulnerabilities),
  }
}

function known(
  id: string,
  alias: string,
  ecosystem: string,
  name: string,
  introduced: string,
  fixed: string,
  vector: string,
  cwe: string,
) {
  return {
    id,
    modified: '2026-01-01T00:00:00Z',
    aliases: [alias],
    summary: `${alias} in ${name}`,
    severity: [{ type: 'CVSS_V3', score: `CVSS:3.1/AV:N/AC:L/${vector}` }],
    affected: [{ package: { ecosystem, name }, ranges: [{ type: 'ECOSYSTEM', events: [{ introduced }, { fixed }] }] }],
    database_specific: { cwe_ids: [cwe] },
  }
}
