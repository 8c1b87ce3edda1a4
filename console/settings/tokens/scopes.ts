import type { Permission } from '../../../src/kernel/access/permission.ts'

export type ScopeRow = { subject: string; scopes: { scope: Permission; verb: string }[] }

/** Scopes as a matrix: a row for each subject, its verbs beside each other, reading first. */
export function scopeMatrix(permissions: readonly Permission[]): ScopeRow[] {
  const rows = new Map<string, ScopeRow>()
  for (const scope of permissions) {
    const [subject = '', verb = ''] = scope.split(':')
    const row = rows.get(subject) ?? { subject, scopes: [] }
    row.scopes.push({ scope, verb })
    rows.set(subject, row)
  }
  const first = (verb: string) => (verb === 'read' ? 0 : 1)
  for (const row of rows.values()) row.scopes.sort((a, b) => first(a.verb) - first(b.verb))
  return [...rows.values()]
}

export const purposes: Record<string, { label: string; scopes: Permission[] }> = {
  ci: { label: 'Upload scans from CI', scopes: ['scans:write', 'scans:read', 'repositories:read'] },
  firewall: { label: 'Fetch packages through the firewall', scopes: ['packages:read'] },
  read: { label: 'Read findings and reports', scopes: ['findings:read', 'reports:read', 'repositories:read'] },
}

/** What one can give a token of an account with these scopes; what its role does not have, the server refuses. */
export function givable(scopes: readonly Permission[], own: readonly Permission[]): readonly Permission[] {
  return scopes.length === 0 ? own : own.filter((each) => scopes.includes(each))
}

export type TokenTimes = { revokedAt: string | null; expiresAt: string }

export function tokenState(token: TokenTimes, now: number): 'revoked' | 'expired' | 'expires soon' | 'active' {
  if (token.revokedAt) return 'revoked'
  const left = Date.parse(token.expiresAt) - now
  if (left <= 0) return 'expired'
  return left < 14 * 86_400_000 ? 'expires soon' : 'active'
}
