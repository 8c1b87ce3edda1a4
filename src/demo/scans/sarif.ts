import type { Document } from './lockfiles.ts'
import type { Reached } from './reachability.ts'
import type { DemoCode, DemoRule } from './rules/rule.ts'

/** One thing that is wrong in a file; `line` is that of the first line of its code. */
export type Weakness = {
  rule: DemoRule
  path: string
  line: number
  code: DemoCode
  /** Of a secret that somebody tried. */
  validity?: 'valid' | 'invalid'
  /** Why the source says not to report it. */
  suppressed?: string
}

/** A SARIF 2.1.0 log of one tool. An empty one says that the tool looked and found nothing. */
export function sarifLog(tool: DemoRule['tool'], weaknesses: readonly Weakness[]): Document {
  const rules = [...new Set(weaknesses.map(({ rule }) => rule))]
  const run = {
    tool: { driver: { name: tool, rules: rules.map(toRule) } },
    invocations: [{ executionSuccessful: true }],
    results: weaknesses.map((each) => toResult(each, rules.indexOf(each.rule))),
  }
  return { path: `reports/${tool === 'gitleaks' ? 'gitleaks' : 'semgrep'}.sarif`, content: logOf(run) }
}

/** What a tool says that looks whether the vulnerable part of a dependency is called. */
export function reachabilityLog(reached: readonly Reached[]): Document {
  const advisories = [...new Set(reached.map(({ advisory }) => advisory))]
  const run = {
    tool: {
      driver: {
        name: 'Semgrep Supply Chain',
        rules: advisories.map(({ ruleId, alias, title, score }) => ({
          id: ruleId,
          shortDescription: { text: title },
          properties: { 'security-severity': score.toFixed(1), tags: [alias, 'security'] },
        })),
      },
    },
    automationDetails: { id: 'supply-chain/' },
    invocations: [{ executionSuccessful: true }],
    results: reached.map(({ advisory, version, reachable, lockfile, line }) => ({
      ruleId: advisory.ruleId,
      level: 'error',
      message: { text: `${advisory.name} ${version} has ${advisory.alias}: ${advisory.title}.` },
      locations: [placeOf(lockfile, line, `${advisory.name} ${version}`)],
      properties: {
        exposure: reachable ? 'reachable' : 'unreachable',
        packageName: advisory.name,
        packageVersion: version,
        ecosystem: advisory.stack,
      },
    })),
  }
  return { path: 'reports/supply-chain.sarif', content: logOf(run) }
}

function logOf(run: object): string {
  return JSON.stringify({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] })
}

function toRule({ id, title, help, cwe, owasp, score, confidence, tool }: DemoRule) {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: help },
    help: { text: help },
    ...(tool === 'Semgrep OSS' && { helpUri: `https://semgrep.dev/r/${id}` }),
    properties: {
      'security-severity': score.toFixed(1),
      tags: [`${cwe}: see https://cwe.mitre.org`, `OWASP-${owasp}`, `${confidence} CONFIDENCE`, 'security'],
    },
  }
}

function toResult({ rule, path, line, code, validity, suppressed }: Weakness, ruleIndex: number) {
  const { lines, at, flow } = code
  const place = (index: number) => placeOf(path, line + index, lines[index]!, { line, text: lines.join('\n') })
  return {
    ruleId: rule.id,
    ruleIndex,
    message: { text: `${rule.title}. ${rule.help}` },
    locations: [place(at)],
    ...(flow.length > 0 && {
      codeFlows: [{ threadFlows: [{ locations: flow.map((index) => ({ location: place(index) })) }] }],
    }),
    ...(validity && { properties: { validity } }),
    ...(suppressed && { suppressions: [{ kind: 'inSource', justification: suppressed }] }),
  }
}

function placeOf(path: string, line: number, text: string, around?: { line: number; text: string }) {
  return {
    physicalLocation: {
      artifactLocation: { uri: path, uriBaseId: '%SRCROOT%' },
      region: { startLine: line, snippet: { text } },
      ...(around && {
        contextRegion: {
          startLine: around.line,
          endLine: around.line + around.text.split('\n').length - 1,
          snippet: { text: around.text },
        },
      }),
    },
  }
}
