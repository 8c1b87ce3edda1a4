import type { ExceptionRow } from './exception-store.ts'

/** Somebody asked, somebody decided, it was ended early, or an advisory came that names what it lets in. */
export type ExceptionEvent = 'asked' | 'decided' | 'ended' | 'advised'

/** In a line, without a name of anybody: it goes to channels, too. */
export function newsTitle(row: ExceptionRow, event: ExceptionEvent, malicious: readonly string[]): string {
  const { id, ecosystem, name, version, state, newAdvisoryIds } = row
  const what = oneLine(`${ecosystem} ${version === '*' ? name : `${name}@${version}`}`)
  if (event === 'asked') return `Exception ${id} is asked for: ${what}`
  if (event === 'advised') return `An advisory names what exception ${id} lets in: ${what}, ${listed(newAdvisoryIds)}`
  if (event === 'ended' && malicious.length > 0)
    return `Exception ${id} has ended: ${what} is known to be malicious, ${listed(malicious)}`
  if (event === 'ended') return `Exception ${id} has ended: ${what}`
  return `Exception ${id} was ${state === 'rejected' ? 'rejected' : 'approved'}: ${what}`
}

export function newsText(row: ExceptionRow, event: ExceptionEvent, malicious: readonly string[], link: string): string {
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
          ? [
              `Why: ${oneLine(endedReason)}`,
              malicious.length > 0
                ? 'It is refused again, and no exception lets it in. More about it:'
                : 'It is refused again. Where to ask again:',
            ]
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
  return [`${newsTitle(row, event, malicious)}.`, '', ...facts, link].join('\n')
}

function listed(advisoryIds: readonly string[]): string {
  return advisoryIds.slice(0, 3).map(oneLine).join(', ')
}

/** Of what a mail quotes, no more than a line. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
}
