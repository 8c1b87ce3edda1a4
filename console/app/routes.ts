import type { ComponentType } from 'react'
import type { Permission } from '../../src/kernel/access/permission.ts'
import { inUse } from '../findings/filter.ts'
import type { IconName } from '../ui/icons.tsx'
import { formatSearch, matchPath } from './address/address.ts'

type Params = Record<string, string>
export type PageComponent = ComponentType<{ params: Params }>

export type Route = {
  /** Below `/d/:slug`. */
  path: string
  load: () => Promise<{ default: PageComponent }>
  needs?: Permission
  /** The list fills the window and scrolls by itself. */
  fixed?: boolean
}

const routes: readonly Route[] = [
  { path: '', load: () => import('../overview/page.tsx'), needs: 'reports:read' },
  { path: 'findings/:id?', load: () => import('../findings/page.tsx'), needs: 'findings:read', fixed: true },
  { path: 'repositories', load: () => import('../repositories/page.tsx'), needs: 'repositories:read', fixed: true },
  {
    path: 'repositories/:id/pull-requests/:number',
    load: () => import('../repositories/pull-request.tsx'),
    needs: 'findings:read',
  },
  { path: 'repositories/:id/:tab?', load: () => import('../repositories/detail.tsx'), needs: 'repositories:read' },
  { path: 'pull-requests', load: () => import('../scans/pull-requests.tsx'), needs: 'scans:read', fixed: true },
  { path: 'scans', load: () => import('../scans/page.tsx'), needs: 'scans:read', fixed: true },
  { path: 'scans/upload', load: () => import('../scans/upload.tsx'), needs: 'scans:read' },
  { path: 'dependencies', load: () => import('../dependencies/page.tsx'), needs: 'dependencies:read', fixed: true },
  { path: 'dependencies/watched', load: () => import('../packages/watched.tsx'), needs: 'dependencies:read' },
  { path: 'packages/:ecosystem/*name', load: () => import('../packages/page.tsx'), needs: 'dependencies:read' },
  {
    path: 'vulnerabilities',
    load: () => import('../vulnerabilities/page.tsx'),
    needs: 'dependencies:read',
    fixed: true,
  },
  { path: 'vulnerabilities/:id', load: () => import('../vulnerabilities/detail.tsx'), needs: 'dependencies:read' },
  { path: 'licences', load: () => import('../licences/page.tsx'), needs: 'dependencies:read' },
  { path: 'firewall/:tab?', load: () => import('../firewall/page.tsx'), needs: 'firewall:read' },
  { path: 'reports/:name?', load: () => import('../reports/page.tsx'), needs: 'reports:read' },
  { path: 'scans/:id', load: () => import('../scans/detail.tsx'), needs: 'scans:read' },
  { path: 'issues/:id?', load: () => import('../issues/page.tsx'), needs: 'issues:read', fixed: true },
  { path: 'policies', load: () => import('../policies/page.tsx'), needs: 'policies:read' },
  { path: 'policies/:id', load: () => import('../policies/policy.tsx'), needs: 'policies:read' },
  { path: 'ruleboards/:slug?', load: () => import('../policies/ruleboards.tsx'), needs: 'ruleboards:read' },
  { path: 'automations', load: () => import('../automations/page.tsx'), needs: 'automations:read' },
  { path: 'automations/:id/:tab?', load: () => import('../automations/automation.tsx'), needs: 'automations:read' },
  { path: 'memories/:id?', load: () => import('../memories/page.tsx'), needs: 'memories:read' },
  { path: 'settings', load: () => import('../settings/start.tsx') },
  { path: 'settings/people', load: () => import('../settings/people/people.tsx'), needs: 'people:read' },
  {
    path: 'settings/sign-in-providers',
    load: () => import('../settings/sign-in-providers/sign-in-providers.tsx'),
    needs: 'sign-in-providers:read',
  },
  { path: 'settings/teams', load: () => import('../settings/people/teams.tsx'), needs: 'teams:read' },
  { path: 'settings/teams/:id', load: () => import('../settings/people/team.tsx'), needs: 'teams:read' },
  {
    path: 'settings/provisioning',
    load: () => import('../settings/provisioning/provisioning.tsx'),
    needs: 'provisioning:read',
  },
  { path: 'settings/tokens', load: () => import('../settings/tokens/tokens.tsx'), needs: 'tokens:read' },
  {
    path: 'settings/service-accounts/:id?',
    load: () => import('../settings/tokens/service-accounts.tsx'),
    needs: 'service-accounts:read',
  },
  {
    path: 'settings/ci-trusts',
    load: () => import('../settings/ci-trusts/ci-trusts.tsx'),
    needs: 'service-accounts:read',
  },
  {
    path: 'settings/registries',
    load: () => import('../settings/registries/registries.tsx'),
    needs: 'package-managers:read',
  },
  { path: 'settings/devops-apps', load: () => import('../settings/devops-apps.tsx'), needs: 'scm-apps:read' },
  {
    path: 'settings/pull-request-feedback',
    load: () => import('../settings/pull-request-feedback/feedback.tsx'),
    needs: 'scm-apps:read',
  },
  {
    path: 'settings/ticketing/:id?',
    load: () => import('../settings/ticketing/ticketing.tsx'),
    needs: 'ticketing:read',
  },
  { path: 'settings/chat', load: () => import('../settings/chat/chat.tsx'), needs: 'chat:read' },
  { path: 'settings/cloud-security', load: () => import('../settings/cloud-security.tsx'), needs: 'cloudsec:read' },
  { path: 'settings/audit', load: () => import('../settings/audit/audit.tsx'), needs: 'audit:read' },
  { path: 'settings/system', load: () => import('../settings/system/system.tsx'), needs: 'deployment:read' },
]

/** What belongs to the person and not to a deployment: whole paths. */
export const personalRoutes: readonly Route[] = [
  { path: '/me', load: () => import('../me/page.tsx') },
  { path: '/device', load: () => import('../device/page.tsx') },
  { path: '/authorize', load: () => import('../authorize/page.tsx') },
  { path: '/refused', load: () => import('../firewall/refusals/refused-link.tsx') },
  { path: '/chat/callback', load: () => import('../settings/chat/chat-callback.tsx') },
]

export type Place = {
  path: string
  label: string
  icon: IconName
  key: string
  needs: Permission
  /** What it begins with. */
  search?: string
  /** What else belongs to it, and has no place of its own. */
  also?: string
}
export type Group = { label: string; places: Place[] }

/** Where a place is, and what it begins with. */
export const addressOf = ({ path, search = '' }: Place): string => path + search

/** The rail. What is not built yet is not in it. */
export const groups: readonly Group[] = [
  {
    label: '',
    places: [
      { path: '', label: 'Overview', icon: 'home', key: 'o', needs: 'reports:read' },
      {
        path: 'findings',
        search: formatSearch(inUse),
        label: 'Findings',
        icon: 'shield',
        key: 'f',
        needs: 'findings:read',
      },
      { path: 'issues', label: 'Agentic issues', icon: 'robot', key: 'i', needs: 'issues:read' },
    ],
  },
  {
    label: 'Supply chain',
    places: [
      {
        path: 'dependencies',
        label: 'Dependencies',
        icon: 'box',
        key: 'd',
        needs: 'dependencies:read',
        also: 'packages',
      },
      { path: 'vulnerabilities', label: 'Vulnerabilities', icon: 'bug', key: 'v', needs: 'dependencies:read' },
      { path: 'licences', label: 'Licences', icon: 'scale', key: 'l', needs: 'dependencies:read' },
      { path: 'firewall', label: 'Firewall', icon: 'wall', key: 'w', needs: 'firewall:read' },
    ],
  },
  {
    label: 'Govern',
    places: [
      {
        path: 'repositories',
        label: 'Repositories',
        icon: 'book',
        key: 'r',
        needs: 'repositories:read',
        also: 'pull-requests',
      },
      { path: 'scans', label: 'Scans', icon: 'scan', key: 's', needs: 'scans:read' },
      { path: 'policies', label: 'Policies', icon: 'lines', key: 'p', needs: 'policies:read', also: 'ruleboards' },
      { path: 'automations', label: 'Automations', icon: 'bolt', key: 'a', needs: 'automations:read' },
      { path: 'memories', label: 'Memories', icon: 'mark', key: 'm', needs: 'memories:read' },
      { path: 'reports', label: 'Reports', icon: 'chart', key: 'n', needs: 'reports:read' },
      { path: 'settings', label: 'Settings', icon: 'gear', key: ',', needs: 'deployment:read' },
    ],
  },
]

export type Found = { route: Route; params: Params }

export function findRoute(path: string): Found | undefined {
  for (const route of routes) {
    const params = matchPath(route.path, path)
    if (params) return { route, params }
  }
  return undefined
}
