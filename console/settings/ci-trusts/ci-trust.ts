import type { CiTrust } from '../../../src/capabilities/ci-trusts/contract.ts'

type TrustPermission = CiTrust['permissions'][number]

const permissionAbout: Record<TrustPermission, string> = {
  'scans:write': 'upload scans',
  'scans:read': 'read scans and receipts',
  'repositories:read': 'read what is known about the repository',
  'dependencies:read': 'read its dependencies and vulnerabilities',
  'findings:read': 'read its findings',
  'packages:read': 'fetch packages through the firewall',
}

export const trustPermissions = Object.entries(permissionAbout) as [TrustPermission, string][]

export const providers: Record<
  CiTrust['provider'],
  { label: string; issuer: string; condition: string; hint: string }
> = {
  github: {
    label: 'GitHub Actions',
    issuer: 'https://token.actions.githubusercontent.com',
    condition: 'repository_owner_id = ',
    hint: 'The number of an organisation is at https://api.github.com/orgs/NAME.',
  },
  gitlab: {
    label: 'GitLab CI',
    issuer: 'https://gitlab.com',
    condition: 'namespace_id = ',
    hint: 'The number of a group is in the menu of its page, as “Copy group ID”.',
  },
  other: { label: 'Another OpenID Connect issuer', issuer: '', condition: '', hint: '' },
}

/** Lines like `claim = value, value`. */
export function readConditions(text: string): CiTrust['conditions'] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const at = line.indexOf('=')
      const values = at < 0 ? '' : line.slice(at + 1)
      return {
        claim: (at < 0 ? line : line.slice(0, at)).trim(),
        values: values
          .split(',')
          .map((value) => value.trim())
          .filter(Boolean),
      }
    })
}

export function writeConditions(conditions: CiTrust['conditions']): string {
  return conditions.map(({ claim, values }) => `${claim} = ${values.join(', ')}`).join('\n')
}
