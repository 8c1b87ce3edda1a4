import pg from 'pg'
import { until } from '../src/jobs/test-queue.ts'

/**
 * Has `work` order a job of this kind, and answers for how many seconds it was put off after its first try; then it is let go
 * at once, and its end awaited. 0 where it came to its end without having been put off for longer than a moment.
 */
export async function putOffSeconds(connection: pg.ClientConfig, kind: string, work: () => Promise<unknown>) {
  const admin = new pg.Client(connection)
  await admin.connect()
  const jobs = async () => {
    const { rows } = await admin.query(
      `select id, error, extract(epoch from run_at - clock_timestamp())::float8 as seconds
      from outbox where kind = $1 and dead_at is null`,
      [kind],
    )
    return rows as { id: string; error: string | null; seconds: number }[]
  }
  try {
    await work()
    let found: { id: string; seconds: number } | undefined
    await until(async () => {
      const waiting = await jobs()
      found = waiting.find(({ error, seconds }) => error !== null && seconds > 30)
      return found !== undefined || waiting.length === 0
    })
    if (found) await admin.query('update outbox set run_at = now() where id = $1', [found.id])
    await until(async () => (await jobs()).length === 0)
    return found?.seconds ?? 0
  } finally {
    await admin.end()
  }
}
