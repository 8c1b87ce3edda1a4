import type { EcosystemId } from '../../../src/ecosystems/ecosystem.ts'

export type RefusedSubject = { ecosystem: EcosystemId; name: string; version: string }
type State = 'open' | 'approved' | 'rejected' | 'ended' | 'expired'

export const exceptionWords: Record<State, string> = {
  open: 'asked for',
  approved: 'in force',
  rejected: 'rejected',
  ended: 'ended early',
  expired: 'has run out',
}

export const exceptionTone: Record<State, 'warn' | 'ok' | 'bad' | undefined> = {
  open: 'warn',
  approved: 'ok',
  rejected: 'bad',
  ended: undefined,
  expired: undefined,
}

/** The version follows the last @; one at the beginning belongs to the scope. */
export function readSubject(ecosystem: string, text: string): RefusedSubject | undefined {
  const at = text.lastIndexOf('@')
  const [name, version] = [text.slice(0, at), text.slice(at + 1)]
  if (at < 1 || !version || !/^[a-z0-9-]{1,20}$/.test(ecosystem)) return undefined
  return { ecosystem: ecosystem as EcosystemId, name, version }
}

/** What somebody wrote, with the full stop that they may have left out. */
export function asSentence(text: string): string {
  return /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`
}

/** For whom and for what, in a sentence. */
export function grantSentence(granted: {
  name: string
  versions: string
  scope: 'deployment' | 'team'
  teamName: string
}): string {
  const { name, versions, scope, teamName } = granted
  const what = versions ? `${name} ${versions}` : `every version of ${name}`
  const whom = scope === 'deployment' ? 'everybody' : teamName ? `the team ${teamName}` : 'a team that is gone'
  return `${what}, for ${whom}`
}
