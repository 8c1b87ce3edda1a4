import { Fault } from '../../../kernel/contract/fault.ts'
import { parsedJson } from '../../parsed-json.ts'

/** A version that a client has, and where in its tree, as `a>b>c`; '' where it does not say. */
export type AuditedVersion = [name: string, version: string, path: string]

const maxDepth = 100
/** The largest lockfiles known have some ten thousand. */
const mostVersions = 50_000
const pathsOfVersion = 5

/** `{name: [versions]}`, or a tree of `dependencies`, as npm 6, yarn 1 and pnpm send it. */
export function auditedVersions(audit: Buffer): AuditedVersion[] {
  const asked = parsedJson(audit, 'The audit', () => new Fault('malformed_request', 'The audit is not JSON.'))
  const rows: AuditedVersion[] = []
  const times = new Map<string, number>()

  function add(name: string, version: unknown, path: string): void {
    if (typeof version !== 'string' || version === '' || name.length > 500 || version.length > 256) return
    const key = `${name}@${version}`
    const seen = times.get(key) ?? 0
    if (seen >= pathsOfVersion) return
    if (seen === 0 && times.size >= mostVersions) throw tooMany()
    times.set(key, seen + 1)
    rows.push([name, version, path])
  }

  function visit(tree: unknown, above: string, depth: number): void {
    if (depth > maxDepth) throw new Fault('malformed_request', 'The audit is nested too deep.')
    for (const [name, entry] of entriesOf(tree)) {
      const path = above === '' ? name : `${above}>${name}`
      add(name, (entry as { version?: unknown } | null)?.version, path.slice(0, 2_000))
      visit((entry as { dependencies?: unknown } | null)?.dependencies, path, depth + 1)
    }
  }

  if (isTree(asked)) visit(asked.dependencies, '', 0)
  else for (const [name, versions] of entriesOf(asked)) for (const version of listOf(versions)) add(name, version, '')
  return rows
}

function isTree(asked: unknown): asked is { dependencies: object } {
  const { dependencies } = (asked ?? {}) as { dependencies?: unknown }
  return typeof dependencies === 'object' && dependencies !== null && !Array.isArray(dependencies)
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function tooMany(): Fault {
  return new Fault('payload_too_large', `An audit may be about at most ${mostVersions} versions.`)
}
