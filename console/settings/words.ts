import type { Role } from '../../src/kernel/access/permission.ts'

export const roles: readonly Role[] = ['owner', 'admin', 'member', 'readonly']

export const roleAbout: Record<Role, string> = {
  owner: 'Everything, also the audit log and other owners.',
  admin: 'People, teams, policies, automations and integrations.',
  member: 'Uploads scans and decides about findings of their teams.',
  readonly: 'Sees what their teams see and changes nothing.',
}

/** Whether each of the words is in one of the texts, in any letter case. */
export function matchesText(words: string, ...texts: readonly string[]): boolean {
  const all = texts.join('\n').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

/** Accounts of programs have an address that nobody can write to. */
export function addressWords(email: string): string {
  return email.endsWith('.service-account.invalid') ? 'service account' : email
}
