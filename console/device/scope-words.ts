import type { Permission } from '../../src/kernel/access/permission.ts'

/** What our own programs ask for, in words. Others are named by their scope alone. */
const words: Partial<Record<Permission, string>> = {
  'scans:write': 'upload scans',
  'scans:read': 'read scans and receipts',
  'repositories:read': 'read what is known about repositories',
  'findings:read': 'read findings',
  'dependencies:read': 'read dependencies and vulnerabilities',
  'firewall:read': 'read what the firewall allows and refuses',
  'packages:read': 'fetch packages through the firewall',
  'tokens:write': 'make tokens of yours that can do no more than this one',
}

export function scopeLabel(scope: Permission, missing: boolean): string {
  const known = words[scope]
  const said = known ? `${known} (${scope})` : scope
  return missing ? `${said}: you may not do this yourself` : said
}
