import type { FindingDigest } from '../../findings/public.ts'
import type { IssueDigest } from '../../issues/public.ts'

export type Subjects = { findings: FindingDigest[]; issues: IssueDigest[] }

type Node = { type: string; text?: string; content?: Node[]; version?: number; marks?: { type: string }[] }

// Jira: 255 characters for a summary on one line, 32,767 for a description.
const longestSummary = 250
const longestLine = 240
const longestText = 6_000

/** What a ticket says. The description is a document of Atlassian's format (ADF), version 1. */
export function contentFor({ findings, issues }: Subjects): { summary: string; description: object } {
  const titles = [...findings.map(findingTitle), ...issues.map(issueTitle)]
  const more = titles.length > 1 ? ` and ${titles.length - 1} more` : ''
  const summary = cut(plain(titles[0] ?? ''), longestSummary - more.length) + more
  const single = titles.length === 1
  const blocks = [
    ...findings.flatMap((finding) => (single ? findingInFull(finding) : [])),
    ...issues.flatMap((issue) => (single ? issueInFull(issue) : [])),
    ...(single ? [] : [list([...findings.map(findingLine), ...issues.map(issueTitle)])]),
    paragraph('Made by Gatehouse.', 'em'),
  ]
  return { summary, description: { type: 'doc', version: 1, content: blocks } }
}

function findingTitle({ severity, title, repositoryName }: FindingDigest): string {
  return `[${wordOf(severity)}] ${title} in ${repositoryName}`
}

function issueTitle({ severity, title }: IssueDigest): string {
  return `[${wordOf(severity)}] ${title}`
}

function findingLine(finding: FindingDigest): string {
  return `${findingTitle(finding)}: ${placeOf(finding)}`
}

function findingInFull(finding: FindingDigest): Node[] {
  const facts = [
    `Severity: ${wordOf(finding.severity)}`,
    `Repository: ${finding.repositoryName}, ${finding.ref}`,
    `Where: ${placeOf(finding)}`,
    `Rule: ${finding.ruleId}`,
    `Weakness: ${finding.cwes.join(', ')}`,
    `Vulnerability: ${finding.vulnerabilityIds.join(', ')}`,
    `Finding: ${finding.id}`,
  ].filter((fact) => !/: $/.test(fact))
  // What a scanner says about a secret may hold the secret.
  const message = finding.product === 'secrets' ? [] : paragraphs(finding.message)
  return [paragraph(finding.title, 'strong'), ...message, list(facts)]
}

function issueInFull({ id, title, severity, description, filePaths }: IssueDigest): Node[] {
  const files = filePaths.slice(0, 50).map((path) => `File: ${path}`)
  return [
    paragraph(title, 'strong'),
    ...paragraphs(description),
    list([`Severity: ${wordOf(severity)}`, ...files, `Issue: ${id}`]),
  ]
}

function placeOf({ path, startLine }: FindingDigest): string {
  return startLine > 0 ? `${path}:${startLine}` : path
}

function wordOf(severity: string): string {
  const word = severity.replace(/^SEVERITY_/, '').toLowerCase()
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function paragraphs(text: string): Node[] {
  return cut(text, longestText)
    .split(/\n+/)
    .filter((line) => plain(line) !== '')
    .map((line) => paragraph(line))
}

function paragraph(text: string, mark?: 'strong' | 'em'): Node {
  return { type: 'paragraph', content: [textNode(text, mark)] }
}

function list(lines: string[]): Node {
  const items = lines.map((line) => ({ type: 'listItem', content: [paragraph(cut(plain(line), longestLine))] }))
  return { type: 'bulletList', content: items }
}

/** An empty text is refused. */
function textNode(text: string, mark?: string): Node {
  return { type: 'text', text: plain(text) || '-', ...(mark ? { marks: [{ type: mark }] } : {}) }
}

function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text
}
