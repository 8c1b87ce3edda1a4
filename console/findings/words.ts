import type { Finding } from '../../src/capabilities/findings/finding.ts'
import { label, list, wordOf } from '../ui/text/words.ts'

/** Why it matters, or why less, in sentences. */
export function whyItMatters(finding: Finding): string[] {
  const said: string[] = []
  if (finding.malicious) said.push('The package is malicious, not merely vulnerable.')
  const reach = wordOf(finding.reachability)
  if (reach === 'reachable') said.push('The vulnerable part is used by this repository.')
  if (reach === 'unreachable') said.push('The vulnerable part is not used by this repository.')
  const valid = wordOf(finding.validity)
  if (valid === 'valid') said.push('The secret still works.')
  if (valid === 'invalid') said.push('The secret no longer works.')
  const confidence = wordOf(finding.confidence)
  if (confidence === 'high') said.push('The tool is sure of it.')
  if (confidence === 'low') said.push('The tool is not sure of it.')
  if (finding.silenced) said.push('It is not shown in its pull request.')
  return said
}

type Change = {
  seq: number
  toState: string
  toReason: string
  decidedBy: string
  deciderName: string
  deciderId: string
  cause: string
  scanId: number
}

/** Sources that Gatehouse itself compares inventories with; advisories come between scans, too. */
const advisedSources = ['osv', 'malware']

/** Who brought it into its state, and why. */
export function changeSentence(change: Change, source: string): string {
  const isAdvised = advisedSources.includes(source)
  const reason = wordOf(change.toReason)
  const why = reason === 'unspecified' ? '' : `, ${label(reason).toLowerCase()}`
  switch (wordOf(change.decidedBy)) {
    case 'person':
      return `by ${change.deciderName || 'a person who has left'}${why}`
    case 'memory':
      return `by memory ${change.deciderId}${why}`
    case 'automation':
      return `by automation ${change.deciderId}${why}`
    case 'rule': {
      const cause = wordOf(change.cause)
      return `by rule: ${label(cause === 'unspecified' ? 'suppressed' : cause).toLowerCase()}`
    }
    default:
      // A pull request, a branch or a file: the note says which.
      if (wordOf(change.toState) === 'ended') return 'because what it was found in is over or gone'
      return change.scanId > 0 ? `seen by scan ${change.scanId}` : isAdvised ? 'as advisories say' : 'seen by a scan'
  }
}

/** A finding as text for a ticket or a message. */
export function asMarkdown(finding: Finding, address: string): string {
  const place = finding.path ? `\`${finding.path}${finding.startLine ? `:${finding.startLine}` : ''}\`` : ''
  const facts = [
    `**${label(wordOf(finding.severity))}**, ${label(wordOf(finding.triageState)).toLowerCase()}`,
    `Repository: ${finding.repository} (${finding.ref})`,
    place && `File: ${place}`,
    finding.ruleId && `Rule: \`${finding.ruleId}\``,
    finding.vulnerabilityIds.length > 0 && `Vulnerability: ${list(finding.vulnerabilityIds)}`,
    address,
  ]
  return `### ${finding.title}\n\n${finding.message}\n\n${facts
    .filter(Boolean)
    .map((fact) => `- ${fact}`)
    .join('\n')}\n`
}
