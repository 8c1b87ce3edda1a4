import type { Permission } from '../access/permission.ts'

/** What may change, by the names that permissions have: who may read it may know that it changed. */
export const changeNames = [
  'findings',
  'issues',
  'repositories',
  'scans',
  'dependencies',
  'firewall',
  'memories',
  'policies',
  'ruleboards',
  'automations',
  'teams',
  'people',
  'tokens',
  'tickets',
  'ticketing',
  'chat',
  'cloudsec',
  'scm-apps',
  'package-managers',
  'jobs',
  'deployment',
  'provisioning',
  'audit',
] as const
export type ChangeName = (typeof changeNames)[number]

/** 0: of no repository in particular. */
export type Change = { name: ChangeName; repositoryId: number }

export function permissionFor(name: ChangeName): Permission {
  return `${name}:read`
}

/** Only whoever sees everything hears of these where it is not known which repository, or whose token, it was. */
const restricted: ReadonlySet<ChangeName> = new Set([
  'findings',
  'issues',
  'repositories',
  'scans',
  'dependencies',
  'memories',
  'tickets',
  'tokens',
])

export function isRestricted({ name, repositoryId }: Change): boolean {
  return repositoryId === 0 && restricted.has(name)
}

/** By the first word of the action. */
const audited: Record<string, ChangeName> = {
  automation: 'automations',
  chat: 'chat',
  'chat-subscription': 'chat',
  cloudsec: 'cloudsec',
  'cloudsec-credential': 'cloudsec',
  'dead-letter': 'jobs',
  deployment: 'deployment',
  finding: 'findings',
  'firewall-exception': 'firewall',
  'firewall-exception-settings': 'firewall',
  'firewall-override': 'firewall',
  'firewall-settings': 'firewall',
  'held-advisory': 'firewall',
  invitation: 'people',
  issue: 'issues',
  memory: 'memories',
  'package-claim': 'firewall',
  'package-manager-config': 'package-managers',
  'package-name': 'firewall',
  person: 'people',
  policy: 'policies',
  provisioning: 'provisioning',
  'pull-request': 'scans',
  repository: 'repositories',
  ruleboard: 'ruleboards',
  'scm-app': 'scm-apps',
  'sign-in-provider': 'people',
  'supply-chain-incident': 'firewall',
  team: 'teams',
  ticket: 'tickets',
  ticketing: 'ticketing',
  token: 'tokens',
}

/** What the entries of the audit log say has changed. */
export function changesOf(entries: readonly { action: string; target: string }[]): Change[] {
  return entries.flatMap(({ action, target }): Change[] => {
    const name = audited[action.split('.')[0]!]
    const repository = /^repository:([0-9]+)$/.exec(target)?.[1]
    const change = name && { name, repositoryId: Number(repository ?? 0) }
    return [{ name: 'audit', repositoryId: 0 }, ...(change ? [change] : [])]
  })
}
