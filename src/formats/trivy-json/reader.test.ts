import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brief, readReport } from '../tool-report/test-report.ts'

const report = (...Results: object[]) => ({
  SchemaVersion: 2,
  Trivy: { Version: '0.70.0' },
  ArtifactName: '.',
  ArtifactType: 'filesystem',
  Results,
})

const vulnerability = {
  VulnerabilityID: 'CVE-2021-33503',
  PkgName: 'urllib3',
  InstalledVersion: '1.26.3',
  FixedVersion: '1.26.5',
  PrimaryURL: 'https://avd.aquasec.com/nvd/cve-2021-33503',
  Title: 'ReDoS in the parsing of authority part of URL',
  Description: 'An issue was discovered.',
  Severity: 'HIGH',
  CweIDs: ['CWE-400'],
}

const python = { Target: 'requirements.txt', Class: 'lang-pkgs', Type: 'pip', Vulnerabilities: [vulnerability] }

test('vulnerabilities of lockfiles', () => {
  const { format, findings, runs } = readReport(report(python))
  assert.equal(format, 'trivy-json')
  assert.deepEqual(findings.map(brief), ['sca high CVE-2021-33503 requirements.txt pypi urllib3@1.26.3'])
  assert.deepEqual([findings[0]!.fixedVersion, findings[0]!.cwes], ['1.26.5', ['CWE-400']])
  assert.deepEqual(findings[0]!.vulnerabilityIds, ['CVE-2021-33503'])
  assert.deepEqual(runs, [{ tool: 'trivy', category: '', complete: true, unsearched: [] }])
})

test('an update that mends nothing leaves it the same finding', () => {
  const updated = {
    ...python,
    Vulnerabilities: [{ ...vulnerability, InstalledVersion: '1.26.4', Title: 'Other words' }],
  }
  const [before] = readReport(report(python)).findings
  assert.equal(readReport(report(updated)).findings[0]!.fingerprint, before!.fingerprint)
})

test('a vulnerability that has a CVE by now is known by the id that it had before', () => {
  const named = (more: object) => readReport(report({ ...python, Vulnerabilities: [{ ...vulnerability, ...more }] }))
  const before = named({ VulnerabilityID: 'GHSA-q2q7-5pp4-w6pg' }).findings[0]!
  const now = named({ VendorIDs: ['GHSA-q2q7-5pp4-w6pg', 'DSA-5012-1'] }).findings[0]!
  assert.deepEqual(now.vulnerabilityIds, ['CVE-2021-33503', 'GHSA-q2q7-5pp4-w6pg'])
  assert.deepEqual(now.otherGroups, [before.fingerprint.slice(0, 32)])
})

const images: [target: string, path: string][] = [
  ['noppaknopsta/example-app:main-159 (debian 10.13)', 'noppaknopsta/example-app'],
  ['registry.example:5000/team/app:1.7 (alpine 3.19)', 'team/app'],
  [`localhost/app@sha256:${'0'.repeat(64)} (debian 12.1)`, 'app'],
  ['python:3.4-alpine (alpine 3.9.2)', 'python'],
]

test('packages of an image are of its repository, whichever build it is', () => {
  for (const [Target, path] of images) {
    const document = {
      ...report({ ...python, Target, Class: 'os-pkgs', Type: 'debian' }),
      ArtifactType: 'container_image',
    }
    assert.deepEqual(readReport(document).findings.map(brief), [`sca high CVE-2021-33503 ${path} - urllib3@1.26.3`])
  }
})

test('a file inside of an image is named by its path', () => {
  const inside = { ...vulnerability, PkgPath: 'app/node_modules/x/package.json' }
  const result = { Target: 'Node.js', Class: 'lang-pkgs', Type: 'node-pkg', Vulnerabilities: [inside] }
  const document = { ...report(result), ArtifactType: 'container_image' }
  assert.equal(readReport(document).findings[0]!.locations[0]!.path, 'app/node_modules/x/package.json')
})

function misconfiguration(line: number, content: string, more: object = {}) {
  return {
    ID: 'AWS-0089',
    Title: 'Bucket without logging',
    Description: 'Ensures that logging is on.',
    Message: 'Bucket has logging disabled',
    Resolution: 'Turn it on.',
    Severity: 'LOW',
    Status: 'FAIL',
    PrimaryURL: 'https://avd.aquasec.com/misconfig/aws-0089',
    CauseMetadata: { StartLine: line, EndLine: line, Code: { Lines: [{ Number: line, Content: content }] } },
    ...more,
  }
}

const terraform = (...Misconfigurations: object[]) => ({
  Target: 's3.tf',
  Class: 'config',
  Type: 'terraform',
  Misconfigurations,
})

test('misconfigurations stay the same when their lines move, and their code tells them apart', () => {
  const [first, second] = [misconfiguration(3, 'resource "a"'), misconfiguration(9, 'resource "b"')]
  const { findings } = readReport(report(terraform(first, second)))
  assert.deepEqual(findings.map(brief), ['code low AWS-0089 s3.tf:3', 'code low AWS-0089 s3.tf:9'])
  const moved = readReport(report(terraform(misconfiguration(30, 'resource "a"')))).findings
  assert.deepEqual([moved[0]!.fingerprint, moved[0]!.context], [findings[0]!.fingerprint, findings[0]!.context])
  assert.notEqual(findings[1]!.context, findings[0]!.context)
})

test('what passed is left out, and an exception is suppressed', () => {
  const document = report(
    terraform(misconfiguration(1, 'a', { Status: 'PASS' }), misconfiguration(2, 'b', { Status: 'EXCEPTION' })),
  )
  assert.deepEqual(
    readReport(document).findings.map(({ suppressed }) => suppressed),
    [true],
  )
})

test('a secret is neither shown nor kept', () => {
  const leaked = 'AKIAQWERTYUIOPASDFGH'
  const Secrets = [
    {
      RuleID: 'aws-access-key-id',
      Title: 'AWS Access Key ID',
      Severity: 'CRITICAL',
      StartLine: 4,
      EndLine: 4,
      Match: `key = ${leaked}`,
      Code: { Lines: [{ Number: 4, Content: `key = ${leaked}` }] },
    },
  ]
  const { findings } = readReport(report({ Target: '.env', Class: 'secret', Secrets }))
  assert.deepEqual(findings.map(brief), ['secrets critical aws-access-key-id .env:4'])
  assert.ok(!JSON.stringify(findings).includes(leaked))
})

test('licences', () => {
  const Licenses = [
    { Severity: 'HIGH', Category: 'restricted', PkgName: 'busybox', Name: 'GPL-2.0', FilePath: '', Link: '' },
  ]
  const { findings } = readReport(report({ Target: 'OS Packages', Class: 'license', Licenses }))
  assert.deepEqual(
    [findings[0]!.product, findings[0]!.category, findings[0]!.message],
    ['sca', 'licence', 'busybox is under GPL-2.0 (restricted).'],
  )
})

test('a report that is cut off gives nothing', () => {
  const text = JSON.stringify(report(python))
  const { findings, problems, runs } = readReport(text.slice(0, -3))
  assert.deepEqual([findings, problems.map(({ code, fatal }) => [code, fatal]), runs], [[], [['truncated', true]], []])
})

test('nothing found is complete', () => {
  const { Results: _, ...nothing } = report()
  assert.deepEqual(readReport(nothing).runs, [{ tool: 'trivy', category: '', complete: true, unsearched: [] }])
})
