import { createHash } from 'node:crypto'
import type { ToldFinding } from '../../findings/public.ts'
import type { Verdict } from '../hosts/code-host.ts'
import { quoted } from './quoted-text.ts'

export type Told = {
  commit: string
  /** Whether the pull request has newer commits than the one that was scanned. */
  isOutdated: boolean
  blocked: boolean
  /** Names of the automations that block it. */
  blockedBy: readonly string[]
  /** Ids of the findings that block it, and why. */
  blocking: ReadonlyMap<string, readonly string[]>
  /** Those that are listed, the worst first. */
  findings: readonly ToldFinding[]
  /** How many are shown in the pull request in all. */
  total: number
  pageUrl: string
  /** Address of the console, which pages of findings are below. */
  publicUrl: string
}

/** How many findings the comment lists. With the longest texts it stays far below the 65,536 characters that GitHub takes. */
export const mostListed = 50

/** What our comments begin with: they are found again by it, and two deployments that share an account do not mix theirs. */
export function markersOf(publicUrl: string, deploymentId: number) {
  const key = createHash('sha256').update(`${publicUrl} ${deploymentId}`).digest('hex').slice(0, 12)
  const line = `<!-- gatehouse ${key} finding `
  return {
    key: `gatehouse-${key}`,
    summary: `<!-- gatehouse ${key} summary -->`,
    /** Of all comments on lines. */
    lines: line,
    line: (findingId: string) => `${line}${findingId} -->`,
    findingOf: (body: string) => /^[0-9]{1,16}(?= -->)/.exec(body.slice(line.length))?.[0],
  }
}
export type Markers = ReturnType<typeof markersOf>

export function verdictOf(told: Told, { key }: Markers): Verdict {
  const state = told.blocked ? 'blocked' : told.total > 0 ? 'found' : 'clean'
  return {
    key,
    state,
    title: titleOf(told),
    summary: `[What was found, and how to go on](${told.pageUrl})`,
    url: told.pageUrl,
  }
}

export function summaryText(told: Told, { summary }: Markers): string {
  const { commit, isOutdated, pageUrl } = told
  const scanned = commit ? `Scanned at ${quoted(commit.slice(0, 12), 12)}. ` : ''
  const outdated = isOutdated ? 'The pull request has newer commits, which were not scanned yet. ' : ''
  const rest = told.total - told.findings.length
  return [
    summary,
    `### Gatehouse: ${titleOf(told)}`,
    `${scanned}${outdated}[What was found, and how to go on](${pageUrl})`,
    ...(told.blockedBy.length > 0 ? [`Blocked by automations: ${named(told.blockedBy)}.`] : []),
    told.findings.map((finding) => listed(finding, told)).join('\n'),
    ...(rest > 0 ? [`And ${rest} more on [the page of the pull request](${pageUrl}).`] : []),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

export function lineText(finding: ToldFinding, told: Told, markers: Markers): string {
  const { title, message, rule } = finding
  const last = [
    ...aboutPackage(finding),
    `Rule ${quoted(rule, 200)}.`,
    ...whyItBlocks(finding, told),
    linkTo(finding, told),
  ]
  return [
    markers.line(finding.id),
    `**${severityOf(finding)}**: ${quoted(title, 200)}`,
    ...(message === title ? [] : [quoted(message, 1_000)]),
    last.join(' '),
  ].join('\n\n')
}

/** What becomes of a comment on a line whose finding is not open any more. */
export function settledText(findingId: string, { pageUrl }: Told, markers: Markers): string {
  return `${markers.line(findingId)}\n\nThis finding is no longer open in the pull request. [What is](${pageUrl})`
}

function titleOf({ blocked, blocking, total }: Told): string {
  const found = `${total} ${total === 1 ? 'finding' : 'findings'}`
  if (blocked) return blocking.size > 0 ? `blocked, ${found}` : 'blocked'
  return total > 0 ? `${found}, none of them blocks` : 'no findings'
}

function listed(finding: ToldFinding, told: Told): string {
  const { path, line, title, rule } = finding
  const place = path === '' ? '' : ` in ${quoted(line > 0 ? `${path}:${line}` : path, 300)}`
  const said = `- **${severityOf(finding)}**: ${quoted(title, 200)}${place}, rule ${quoted(rule, 200)}.`
  return [said, ...aboutPackage(finding), ...whyItBlocks(finding, told), linkTo(finding, told)].join(' ')
}

function aboutPackage({ dependency, advisories }: ToldFinding): string[] {
  const of = dependency ? [`Package ${quoted(`${dependency.name} ${dependency.version}`, 200)}.`] : []
  return advisories.length > 0 ? [...of, `${named(advisories.slice(0, 3))}.`] : of
}

function whyItBlocks({ id }: ToldFinding, { blocking }: Told): string[] {
  const because = blocking.get(id)?.slice(0, 3)
  return because ? [`**It blocks:** ${because.map((each) => quoted(each, 250)).join(', ')}.`] : []
}

function linkTo({ page }: ToldFinding, { publicUrl }: Told): string {
  return `[Details](${publicUrl}${page})`
}

function severityOf({ severity }: ToldFinding): string {
  const word = severity.slice('SEVERITY_'.length).toLowerCase()
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function named(texts: readonly string[]): string {
  return texts.map((each) => quoted(each, 100)).join(', ')
}
