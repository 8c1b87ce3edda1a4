import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { roleNames } from '../../src/kernel/database/connections/connection.ts'
import { poll } from '../servers/real-process.ts'
import type { RecordedStatement } from '../watching/record-statements.ts'
import { ask, type Node } from './nodes.ts'

export type Difference = { statement: RecordedStatement; message: string; crashed: boolean }

const roles: readonly string[] = Object.values(roleNames)
/** What is said about the session and not about data, or asks Citus about itself. */
const ofTheSession =
  /^\s*(begin|commit|rollback|listen|unlisten|set|reset|savepoint|release|deallocate|close|discard|explain)\b|\bpg_dist_/i

/** Every distinct statement of our roles that tests sent while `GATEHOUSE_RECORD_STATEMENTS` named this folder. */
export function recordedIn(folder: string): RecordedStatement[] {
  const known = new Map<string, RecordedStatement>()
  for (const file of globSync(join(folder, '*.jsonl'))) {
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
      const statement = JSON.parse(line) as RecordedStatement
      if (!roles.includes(statement.role) || ofTheSession.test(statement.text)) continue
      known.set(`${statement.role} ${statement.text}`, statement)
    }
  }
  return [...known.values()]
}

type Outcome = { code: string; message: string; rows: string[] }

/** Adds numbered rows, or tells the time or a process: then rows are counted and not compared. */
const differsEachTime =
  /\b(insert|update|delete|nextval|create_\w+_account|(statement|clock)_timestamp|audit_head_for_append|pg_\w+)\b/i

/**
 * Runs each statement in a transaction that is taken back, on a plain database and on a distributed one with the same rows.
 * Answers with those that end otherwise on the distributed one than on the plain one: run by it or refused for what is in it,
 * with the same rows, in any order.
 */
export async function replay(statements: readonly RecordedStatement[], plain: Node, distributed: Node) {
  const differences: Difference[] = []
  const expecting = createSession(plain)
  const finding = createSession(distributed)
  for (const statement of statements) {
    const expected = await expecting.outcome(statement)
    const found = await finding.outcome(statement)
    const message = differenceOf(statement, expected, found)
    if (message) differences.push({ statement, message, crashed: found.code === lost })
  }
  await Promise.all([expecting.end(), finding.end()])
  return differences
}

const lost = 'lost'

/** In words; empty where there is none. */
function differenceOf({ text }: RecordedStatement, expected: Outcome, found: Outcome): string {
  if (found.code !== expected.code) return `${found.message || 'it runs'} (plain: ${expected.message || 'it runs'})`
  if (found.rows.length !== expected.rows.length) return `${found.rows.length} rows instead of ${expected.rows.length}`
  if (differsEachTime.test(text)) return ''
  const other = found.rows.find((row, at) => row !== expected.rows[at])
  return other === undefined ? '' : `other rows, such as ${other}`
}

/** One connection, and another one after a crash. */
function createSession(node: Node) {
  let open: pg.Client | undefined

  async function connected(): Promise<pg.Client> {
    if (open) return open
    await poll('the node answers', () =>
      ask(node, 'select 1').then(
        () => true,
        () => false,
      ),
    )
    open = new pg.Client(node)
    open.on('error', () => {})
    await open.connect()
    return open
  }

  async function outcome({ role, text, values }: RecordedStatement): Promise<Outcome> {
    const client = await connected()
    try {
      // What is set in a transaction is told to other nodes. The role is not to be: functions with the rights of the owner
      // have connections of their own there. Migrated databases hold up older processes by a setting.
      await client.query(`reset role; set citus.propagate_set_commands = 'local'; set gatehouse.deployment = '';
        set role ${role}; begin`)
      await client.query("set local gatehouse.tenant = '1'")
      const { rows } = await client.query({ text, values: values.map(fromWire) })
      await client.query('rollback')
      return { code: '', message: '', rows: rows.map((row) => JSON.stringify(row, inOrder)).sort() }
    } catch (error) {
      const { code = lost, message } = error as { code?: string; message: string }
      // The server says why it ends, and then is gone.
      const isBack = await client.query('rollback').then(
        () => true,
        () => false,
      )
      if (!isBack) open = undefined
      if (!isBack) return { code: lost, message, rows: [] }
      return { code, message, rows: [] }
    }
  }

  return { outcome, end: async () => open?.end() }
}

/** Lists are compared in any order too. */
function inOrder(_: string, value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : value
}

function fromWire(value: RecordedStatement['values'][number]): string | Buffer | null {
  return value !== null && typeof value === 'object' ? Buffer.from(value.hex, 'hex') : value
}
