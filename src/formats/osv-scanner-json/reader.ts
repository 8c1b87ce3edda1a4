import { scoreVector } from '../cvss/score.ts'
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
  texts,
  word,
} from '../tool-report/written-result.ts'

type Facts = { paths: Map<number, string> }

/** `osv-scanner --format json`. */
export const osvScannerJson: ToolReport<Facts> = {
  id: 'osv-scanner-json',
  title: 'OSV-Scanner JSON',
  recognises(members, name) {
    if (members.has('/results/0')) return members.has('/results/0/packages') && members.has('/results/0/source')
    if (!members.has('/results') || members.has('/errors')) return false
    return members.has('/experimental_config') || /osv/i.test(name)
  },
  facts: {
    begin: () => ({ paths: new Map() }),
    choose: chosenParts('results/*/source/path'),
    add: ({ paths }, { path, value }) => paths.set(path[1] as number, text(value, 1000)),
  },
  run: () => ({ tool: 'osv-scanner', version: '', category: '', incomplete: '' }),
  choose: chosenParts('results/*/packages/*'),
  *results({ path, value }, { paths }) {
    const found = record(value)
    const advisories = list(found.vulnerabilities).map(record)
    const byId = new Map(advisories.map((advisory) => [text(advisory.id, 200), advisory]))
    const groups = list(found.groups).map(record)
    const grouped = new Set(groups.flatMap((group) => texts(group.ids)))
    const alone = [...byId]
      .filter(([id]) => id !== '' && !grouped.has(id))
      .map(([id, { aliases }]) => ({ ids: [id], aliases }))
    for (const group of [...groups, ...alone]) {
      yield groupOf(group, byId, record(found.package), paths.get(path[1] as number) ?? '')
    }
  },
}

/** Records of several databases about one vulnerability. */
function groupOf(group: Loose, byId: ReadonlyMap<string, Loose>, pkg: Loose, path: string): ToolResult {
  const ids = texts(group.ids)
  const all = [...new Set([...ids, ...texts(group.aliases)])]
  // The name that its SARIF has.
  const id = all.find((one) => one.startsWith('CVE-')) ?? ids[0] ?? ''
  const [name, version] = [text(pkg.name, 300), text(pkg.version, 200) || text(pkg.commit, 64)]
  const records = ids.map((one) => byId.get(one)).filter((one) => one !== undefined)
  const summary = records.map((one) => text(one.summary, 300)).find(Boolean) ?? ''
  const others = all.filter((one) => one !== id)
  const rule = {
    id,
    shortDescription: { text: summary },
    help: { text: records.map((one) => text(one.details, 4000)).find(Boolean) ?? '' },
    helpUri: ids[0] ? `https://osv.dev/${encodeURIComponent(ids[0])}` : '',
    deprecatedIds: others,
    properties: { cwe: records.flatMap((one) => texts(record(one.database_specific).cwe_ids)) },
  }
  const known = others.length > 0 ? ` (also known as ${others.map((one) => `'${one}'`).join(', ')})` : ''
  const result = {
    message: { text: `Package '${name}@${version}' is vulnerable to '${id}'${known}.` },
    locations: [location({ path })],
    properties: {
      ...scoreOf(group.max_severity, records),
      ...calledOf(record(group.experimental_analysis ?? group.experimentalAnalysis)),
      ...component({ name, version, ecosystem: ecosystemWord(text(pkg.ecosystem, 100)) }),
    },
  }
  return { rule, result }
}

/** Old releases leave it to the records, and newer ones have '' where no record has a vector. Malware has no score at all. */
function scoreOf(written: unknown, records: readonly Loose[]): Loose {
  const score = word(written)
  if (score !== '') return { 'security-severity': score }
  const vectors = records.flatMap((one) => list(one.severity).map((said) => scoreVector(text(record(said).score, 500))))
  const scores = vectors.flatMap((scored) => scored?.score ?? [])
  if (scores.length > 0) return { 'security-severity': String(Math.max(...scores)) }
  if (records.some((one) => text(one.id, 200).startsWith('MAL-'))) return severity('critical')
  const words = records.map((one) => text(record(one.database_specific).severity, 20).toUpperCase())
  return severity(['CRITICAL', 'HIGH', 'MODERATE', 'MEDIUM', 'LOW'].find((one) => words.includes(one)))
}

/** Whether any of them is called, where it looked. */
function calledOf(analysis: Loose): Loose {
  const told = Object.values(analysis).map((one) => record(one).called)
  return told.length === 0 ? {} : { reachable: String(told.some((called) => called === true)) }
}

/** OSV's names are the registries'. */
const ecosystems: Readonly<Record<string, string>> = { 'crates.io': 'cargo', packagist: 'composer', swifturl: 'swift' }

function ecosystemWord(written: string): string {
  const plain = written.split(':')[0]!.toLowerCase()
  return Object.hasOwn(ecosystems, plain) ? ecosystems[plain]! : plain
}
