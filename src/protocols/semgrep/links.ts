import type { ClientLink, RefusedRoute } from '../../kernel/contract/client-links.ts'

const findings = (query: URLSearchParams, more: Record<string, string> = {}) => {
  const repository = query.get('repo')
  return `findings?${new URLSearchParams({ ...(repository !== null && { repo: repository }), ...more })}`
}

/** Where the links that the Semgrep CLI prints lead to in the console. */
export const semgrepLinks: readonly ClientLink[] = [
  { path: '/orgs/:organisation/findings', page: (query) => findings(query) },
  { path: '/orgs/:organisation/supply-chain/vulnerabilities', page: (query) => findings(query, { kind: 'sca' }) },
  { path: '/orgs/:organisation/policies', page: () => 'policies' },
  { path: '/orgs/:organisation/settings/tokens', page: () => 'settings/tokens' },
]

const byLink =
  'Gatehouse does not sign in programs by a link. Make an API token in the settings and run `SEMGREP_APP_TOKEN=… semgrep login`.'
const engine = 'Gatehouse cannot give away the proprietary engine of Semgrep. Run `semgrep ci --oss-only`.'

/** What the Semgrep CLI asks its server for, and cannot have here. Who is sent a link must not sign in somebody else's program. */
export const semgrepRefusals: readonly RefusedRoute[] = [
  { method: 'GET', path: '/login', message: byLink },
  { method: 'POST', path: '/api/agent/tokens/requests', message: byLink },
  { method: 'GET', path: '/api/agent/deployments/deepbinary/:platform', message: engine },
]
