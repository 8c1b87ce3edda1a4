import { chosenParts } from '../tool-report/chosen-parts.ts'
import type { ToolReport, ToolResult } from '../tool-report/tool-report.ts'
import { component, type Loose, list, location, record, severity, text } from '../tool-report/written-result.ts'

type Facts = { tool: string; version: string; type: string; failed: boolean; complaint: string }

/** The security reports of GitLab CI: SAST, secret detection, dependency and container scanning, schema 2 to 15. */
export const gitlabReport: ToolReport<Facts> = {
  id: 'gitlab-report',
  title: 'GitLab security report',
  recognises(members) {
    const has = (name: string) => members.has(`/${name}`)
    if (!has('vulnerabilities') || !has('version') || has('bomFormat')) return false
    return has('vulnerabilities/0/identifiers') || (!has('vulnerabilities/0') && (has('scan') || has('remediations')))
  },
  facts: {
    begin: () => ({ tool: '', version: '', type: '', failed: false, complaint: '' }),
    choose: chosenParts(
      'scan/scanner/name',
      'scan/scanner/version',
      'scan/type',
      'scan/status',
      'scan/messages/*',
      'vulnerabilities/*/scanner/name',
      'vulnerabilities/*/category',
    ),
    add(facts, { path, value }) {
      const [first, second, third] = path
      if (first === 'vulnerabilities') {
        if (third === 'category') facts.type ||= text(value, 50)
        else facts.tool ||= text(value, 100)
      } else if (second === 'type') facts.type = text(value, 50)
      else if (second === 'status') facts.failed = value === 'failure'
      else if (second === 'messages') facts.complaint ||= complaintOf(record(value))
      else if (third === 'name') facts.tool = text(value, 100)
      else facts.version = text(value, 50)
    },
  },
  run({ tool, version, type, failed, complaint }) {
    const why = complaint === '' ? '.' : `: ${complaint}`
    return {
      tool: tool || 'GitLab',
      version,
      category: `gitlab-${type || 'report'}`,
      incomplete: failed ? `The scanner says that it did not run to its end${why}` : '',
    }
  },
  choose: chosenParts('vulnerabilities/*'),
  *results({ value }, { type }) {
    yield vulnerability(record(value), type)
  },
}

function complaintOf({ level, value }: Loose): string {
  return level === 'fatal' ? text(value, 300) : ''
}

function vulnerability(found: Loose, type: string): ToolResult {
  const identifiers = list(found.identifiers).slice(0, 50).map(record)
  const place = record(found.location)
  const description = text(found.description, 4000)
  const solution = text(found.solution, 900)
  const name = text(found.name, 300) || text(found.message, 300)
  const dependency = record(place.dependency)
  const rule = {
    id: ruleIdOf(identifiers) || name,
    shortDescription: { text: name },
    fullDescription: { text: description.slice(0, 1000) },
    help: { text: [description.slice(0, 3000), solution].filter(Boolean).join('\n\n') },
    helpUri: identifiers.map(({ url }) => text(url, 1000)).find(Boolean) ?? '',
    properties: {
      tags: [...kindOf(type), ...identifiers.map((one) => text(one.name, 200))],
    },
  }
  const result = {
    // The name and not the description, which is edited with every release of a scanner, while decisions are to stay.
    message: { text: name || description },
    locations: [
      location({
        path: text(place.file, 2000) || text(place.image, 500).replace(/(@sha256:[0-9a-f]{64}|:[\w.-]{1,128})$/, ''),
        startLine: place.start_line,
        endLine: place.end_line,
        snippet: text(found.raw_source_code_extract, 2000),
      }),
    ],
    partialFingerprints: { commitSha: text(record(place.commit).sha, 100) },
    properties: {
      ...severity(found.severity),
      ...(typeof found.confidence === 'string' && { confidence: found.confidence }),
      ...(place.dependency !== undefined &&
        component({ name: record(dependency.package).name, version: dependency.version })),
    },
  }
  return { rule, result }
}

/** What its findings are about, where the scanner is not one that is known for it. */
function kindOf(type: string): string[] {
  if (type === 'secret_detection') return ['secret-detection']
  return type === 'dependency_scanning' || type === 'container_scanning' ? ['dependency-scanning'] : []
}

const weakness = /^(cwe|owasp|wasc|capec)$/i

/** An advisory that others know too, else what the scanner itself calls it; some scanners write a sentence for a value. */
function ruleIdOf(identifiers: readonly Loose[]): string {
  const own = identifiers.filter(({ type }) => !weakness.test(text(type, 50)))
  const advisory = own.find(({ type }) => /^(cve|ghsa)$/i.test(text(type, 50)))
  const first = record(advisory ?? own[0])
  const value = text(first.value, 500)
  return value === '' || /\s/.test(value) ? text(first.name, 500) : value
}
