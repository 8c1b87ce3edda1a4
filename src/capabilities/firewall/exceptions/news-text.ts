import type { ExceptionRow } from './exception-store.ts'
import { refusalLink } from './refusal-advice.ts'

/** Somebody asked, somebody decided, it was ended early, or an advisory came that names what it lets in. */
export type ExceptionEvent = 'asked' | 'decided' | 'ended' | 'advised'

/** In a line, without a name of anybody: it goes to channels, too. */
export function newsTitle(row: ExceptionRow, event: ExceptionEvent): string {
  const { id, ecosystem, name, version, state, newAdvisoryIds } = row
  const what = oneLine(`${ecosystem} ${version === '*' ? name : `${name}@${version}`}`)
  if (event === 'asked') return `Exception ${id} is asked for: ${what}`
  if (event === 'advised')
    return `An advisory names what exception ${id} lets in: ${what}, ${newAdvisoryIds.slice(0, 3).map(oneLine).join(', ')}`
  if (event === 'ended') return `Exception ${id} has ended: ${what}`
  return `Exception ${id} was ${state === 'rejected' ? 'rejected' : 'approved'}: ${what}`
}

export function newsText(row: ExceptionRow, event: ExceptionEvent, publicUrl: string, deploymentId: number): string {
  const { decisionReason, endedReason, expiresAt, versions, refusedBecause, askers, teamName, scope } = row
  const facts =
    event === 'asked'
      ? [
          `Refused because: ${oneLine(refusedBecause)}`,
          ...askers.map(({ personName, reason }) => `${oneLine(personName)}: ${oneLine(reason)}`),
          'Approve or reject it under Firewall, Exceptions:',
        ]
      : event === 'advised'
        ? ['The exception stays in force. End it under Firewall, Exceptions, if it should not:']
        : event === 'ended'
          ? [`Why: ${oneLine(endedReason)}`, 'It is refused again. Where to ask anew:']
          : [
              `Why: ${oneLine(decisionReason)}`,
              ...(row.state === 'rejected'
                ? []
                : [
                    `Versions: ${versions || 'every version'}`,
                    `For: ${scope === 'team' ? `the team ${oneLine(teamName)}` : 'everybody'}`,
                    `Until: ${expiresAt?.toUTCString()}`,
                  ]),
            ]
  return [`${newsTitle(row, event)}.`, '', ...facts, refusalLink(publicUrl, { deploymentId, ...row })].join('\n')
}

/** Of what a mail quotes, no more than a line. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
}
