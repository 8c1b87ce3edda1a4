import type { Database } from '../kernel/database/database.ts'
import { type Depth, depths } from './queue.ts'

const freshMs = 5_000

/** What waits in the queue, by kind. Asked by several gauges of one scrape, counted once. */
export function createQueueFigures(db: Database, kinds: readonly string[]) {
  let counted: { at: number; depths: Promise<Depth[]> } | undefined

  async function read(figure: 'waiting' | 'oldestSeconds' | 'dead'): Promise<Map<string, number>> {
    if (!counted || performance.now() - counted.at > freshMs) {
      counted = { at: performance.now(), depths: db.workerQuery<Depth>(depths()) }
    }
    const rows = await counted.depths.catch(() => [])
    const none = kinds.map((kind) => [kind, 0] as const)
    return new Map([...none, ...rows.map((row) => [row.kind, row[figure]] as const)])
  }

  /** All of it, as it is now. */
  const all = () => db.workerQuery<Depth>(depths())

  return {
    all,
    gauges: {
      jobs_waiting: { help: 'Jobs that wait or are under way', label: 'kind', read: () => read('waiting') },
      jobs_oldest_seconds: { help: 'Age of the oldest of them', label: 'kind', read: () => read('oldestSeconds') },
      jobs_dead: { help: 'Jobs that were given up (dead letters)', label: 'kind', read: () => read('dead') },
    },
  }
}
