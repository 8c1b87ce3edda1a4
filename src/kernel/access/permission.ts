/** Roles in a deployment, from least to most. */
export const roles = ['readonly', 'member', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

/** Every permission, and the least role that has it. A token's scopes are a subset of these. */
export const permissions = {
  'deployment:read': 'readonly',
  'deployment:write': 'owner',
  'people:read': 'readonly',
  'people:write': 'admin',
  'tokens:read': 'readonly',
  'tokens:write': 'readonly',
  'service-accounts:read': 'admin',
  'service-accounts:write': 'admin',
  'sign-in-providers:read': 'admin',
  // Whoever chooses the issuer can be anybody whom it vouches for.
  'sign-in-providers:write': 'owner',
  'audit:read': 'owner',
  'audit:write': 'owner',
  'provisioning:read': 'admin',
  'provisioning:write': 'owner',
  // What the token of a directory may do. Owners alone have it to give: it suspends owners, too.
  'provisioning:sync': 'owner',
  'repositories:read': 'readonly',
  'repositories:write': 'admin',
  'scans:read': 'readonly',
  'scans:write': 'member',
  'dependencies:read': 'readonly',
  'teams:read': 'readonly',
  // Managers of a team are plain members of the deployment; which teams they may change is decided with the team at hand.
  'teams:manage': 'readonly',
  'teams:write': 'admin',
  'ruleboards:read': 'readonly',
  'ruleboards:write': 'admin',
  'policies:read': 'readonly',
  'policies:write': 'admin',
  // Sealed as they are, the credentials of registries are nobody's business but who looks after them.
  'package-managers:read': 'admin',
  'package-managers:write': 'admin',
  // Packages through the malware firewall; all that a build needs.
  'packages:read': 'readonly',
  'firewall:read': 'readonly',
  'firewall:ask': 'member',
  'firewall:write': 'admin',
  'reports:read': 'readonly',
  'scm-apps:read': 'admin',
  'scm-apps:write': 'admin',
  'findings:read': 'readonly',
  'findings:triage': 'member',
  'discussions:read': 'readonly',
  'discussions:write': 'member',
  // Own views, and packages that one watches, are everybody's; sharing one takes more, which is decided with the view at hand.
  'views:read': 'readonly',
  'views:write': 'readonly',
  'memories:read': 'readonly',
  'memories:write': 'member',
  'issues:read': 'readonly',
  'issues:triage': 'member',
  'issues:write': 'member',
  'chat:read': 'readonly',
  'chat:write': 'admin',
  'ticketing:read': 'readonly',
  'ticketing:write': 'admin',
  'tickets:read': 'readonly',
  'tickets:write': 'member',
  'automations:read': 'readonly',
  'automations:fire': 'member',
  'automations:write': 'admin',
  'jobs:read': 'admin',
  'jobs:write': 'admin',
  'cloudsec:read': 'admin',
  'cloudsec:write': 'admin',
} as const satisfies Record<string, Role>

export type Permission = keyof typeof permissions

export const permissionNames = Object.keys(permissions) as Permission[]

function atLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least)
}

const byRole = new Map(
  roles.map((role) => [role, new Set(permissionNames.filter((name) => atLeast(role, permissions[name])))]),
)

/** What a role may do, narrowed to the scopes of the token it came with, if any. */
export function permitted(role: Role, scopes: readonly string[] | undefined): ReadonlySet<Permission> {
  const all = byRole.get(role)!
  return scopes ? new Set([...all].filter((name) => scopes.includes(name))) : all
}
