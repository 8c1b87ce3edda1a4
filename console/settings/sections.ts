import type { Permission } from '../../src/kernel/access/permission.ts'

export type Section = { path: string; label: string; needs: Permission }

/** The parts of the settings, in the order in which they are shown. */
const sections: readonly Section[] = [
  { path: 'people', label: 'People', needs: 'people:read' },
  { path: 'sign-in-providers', label: 'Sign-in providers', needs: 'sign-in-providers:read' },
  { path: 'teams', label: 'Teams', needs: 'teams:read' },
  { path: 'provisioning', label: 'Provisioning', needs: 'provisioning:read' },
  { path: 'tokens', label: 'API tokens', needs: 'tokens:read' },
  { path: 'service-accounts', label: 'Service accounts', needs: 'service-accounts:read' },
  { path: 'ci-trusts', label: 'CI trusts', needs: 'service-accounts:read' },
  { path: 'registries', label: 'Registries', needs: 'package-managers:read' },
  { path: 'devops-apps', label: 'DevOps apps', needs: 'scm-apps:read' },
  { path: 'pull-request-feedback', label: 'Pull request feedback', needs: 'scm-apps:read' },
  { path: 'ticketing', label: 'Ticketing', needs: 'ticketing:read' },
  { path: 'chat', label: 'Chat', needs: 'chat:read' },
  { path: 'cloud-security', label: 'Cloud security', needs: 'cloudsec:read' },
  { path: 'audit', label: 'Audit log', needs: 'audit:read' },
  { path: 'system', label: 'System', needs: 'deployment:read' },
]

export function allowedSections(permissions: readonly Permission[]): Section[] {
  return sections.filter((section) => permissions.includes(section.needs))
}
