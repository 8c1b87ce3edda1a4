import type { ChangeName } from '../../../src/kernel/changes/change.ts'
import type { OperationId } from '../../api/contracts.ts'
import { operations } from '../../api/operations.ts'

/** What is read again when something of a name has changed, by the paths of the operations that read it. */
const paths: Record<ChangeName, RegExp> = {
  findings:
    /^\/api\/(findings|reporting)\/|attention$|repositories\/search$|pull-requests$|\/vulnerabilities|watched-packages/,
  issues: /^\/api\/issues\//,
  // With a repository that is deleted, archived, tagged or exposed, everything goes or is counted elsewhere that is of it.
  repositories: /^\/api\/(repositories|findings|reporting|scans|sca)\/|attention$/,
  scans: /^\/api\/scans\/|attention$|repositories\/search$/,
  dependencies: /^\/api\/sca\/|attention$/,
  // Packages carry the verdicts on their versions.
  firewall: /firewall|watched-packages|attention$|\/packages(\/|$)/,
  memories: /\/memories|attention$/,
  policies: /^\/api\/policies\//,
  ruleboards: /\/ruleboards/,
  automations: /\/automations/,
  teams: /\/teams/,
  people: /^\/api\/people\//,
  tokens: /^\/api\/tokens\/|attention$/,
  tickets: /\/tickets/,
  ticketing: /ticketing|attention$/,
  chat: /\/chat/,
  cloudsec: /cloudsec/,
  'scm-apps': /^\/api\/scm\/|attention$/,
  'package-managers': /packagemanager/,
  jobs: /^\/api\/(jobs|system)\/|attention$/,
  deployment: /^\/api\/deployments\//,
  provisioning: /^\/api\/provisioning\//,
  audit: /^\/api\/audit\//,
}

const plural: Partial<Record<ChangeName, [one: string, many: string]>> = {
  findings: ['finding', 'findings'],
  issues: ['issue', 'issues'],
  scans: ['scan', 'scans'],
  repositories: ['repository', 'repositories'],
  audit: ['event', 'events'],
  memories: ['memory', 'memories'],
}

export function isTouched(id: string, names: readonly string[]): boolean {
  const operation = operations[id as OperationId] as readonly [string, string] | undefined
  return operation !== undefined && names.some((name) => paths[name as ChangeName]?.test(operation[1]) ?? false)
}

/** "3 new findings": of what the operation lists, where that is known. */
export function newWords(id: string, count: number): string {
  const path = (operations[id as OperationId] as readonly [string, string])[1]
  const name = (Object.keys(plural) as ChangeName[]).find((each) => path.startsWith(`/api/${each}`))
  const [one, many] = (name && plural[name]) ?? ['entry', 'entries']
  return `${count.toLocaleString('en')} new ${count === 1 ? one : many}`
}

type Row = { id?: unknown; seq?: unknown }

/** The rows of an answer: the one list in it. */
function rowsIn(answer: unknown): Row[] {
  return (Object.values(answer as object).find(Array.isArray) as Row[] | undefined) ?? []
}

const keyOf = (row: Row): string => String(row.id ?? row.seq ?? JSON.stringify(row))

/** How many rows the fresh first page has that are not on screen; undefined where nothing differs. */
export function newsIn(shown: readonly unknown[], fresh: unknown): number | undefined {
  const before = shown.flatMap(rowsIn)
  const known = new Set(before.map(keyOf))
  const now = rowsIn(fresh)
  const added = now.filter((row) => !known.has(keyOf(row))).length
  if (added > 0) return added
  return JSON.stringify(now) === JSON.stringify(rowsIn(shown[0])) ? undefined : 0
}
