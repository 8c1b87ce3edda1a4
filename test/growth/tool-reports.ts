import { type Documents, object, times } from './generate.ts'

const text = (name: string, whole: (count: number) => unknown, what = 'entries'): Documents => ({
  name,
  whole: { [what]: (count) => JSON.stringify(whole(count)) },
})

/** Reports of tools in their own JSON, and snapshots of dependencies. */
export const toolReports: Record<string, Documents> = {
  'semgrep-json': text('semgrep.json', (count) => ({
    results: times(count, (at) => ({
      check_id: `rule-${at % 50}`,
      path: `src/${at % 100}.py`,
      start: { line: at, col: 1 },
      end: { line: at, col: 9 },
      extra: { message: `Found ${at}.`, severity: 'ERROR', lines: `eval(${at})`, metadata: { cwe: ['CWE-95'] } },
    })),
    errors: times(count, (at) => ({ level: 'warn', message: `Warning ${at}` })),
  })),
  'trivy-json': text('trivy.json', (count) => ({
    SchemaVersion: 2,
    ArtifactName: '.',
    Results: times(count, (at) => ({
      Target: `${at}.lock`,
      Class: 'lang-pkgs',
      Type: 'npm',
      Vulnerabilities: [{ VulnerabilityID: `CVE-2024-${1000 + at}`, PkgName: `p${at}`, Severity: 'HIGH' }],
      Secrets: [{ RuleID: 'key', Title: 'Key', Match: `key = ${'*'.repeat(20)}`, StartLine: at + 1 }],
    })),
  })),
  'grype-json': text('grype.json', (count) => ({
    matches: times(count, (at) => ({
      vulnerability: { id: `CVE-2024-${1000 + at}`, severity: 'High' },
      artifact: { name: `p${at}`, version: '1', type: 'npm', locations: [{ path: `/${at}.lock` }] },
    })),
    descriptor: { name: 'grype' },
  })),
  'npm-audit': text('audit.json', (count) => ({
    auditReportVersion: 2,
    vulnerabilities: object(count, (at) => [
      `p${at}`,
      { via: [{ name: `p${at}`, title: 'Bad', url: `https://example.com/${at}`, source: at, severity: 'high' }] },
    ]),
  })),
  'gitleaks-json': text('gitleaks.json', (count) =>
    times(count, (at) => ({ RuleID: 'key', File: `${at % 100}.env`, Secret: `secret-${at}-value`, StartLine: at + 1 })),
  ),
  'osv-scanner-json': text('osv.json', (count) => ({
    results: [
      {
        source: { path: 'a.lock' },
        packages: [
          {
            package: { name: 'p', version: '1', ecosystem: 'npm' },
            groups: times(count, (at) => ({ ids: [`GHSA-${at}`], aliases: [`CVE-2024-${1000 + at}`] })),
            vulnerabilities: times(count, (at) => ({ id: `GHSA-${at}`, summary: `Bad ${at}` })),
          },
        ],
      },
    ],
  })),
  'gitlab-report': text('gl-sast-report.json', (count) => ({
    version: '15.0.0',
    vulnerabilities: times(count, (at) => ({
      name: `Found ${at}`,
      severity: 'High',
      location: { file: `${at % 100}.py`, start_line: at + 1 },
      identifiers: [{ type: 'semgrep_id', name: `rule-${at % 50}`, value: `rule-${at % 50}` }],
    })),
    scan: { type: 'sast', scanner: { name: 'Semgrep' } },
  })),
  'github-snapshot': {
    name: 'snapshot.json',
    heads: ['{"detector":{"name":"d"},"manifests":{"a":{"resolved":{'],
    whole: {
      packages: (count) =>
        JSON.stringify({
          detector: { name: 'd' },
          manifests: {
            a: {
              resolved: object(count, (at) => [
                `pkg:npm/p${at}@1`,
                { package_url: `pkg:npm/p${at}@1`, dependencies: [`pkg:npm/p${(at + 1) % count}@1`] },
              ]),
            },
          },
        }),
    },
  },
}
