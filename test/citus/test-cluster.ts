import { completeUpTo } from '../../src/kernel/database/distribution/distribution-level.ts'
import { citusSettings } from '../../src/kernel/database/distribution/rights.ts'
import { migrate } from '../../src/kernel/database/migrations/migrate.ts'
import { template } from '../cluster.ts'
import { distribute } from './distribute.ts'
import { ask, type Node, startCitus } from './nodes.ts'

const shardCount = 4

/**
 * A coordinator and two workers with a distributed template, for `GATEHOUSE_TEST_CLUSTER`: each test's database is a copy of it on
 * every node.
 */
export async function startDistributedTestCluster(): Promise<{ given: string; stop(): Promise<void> }> {
  // A copy of a database has none of its settings. Each has a process of Citus that looks after it.
  const nodes = await startCitus(2, { ...citusSettings, max_worker_processes: '64' })
  try {
    const { coordinator, workers } = nodes
    const { version } = await migrate(coordinator)
    await distribute(coordinator, shardCount)
    for (const node of [coordinator, ...workers]) await makeTemplate({ ...node, database: 'postgres' }, node.database)
    const connections = [coordinator, ...workers].map((node) => ({ ...node, database: 'postgres' }))
    const given = { ...connections[0], workers: connections.slice(1), settings: { [completeUpTo]: version } }
    return { given: JSON.stringify(given), stop: nodes.stop }
  } catch (error) {
    await nodes.stop()
    throw error
  }
}

/** Nobody may be connected to what is copied, and Citus connects again as soon as somebody may. */
async function makeTemplate(node: Node, database: string): Promise<void> {
  await ask(node, `alter database ${database} allow_connections false`)
  await ask(node, `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${database}'`)
  await ask(node, `alter database ${database} rename to ${template}`)
}
