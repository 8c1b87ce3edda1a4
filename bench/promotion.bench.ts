import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { openPrimary, openStandby } from '../test/outside/standby.ts'
import { dataFolder, poll, startServer } from '../test/servers/real-process.ts'
import { createWriteLoad } from '../test/write-load.ts'
import { startAddress } from './address.ts'
import { type Benchmark, type Figure, median } from './figure.ts'

const rounds = process.env.GATEHOUSE_BENCH_LARGE ? 10 : 3
const writesBefore = 100

/** A primary is lost under load, and its synchronous standby promoted: what was acknowledged is there, and writing goes on. */
export const benchmark: Benchmark = {
  name: 'promotion',
  async run() {
    const results: Awaited<ReturnType<typeof promote>>[] = []
    for (let round = 0; round < rounds; round++) results.push(await promote())
    const sum = (of: (each: (typeof results)[number]) => number) => results.reduce((all, each) => all + of(each), 0)
    const gaps = results.map(({ gapMs }) => gapMs)
    const promotions = results.map(({ promotionMs }) => promotionMs)
    const told = `of ${sum(({ acknowledged }) => acknowledged)} writes in ${rounds} promotions`
    const lost: Figure = {
      name: 'acknowledged and lost',
      value: sum((each) => each.lost),
      unit: 'writes',
      detail: told,
    }
    return [
      { ...lost, limit: { atMost: 0 } },
      {
        name: 'from the loss of the primary to the next acknowledged write',
        value: median(gaps) / 1000,
        unit: 's',
        limit: { atMost: 10 },
        detail: `longest ${(Math.max(...gaps) / 1000).toFixed(2)} s; PostgreSQL took ${(median(promotions) / 1000).toFixed(2)} s of it to be promoted`,
      },
    ]
  },
}

async function promote() {
  const cleaning: (() => Promise<void>)[] = []
  const later = { after: (clean: () => Promise<void>) => void cleaning.push(clean) }
  try {
    const primary = await openPrimary(later)
    const standby = await openStandby(later, primary)
    await primary.ask(`alter system set synchronous_standby_names = '*'`)
    await primary.ask('select pg_reload_conf()')
    await poll('it is synchronous', async () => {
      const rows = await primary.ask(`select from pg_stat_replication where sync_state = 'sync'`)
      return rows.length === 1
    })
    const address = await startAddress(primary)
    later.after(async () => address.close())
    const gatehouse = await startServer({ GATEHOUSE_DATA: dataFolder(later), DATABASE_URL: address.url })
    const { call } = gatehouse
    const load = await createWriteLoad(call, 1)
    const writing = load.run(call)
    await poll('there are writes', () => load.acknowledged() > writesBefore)
    // Nobody reaches the primary from here on: what it still does counts for nothing.
    const lostAt = performance.now()
    address.cut()
    await standby.ask('select pg_promote()')
    const promotedAt = performance.now()
    const known = load.acknowledged()
    address.leadTo(standby)
    while (load.acknowledged() === known) await delay(1)
    const gapMs = performance.now() - lostAt
    const goal = known + writesBefore
    await poll('writing goes on', () => load.acknowledged() > goal)
    load.stop()
    await writing
    const client = new pg.Client(standby.connection)
    await client.connect()
    const faults = await load.faults(client).finally(() => client.end())
    if (faults.length > 0) console.error(faults.slice(0, 5).join('\n'))
    return { gapMs, promotionMs: promotedAt - lostAt, acknowledged: load.acknowledged(), lost: faults.length }
  } finally {
    for (const clean of cleaning) await clean()
  }
}
