import { appendFileSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import pg from 'pg'

/** A statement as some test ran it: by which role, and its values as they went over the wire (bytes as `{ hex }`). */
export type RecordedStatement = { role: string; text: string; values: (string | null | { hex: string })[] }

type Query = string | { text?: string; values?: unknown[] }

const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils') as { prepareValue(value: unknown): unknown }

/** Where `GATEHOUSE_RECORD_STATEMENTS` names a folder, every distinct statement that tests send is written there. */
export function recordStatements(): void {
  const folder = process.env.GATEHOUSE_RECORD_STATEMENTS
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${process.pid}.jsonl`)
  const known = new Set<string>()
  const roles = new WeakMap<object, string>()
  const send = pg.Client.prototype.query as (this: pg.Client, query: Query, ...more: unknown[]) => unknown

  function record(client: pg.Client, query: Query, given: unknown): void {
    const text = typeof query === 'string' ? query : (query.text ?? '')
    const role = /set role (\w+);/.exec(text)?.[1]
    if (role) roles.set(client, role)
    const as = roles.get(client) ?? ''
    if (role || known.has(`${as} ${text}`)) return
    known.add(`${as} ${text}`)
    const values = typeof query === 'string' ? given : query.values
    const sent = Array.isArray(values) ? values.map(wireValue) : []
    appendFileSync(file, `${JSON.stringify({ role: as, text, values: sent } satisfies RecordedStatement)}\n`)
  }

  pg.Client.prototype.query = function (this: pg.Client, query: Query, ...more: unknown[]) {
    record(this, query, more[0])
    return send.call(this, query, ...more)
  } as typeof pg.Client.prototype.query
}

function wireValue(value: unknown): string | null | { hex: string } {
  const sent = prepareValue(value)
  if (Buffer.isBuffer(sent)) return { hex: sent.toString('hex') }
  return sent === null || sent === undefined ? null : String(sent)
}
