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
} from '../tool-report/written-result.ts'

type Facts = { version: string; folder: string }

/** `grype -o json`. */
export const grypeJson: ToolReport<Facts> = {
  id: 'grype-json',
  title: 'Grype JSON',
  recognises(members) {
    if (members.has('/matches/0')) return members.has('/matches/0/vulnerability')
    return members.has('/matches') && (members.has('/descriptor') || members.has('/source'))
  },
  facts: {
    begin: () => ({ version: '', folder: '' }),
    choose: chosenParts('descriptor/version', 'source/target'),
    add(facts, { path, value }) {
      if (path[0] === 'descriptor') facts.version = text(value, 50)
      // Of an image it is an object.
      else facts.folder = text(value, 1000)
    },
  },
  run: ({ version }) => ({ tool: 'grype', version, category: '', incomplete: '' }),
  choose: chosenParts('matches/*'),
  *results({ value }, { folder }) {
    const { vulnerability, relatedVulnerabilities, artifact } = record(value)
    yield match(record(vulnerability), list(relatedVulnerabilities).map(record), record(artifact), folder)
  },
}

function match(found: Loose, related: readonly Loose[], artifact: Loose, folder: string): ToolResult {
  const id = text(found.id, 200)
  const [name, version] = [text(artifact.name, 300), text(artifact.version, 200)]
  const description = text(found.description, 4000) || text(related[0]?.description, 4000)
  const fix = record(found.fix)
  const fixed = fix.state === 'fixed' ? (texts(fix.versions)[0] ?? '') : ''
  const rule = {
    // Like in its SARIF: a rule for each package.
    id: `${id}-${name}`,
    shortDescription: { text: `${id} ${severityWord(found.severity)}vulnerability in ${name}` },
    fullDescription: { text: description.slice(0, 1000) },
    help: { text: description },
    helpUri: text(found.dataSource, 1000),
    properties: { tags: related.slice(0, 20).map((one) => text(one.id, 200)) },
  }
  const result = {
    message: { text: `${name} ${version} has ${id}.${fixed && ` Fixed in ${fixed}.`}` },
    locations: list(artifact.locations)
      .slice(0, 20)
      .map((place) => location({ path: pathOf(text(record(place).path, 1000), folder) })),
    properties: {
      ...severity(found.severity),
      cwe: list(found.cwes).flatMap((one) => textOrTexts(record(one).cwe)),
      ...component({ name, version, fixed, ecosystem: artifact.type }),
    },
  }
  return { rule, result }
}

function severityWord(written: unknown): string {
  const said = severity(written).severity
  return typeof said === 'string' ? `${said.toLowerCase()} ` : ''
}

/** Syft writes paths from the root of what was scanned, with a slash in front. */
function pathOf(path: string, folder: string): string {
  const below = folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length) : path
  return below.replace(/^\/+/, '')
}
