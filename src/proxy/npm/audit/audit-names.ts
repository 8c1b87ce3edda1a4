import { Fault } from '../../../kernel/contract/fault.ts'
import { parsedJson } from '../../parsed-json.ts'

const maxDepth = 100

/** Names are keys in all forms of the question: `{name: [versions]}`, or `requires` and `dependencies` within each other. */
export function namesIn(audit: Buffer): string[] {
  const names = new Set<string>()
  const visit = (value: unknown, depth: number) => {
    if (depth > maxDepth) throw new Fault('malformed_request', 'The audit is nested too deep.')
    if (!isObject(value)) return
    for (const [name, inner] of Object.entries(value)) {
      names.add(name)
      visit(inner, depth + 1)
    }
  }
  visit(parsed(audit), 0)
  return [...names]
}

export function withoutNames(audit: Buffer, names: ReadonlySet<string>): string {
  return JSON.stringify(without(parsed(audit), names))
}

function without(value: unknown, names: ReadonlySet<string>): unknown {
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => !names.has(name))
  return Object.fromEntries(kept.map(([name, inner]) => [name, without(inner, names)]))
}

function parsed(audit: Buffer): unknown {
  const broken = () => new Fault('malformed_request', 'The audit is not JSON.')
  return parsedJson(audit, 'The audit', broken, 'payload_too_large')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
