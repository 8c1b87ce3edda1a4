import type { CiTrust } from '../../src/capabilities/ci-trusts/contract.ts'

export const providers: Record<CiTrust['provider'], { label: string; issuer: string; condition: string }> = {
  github: {
    label: 'GitHub Actions',
    issuer: 'https://token.actions.githubusercontent.com',
    condition: 'repository_owner_id = ',
  },
  gitlab: { label: 'GitLab CI', issuer: 'https://gitlab.com', condition: 'namespace_id = ' },
  other: { label: 'Another OpenID Connect issuer', issuer: '', condition: '' },
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
