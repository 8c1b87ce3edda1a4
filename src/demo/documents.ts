import type { DemoRule, Stack } from './catalogue.ts'

export type Pinned = { name: string; version: string; licence: string }
/** One thing that is wrong in a file, from when on it is there until it is mended. */
export type Weakness = { rule: DemoRule; path: string; line: number; snippet: string }
export type Document = { path: string; content: string }

export function lockfile(stack: Stack, repository: string, pinned: Pinned[]): Document {
  return lockfiles[stack](repository, pinned)
}

const lockfiles: Record<Stack, (repository: string, pinned: Pinned[]) => Document> = {
  npm: (repository, pinned) => {
    const entries = pinned.map(({ name, version, licence }) => [
      `node_modules/${name}`,
      { version, resolved: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`, license: licence },
    ])
    const dependencies = Object.fromEntries(pinned.slice(0, 8).map(({ name, version }) => [name, `^${version}`]))
    const root = { name: repository.split('/').at(-1), dependencies }
    const content = { name: root.name, lockfileVersion: 3, packages: { '': root, ...Object.fromEntries(entries) } }
    return { path: 'package-lock.json', content: JSON.stringify(content, null, 2) }
  },
  pypi: (_, pinned) => ({
    path: 'requirements.txt',
    content: pinned.map(({ name, version }) => `${name}==${version}\n`).join(''),
  }),
  maven: (_, pinned) => ({
    path: 'gradle.lockfile',
    content: `# This is a Gradle generated file for dependency locking.\n${pinned
      .map(({ name, version }) => `${name}:${version}=compileClasspath,runtimeClasspath\n`)
      .join('')}empty=annotationProcessor\n`,
  }),
  gomod: (repository, pinned) => ({
    path: 'go.mod',
    content: `module example.com/${repository}\n\ngo 1.23\n\nrequire (\n${pinned
      .map(({ name, version }) => `\t${name} ${version}\n`)
      .join('')})\n`,
  }),
}

/** A SARIF 2.1.0 log of one tool. An empty one says that the tool looked and found nothing. */
export function sarifLog(tool: DemoRule['tool'], weaknesses: Weakness[]): Document {
  const rules = [...new Set(weaknesses.map(({ rule }) => rule))]
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: tool, rules: rules.map(toRule) } },
        invocations: [{ executionSuccessful: true }],
        results: weaknesses.map((each) => toResult(each, rules.indexOf(each.rule))),
      },
    ],
  }
  const name = tool === 'gitleaks' ? 'gitleaks' : 'semgrep'
  return { path: `reports/${name}.sarif`, content: JSON.stringify(log) }
}

function toRule({ id, title, cwe, level, confidence }: DemoRule) {
  return {
    id,
    shortDescription: { text: title },
    defaultConfiguration: { level },
    properties: { tags: [`${cwe}: see https://cwe.mitre.org`, `${confidence} CONFIDENCE`, 'security'] },
  }
}

function toResult({ rule, path, line, snippet }: Weakness, ruleIndex: number) {
  return {
    ruleId: rule.id,
    ruleIndex,
    level: rule.level,
    message: { text: `${rule.title} in ${path}.` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: path, uriBaseId: '%SRCROOT%' },
          region: { startLine: line, snippet: { text: snippet } },
        },
      },
    ],
  }
}
