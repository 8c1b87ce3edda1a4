import { createHash } from 'node:crypto'
import { saysMalicious } from '../../../formats/osv/malicious.ts'
import type { OsvPackage, OsvRecord } from '../../../formats/osv/record.ts'
import { storableText } from '../../../kernel/text/storable-text.ts'
import { severityCode } from './codes.ts'
import { type RangeRow, rangesOf } from './ranges.ts'
import { judge } from './severity.ts'

/** A record as it is stored. */
export type RecordRow = {
  id: string
  ids: string[]
  live: boolean
  published: string
  modified: string
  withdrawn: string | null
  severity: number
  severitySource: number
  vector: string
  score: number
  cwes: string[]
  summary: string
  details: string
  links: string[]
  packages: OsvPackage[]
  ranges: RangeRow[]
  digest: string
}

const longestSummary = 500
const longestDetails = 20_000
const mostAliases = 50
const mostCwes = 50
const mostLinks = 100
/** What people are shown; ranges are made of all. */
const mostVersionsShown = 2_000
const mostPackagesShown = 1_000

/** Undefined for one about none of our ecosystems, and for one about malicious packages, which are the firewall's. */
export function toRow(record: OsvRecord): RecordRow | undefined {
  if (record.packages.length === 0 || saysMalicious(record)) return undefined
  const { severity, source, vector, score } = judge(record)
  const aliases = record.aliases.filter((alias) => /^[!-~]+$/.test(alias)).slice(0, mostAliases)
  const content = {
    ids: [...new Set([record.id, ...aliases])],
    live: record.withdrawn === '',
    published: instant(record.published) ?? instant(record.modified)!,
    modified: instant(record.modified)!,
    withdrawn: instant(record.withdrawn) ?? null,
    severity: severityCode(severity),
    severitySource: source,
    vector,
    score,
    cwes: record.weaknesses.filter((each) => /^CWE-\d+$/.test(each)).slice(0, mostCwes),
    summary: storableText(record.summary, longestSummary).replace(/\s+/g, ' ').trim(),
    details: storableText(record.details, longestDetails),
    links: record.references
      .filter((each) => each.length <= 2_000)
      .slice(0, mostLinks)
      .map((each) => storableText(each, 2_000)),
    packages: record.packages
      .slice(0, mostPackagesShown)
      .map((named) => ({ ...named, versions: named.versions.slice(0, mostVersionsShown) })),
    // Those of a withdrawn record hit nobody.
    ranges: record.withdrawn === '' ? rangesOf(record.packages) : [],
  }
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)
  return { id: record.id, ...content, digest }
}

function instant(text: string): string | undefined {
  const at = Date.parse(text)
  // Beyond these years PostgreSQL or its driver would write it in another way.
  return Number.isNaN(at) || at < 0 || at > 4_102_444_800_000 ? undefined : new Date(at).toISOString()
}
