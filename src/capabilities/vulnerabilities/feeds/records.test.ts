import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { packageLock, upload } from '../../scans/test-upload.ts'
import { findingsOf } from '../test-vulnerabilities.ts'
import { advisoryFolder, semver, type TestAdvisory, type TestRange } from './test-advisories.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

const npm = (name: string, ...ranges: TestRange[]) => [{ name, ranges }]
const requirements = (...lines: string[]) => ({ 'requirements.txt': `${lines.join('\n')}\n` })
const lock = (packages: Record<string, string>) => ({ 'package-lock.json': packageLock(packages) })

/** What is in the feed, the files of a repository, and the findings: rule, severity, version, and what the message advises. */
const table: [string, TestAdvisory[], Record<string, string>, string[]][] = [
  [
    'several introduced and fixed: the fix of the branch it is on',
    [
      {
        id: 'GHSA-1',
        affected: npm('a', {
          type: 'SEMVER',
          events: [{ introduced: '1.0.0' }, { fixed: '1.4.0' }, { introduced: '2.0.0' }, { fixed: '2.3.0' }],
        }),
      },
    ],
    lock({ a: '2.1.0' }),
    ['GHSA-1 MEDIUM 2.1.0: Upgrade to 2.3.0.'],
  ],
  [
    'between two ranges',
    [{ id: 'GHSA-1', affected: npm('a', semver('1.0.0', '1.4.0'), semver('2.0.0', '2.3.0')) }],
    lock({ a: '1.9.0' }),
    [],
  ],
  [
    'the last affected version is affected, and no fix is known',
    [
      {
        id: 'GHSA-1',
        affected: npm('a', { type: 'SEMVER', events: [{ introduced: '0' }, { last_affected: '1.4.0' }] }),
      },
    ],
    lock({ a: '1.4.0' }),
    ['GHSA-1 MEDIUM 1.4.0: No fixed version is known.'],
  ],
  [
    'after the last affected version',
    [
      {
        id: 'GHSA-1',
        affected: npm('a', { type: 'SEMVER', events: [{ introduced: '0' }, { last_affected: '1.4.0' }] }),
      },
    ],
    lock({ a: '1.4.1' }),
    [],
  ],
  [
    'from the limit on',
    [{ id: 'GHSA-1', affected: npm('a', { type: 'SEMVER', events: [{ introduced: '0' }, { limit: '1.4.0' }] }) }],
    lock({ a: '1.4.0' }),
    [],
  ],
  [
    'a listed version, in another spelling, and another package of the same name elsewhere',
    [
      {
        id: 'PYSEC-1',
        affected: [
          { name: 'Zope.Interface', ecosystem: 'PyPI', versions: ['1.0', '1.2rc1'] },
          { name: 'zope-interface' },
        ],
      },
    ],
    requirements('zope_interface==1.2.RC1'),
    ['PYSEC-1 MEDIUM 1.2.RC1: No fixed version is known.'],
  ],
  [
    "an ecosystem's own order",
    [
      {
        id: 'PYSEC-1',
        affected: [
          {
            name: 'b',
            ecosystem: 'PyPI',
            ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '2.0' }] }],
          },
        ],
      },
    ],
    requirements('b==2.0rc1'),
    ['PYSEC-1 MEDIUM 2.0rc1: Upgrade to 2.0.'],
  ],
  [
    'commits say nothing about versions',
    [{ id: 'GHSA-1', affected: npm('a', { type: 'GIT', events: [{ introduced: '0' }] }) }],
    lock({ a: '1.0.0' }),
    [],
  ],
  [
    'withdrawn',
    [
      { id: 'GHSA-1', withdrawn: '2026-01-02T00:00:00Z', affected: npm('a', semver('0')) },
      { id: 'GHSA-2', affected: npm('z', semver('0')) },
    ],
    lock({ a: '1.0.0' }),
    [],
  ],
  [
    'one finding for the records of several databases, by the best known name, with the worst vector and the later fix',
    [
      {
        id: 'GHSA-1',
        aliases: ['CVE-2026-1'],
        affected: npm('a', semver('0', '1.5.0')),
        severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' }],
      },
      {
        id: 'SNYK-1',
        aliases: ['CVE-2026-1'],
        affected: npm('a', semver('0', '1.6.0')),
        database_specific: { severity: 'CRITICAL' },
      },
      { id: 'OTHER-1', affected: npm('a', semver('0', '3.0.0')), database_specific: { severity: 'LOW' } },
    ],
    lock({ a: '1.0.0' }),
    ['CVE-2026-1 HIGH 1.0.0: Upgrade to 1.6.0.', 'OTHER-1 LOW 1.0.0: Upgrade to 3.0.0.'],
  ],
  [
    'two records that only a third one ties together',
    [
      { id: 'A-1', affected: npm('a', semver('0')) },
      { id: 'B-1', affected: npm('a', semver('0')) },
      { id: 'C-1', aliases: ['A-1', 'B-1'], affected: npm('a', semver('0')) },
    ],
    lock({ a: '1.0.0' }),
    ['A-1 MEDIUM 1.0.0: No fixed version is known.'],
  ],
  [
    'the newest CVSS counts',
    [
      {
        id: 'GHSA-1',
        affected: npm('a', semver('0')),
        severity: [
          { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
          { type: 'CVSS_V4', score: 'CVSS:4.0/AV:N/AC:L/AT:P/PR:H/UI:A/VC:N/VI:L/VA:L/SC:L/SI:N/SA:N' },
        ],
      },
    ],
    lock({ a: '1.0.0' }),
    ['GHSA-1 LOW 1.0.0: No fixed version is known.'],
  ],
  [
    'what is only said of the packages counts where nothing is said of the whole, the worst of it',
    [
      {
        id: 'GHSA-1',
        affected: [
          {
            ...npm('a', semver('0'))[0]!,
            severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
          },
        ],
        database_specific: { severity: 'LOW' },
      },
      { id: 'GHSA-2', affected: [{ ...npm('a', semver('0'))[0]!, ecosystem_specific: { severity: 'High' } }] },
      {
        id: 'GHSA-3',
        affected: [
          { ...npm('a', semver('0'))[0]!, database_specific: { severity: 'LOW' } },
          { ...npm('b', semver('0'))[0]!, database_specific: { severity: 'CRITICAL' } },
        ],
      },
      {
        id: 'GHSA-4',
        affected: [{ ...npm('a', semver('0'))[0]!, database_specific: { severity: 'CRITICAL' } }],
        database_specific: { severity: 'LOW' },
      },
    ],
    lock({ a: '1.0.0' }),
    ['GHSA-1 CRITICAL', 'GHSA-2 HIGH', 'GHSA-3 CRITICAL', 'GHSA-4 LOW'].map(
      (one) => `${one} 1.0.0: No fixed version is known.`,
    ),
  ],
  [
    'a malicious package is not merely vulnerable, and a record about none of our ecosystems is nobody here',
    [
      { id: 'MAL-1', affected: npm('a', semver('0')) },
      { id: 'DSA-1', affected: [{ name: 'a', ecosystem: 'Debian:12' }] },
      { id: 'GHSA-9', affected: npm('z', semver('0')) },
    ],
    lock({ a: '1.0.0' }),
    [],
  ],
]

for (const [at, [what, advisories, files, expected]] of table.entries()) {
  test(what, async () => {
    const feed = advisoryFolder()
    feed.put(...advisories)
    const synced = await gatehouse.vulnerabilities.feeds.sync(feed.place)
    assert.equal(synced.outcome, 'activated', JSON.stringify(synced))
    const repository = `table/${at}`
    const sent = await upload(gatehouse, { repository }, files)
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    const found = await findingsOf(gatehouse, repository)
    const told = found.map(({ ruleId, severity, dependency, message }) => {
      const advice = /(Upgrade to [^ ]+\.|No fixed version is known\.) (?:It|The)/.exec(message)?.[1]
      return `${ruleId} ${severity.replace('SEVERITY_', '')} ${dependency.version}: ${advice}`
    })
    assert.deepEqual(told.sort(), expected)
    await gatehouse.vulnerabilities.feeds.remove(feed.place)
    feed.remove()
  })
}

test('how a transitive dependency comes in is told', async () => {
  const feed = advisoryFolder()
  feed.put({ id: 'GHSA-1', affected: npm('deep', semver('0', '9.0.0')) })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  const packages = {
    '': { dependencies: { top: '*' } },
    'node_modules/top': { version: '1.0.0', dependencies: { middle: '*' } },
    'node_modules/middle': { version: '2.0.0', dependencies: { deep: '*' } },
    'node_modules/deep': { version: '3.0.0' },
  }
  const files = { 'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }, null, 1) }
  await upload(gatehouse, { repository: 'table/deep' }, files)
  const [finding] = await findingsOf(gatehouse, 'table/deep')
  assert.match(finding.message, /It comes in by top 1\.0\.0 > middle 2\.0\.0\.$/)
  assert.deepEqual(finding.logicalLocations, ['top 1.0.0', 'middle 2.0.0', 'deep 3.0.0'])
  await gatehouse.vulnerabilities.feeds.remove(feed.place)
  feed.remove()
})
