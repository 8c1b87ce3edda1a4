import { chosenParts } from '../tool-report/chosen-parts.ts'
import type { ToolReport, ToolResult } from '../tool-report/tool-report.ts'
import {
  component,
  type Loose,
  list,
  location,
  record,
  severity,
  text,
  textOrTexts,
  texts,
  word,
} from '../tool-report/written-result.ts'

/** `npm audit --json` of npm 7 and newer, and the older form, which `pnpm audit --json` still writes. */
export const npmAudit: ToolReport<object> = {
  id: 'npm-audit',
  title: 'npm audit JSON',
  recognises: (members) =>
    members.has('/auditReportVersion') ||
    (members.has('/advisories') && ['/metadata', '/actions', '/muted'].some((member) => members.has(member))),
  facts: { begin: () => ({}), choose: () => 'skip', add() {} },
  run: () => ({ tool: 'npm audit', version: '', category: '', incomplete: '' }),
  choose: chosenParts('vulnerabilities/*', 'advisories/*'),
  *results({ path: [kind], value }, _facts, reportPath) {
    const lockfile = `${reportPath.slice(0, reportPath.lastIndexOf('/') + 1)}package-lock.json`
    if (kind === 'advisories') yield* formerAdvisory(record(value), lockfile)
    else yield* vulnerablePackage(record(value), lockfile)
  },
}

/** What a package is vulnerable by itself; names among `via` are packages that have entries of their own. */
function* vulnerablePackage(found: Loose, lockfile: string): Generator<ToolResult> {
  const fix = record(found.fixAvailable)
  for (const advisory of list(found.via).map(record)) {
    const name = text(advisory.name, 300) || text(advisory.dependency, 300)
    if (name === '') continue
    const fixed = fix.name === name ? text(fix.version, 200) : ''
    yield advised({ ...advisory, name, fixed, score: record(advisory.cvss).score }, '', lockfile)
  }
}

function* formerAdvisory(advisory: Loose, lockfile: string): Generator<ToolResult> {
  const { module_name: name, vulnerable_versions: range, patched_versions: patched } = advisory
  const fixed = /^>=\s*([^\s|]{1,100})$/.exec(text(patched, 200))?.[1] ?? ''
  const versions = new Set(list(advisory.findings).map((one) => text(record(one).version, 200)))
  for (const version of versions.size > 0 ? versions : ['']) {
    yield advised({ ...advisory, name, range, fixed, score: record(advisory.cvss).score }, version, lockfile)
  }
}

type Advisory = Loose & { name: unknown; fixed: string; score: unknown }

function advised(advisory: Advisory, version: string, lockfile: string): ToolResult {
  const [name, title, url] = [text(advisory.name, 300), text(advisory.title, 300), text(advisory.url, 1000)]
  const id = text(advisory.github_advisory_id, 100) || advisoryIn(url) || `npm-${word(advisory.source ?? advisory.id)}`
  const range = text(advisory.range, 200)
  const rule = {
    id,
    shortDescription: { text: title },
    help: { text: [text(advisory.overview, 3000), text(advisory.recommendation, 900)].filter(Boolean).join('\n\n') },
    helpUri: url,
    properties: { cwe: textOrTexts(advisory.cwe), tags: texts(advisory.cves) },
  }
  const score = word(advisory.score)
  const result = {
    message: { text: `${[name, range].filter(Boolean).join(' ')}: ${title || id}` },
    locations: [location({ path: lockfile })],
    properties: {
      ...severity(advisory.severity),
      ...(score !== '' && score !== '0' && { cvssScore: score }),
      ...component({ name, version, fixed: advisory.fixed, ecosystem: 'npm' }),
    },
  }
  return { rule, result }
}

function advisoryIn(url: string): string {
  return /GHSA(-[0-9a-z]{4}){3}$/.exec(url)?.[0] ?? ''
}
