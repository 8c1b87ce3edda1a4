import type { CodeHost } from '../../../src/capabilities/pull-request-feedback/contract.ts'

export const kinds: Record<CodeHost['kind'], { label: string; apiUrl: string; selfHosted: string }> = {
  github: { label: 'GitHub', apiUrl: 'https://api.github.com', selfHosted: 'https://HOST/api/v3' },
  gitlab: { label: 'GitLab', apiUrl: 'https://gitlab.com/api/v4', selfHosted: 'https://HOST/api/v4' },
}

export const outcomeTones = { delivered: 'ok', skipped: 'warn', failed: 'bad' } as const

/** What it posts, in words. */
export function postsOf({ auth, kind, ...host }: CodeHost): string {
  const status = auth === 'app' ? 'check runs' : kind === 'github' ? 'commit statuses' : 'pipeline statuses'
  const all = [
    host.postsStatus && status,
    host.postsComment && 'one comment',
    host.postsLineComments && 'comments on changed lines',
  ].filter(Boolean)
  return all.length > 0 ? all.join(', ') : 'nothing'
}
