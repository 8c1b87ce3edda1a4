import type { Permission } from '../../kernel/access/permission.ts'

/** What the tools of the Model Context Protocol take. Those that change something come last, and ask a person each time. */
export const mcpScopes = [
  'findings:read',
  'dependencies:read',
  'firewall:read',
  'findings:triage',
  'firewall:ask',
] as const satisfies Permission[]

export type McpScope = (typeof mcpScopes)[number]

/** Of what a program asks for, what there is. Clients ask for more than servers have, `offline_access` for one. */
export function scopesIn(text: string): McpScope[] {
  const names = text.split(/\s+/).filter(Boolean)
  return names.length === 0 ? [...mcpScopes] : mcpScopes.filter((scope) => names.includes(scope))
}
