import {
  chmodSync,
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startTestCluster } from '../cluster.ts'
import { poll } from '../servers/real-process.ts'

type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}
type Entry = { 'Query Text': string; Plan: PlanNode }

/** A statement as it was run, with how many rows the nodes of its plan looked at, all loops added up. */
export type Executed = { statement: string; rows: number; plan: PlanNode }

/**
 * A PostgreSQL without statistics, as it is right after the first large upload: nothing analyses, ever. It records the plan of
 * every statement with the rows it looked at, so that a test can limit the work instead of the time.
 */
export async function startRecordingCluster() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-plans-'))
  chmodSync(folder, 0o711)
  const logs = join(folder, 'plans')
  mkdirSync(logs)
  chmodSync(logs, 0o777)
  const cluster = await startTestCluster(folder, {
    autovacuum: 'off',
    plan_cache_mode: 'force_generic_plan',
    logging_collector: 'on',
    log_destination: 'jsonlog',
    log_directory: logs,
    log_filename: 'server.log',
    log_file_mode: '0644',
    log_rotation_age: '0',
    log_rotation_size: '0',
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_parameter_max_length': '0',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_format': 'json',
  })
  const shared = process.env.GATEHOUSE_TEST_CLUSTER
  process.env.GATEHOUSE_TEST_CLUSTER = JSON.stringify(cluster.connection)
  let read = 0
  let asked = 0

  /**
   * What was run since the last time this was asked. The server's log is written by a process of its own, in order: what was run
   * is in it when a statement that is run now is.
   */
  async function executed(): Promise<Executed[]> {
    const last = `select ${++asked} as asked`
    const client = new pg.Client(cluster.connection)
    await client.connect()
    await client.query(last).finally(() => client.end())
    const all: Executed[] = []
    await poll(`the plan of ${last} is recorded`, () => {
      all.push(...newlyWritten())
      return all.some(({ statement }) => statement === last)
    })
    return all.filter(({ statement }) => statement !== last)
  }

  function newlyWritten(): Executed[] {
    const [file] = readdirSync(logs).filter((name) => name.endsWith('.json'))
    const bytes = bytesFrom(join(logs, file!), read)
    const end = bytes.lastIndexOf(10) + 1
    const lines = bytes.subarray(0, end).toString().split('\n').filter(Boolean)
    read += end
    return lines.flatMap((line) => {
      const { message } = JSON.parse(line) as { message?: string }
      const plan = message?.startsWith('duration:') ? message.indexOf('{') : -1
      if (plan < 0) return []
      const entry = JSON.parse(message!.slice(plan)) as Entry
      return [{ statement: entry['Query Text'], rows: rowsOf(entry.Plan), plan: entry.Plan }]
    })
  }

  async function stop(): Promise<void> {
    if (shared) process.env.GATEHOUSE_TEST_CLUSTER = shared
    await cluster.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { executed, stop }
}

/** What follows in a file that grows. */
function bytesFrom(file: string, start: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(fstatSync(descriptor).size - start)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start))
  } finally {
    closeSync(descriptor)
  }
}

/** How many rows a plan takes from a table, and how many of them it leaves out. */
export function rowsFrom(node: PlanNode, table: string): number {
  const { 'Actual Rows': rows = 0, 'Rows Removed by Filter': removed = 0, 'Actual Loops': loops = 0 } = node
  const own = node['Relation Name'] === table ? Math.round((rows + removed) * loops) : 0
  return (node.Plans ?? []).reduce((sum, part) => sum + rowsFrom(part, table), own)
}

/** The indexes by which a plan reads a table. */
export function indexesOf(node: PlanNode, table: string): string[] {
  const own = node['Relation Name'] === table ? [node['Index Name'] ?? node['Node Type']] : []
  return [...own, ...(node.Plans ?? []).flatMap((part) => indexesOf(part, table))]
}

/** "Actual Rows" and rows removed are averages over the loops. */
function rowsOf(node: PlanNode): number {
  const each =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  const own = each * (node['Actual Loops'] ?? 1)
  return own + (node.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), 0)
}
