import { semgrepDocument, semgrepFinding } from '../../src/formats/semgrep-results/test-results.ts'

/* What clients of other products send, and the same as our own upload takes it. */

const components = 2_000
const results = 2_000
const rules = 200
const files = 400

/** Of a few variants, so that packages and versions are known and the rows are new. */
function packageOf(n: number, variant: number) {
  const [name, version] = [`package-${n}`, `1.${variant}.${n % 7}`]
  return { name, version, purl: `pkg:npm/${name}@${version}` }
}

const upTo = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

export function cyclonedxBill(variant: number): string {
  const all = upTo(components, (n) => {
    const { name, version, purl } = packageOf(n, variant)
    return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [{ license: { id: 'MIT' } }] }
  })
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: all })
}

export function dependencySnapshot(variant: number, commit: string): string {
  const resolved = upTo(components, (n) => {
    const { name, purl } = packageOf(n, variant)
    return [name, { package_url: purl, relationship: n < 50 ? 'direct' : 'indirect', scope: 'runtime' }]
  })
  return JSON.stringify({
    version: 0,
    job: { id: '1', correlator: 'build' },
    sha: commit,
    ref: 'refs/heads/main',
    detector: { name: 'bench', version: '1', url: 'https://detector.example' },
    scanned: '2026-01-01T00:00:00Z',
    manifests: { lock: { name: 'package-lock.json', resolved: Object.fromEntries(resolved) } },
  })
}

const ruleOf = (n: number) => `javascript.lang.security.audit.rule-${n % rules}`
const pathOf = (n: number) => `src/part-${n % files}/file.js`
const messageOf = (n: number) => `User input of request ${n} reaches a sink without being checked. Check it first.`
const matchOf = (n: number) => `${n.toString(16).padStart(128, 'a')}_0`

/** Findings of Semgrep as its command line writes them into a SARIF log. */
export const semgrepLog = JSON.stringify({
  version: '2.1.0',
  runs: [
    {
      tool: {
        driver: {
          name: 'Semgrep OSS',
          rules: upTo(rules, (n) => ({
            id: ruleOf(n),
            properties: { tags: ['CWE-79: Cross-site scripting', 'HIGH CONFIDENCE', 'security'] },
          })),
        },
      },
      results: upTo(results, (n) => ({
        ruleId: ruleOf(n),
        level: 'error',
        message: { text: messageOf(n) },
        fingerprints: { 'matchBasedId/v1': matchOf(n) },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: pathOf(n) },
              region: {
                startLine: n + 1,
                startColumn: 1,
                endLine: n + 1,
                endColumn: 12,
                snippet: { text: `sink(request[${n}])` },
              },
            },
          },
        ],
      })),
    },
  ],
})

/** The same as `semgrep ci` sends them. */
export const semgrepResults = JSON.stringify(
  semgrepDocument(
    upTo(results, (n) => ({
      ...semgrepFinding({
        check_id: ruleOf(n),
        path: pathOf(n),
        line: n + 1,
        message: messageOf(n),
        metadata: { cwe: ['CWE-79: Cross-site scripting'], confidence: 'HIGH', category: 'security' },
        code: `c${n}`,
      }),
      match_based_id: matchOf(n),
    })),
    [],
    { rules: upTo(rules, ruleOf), searched: upTo(files, pathOf) },
  ),
)
