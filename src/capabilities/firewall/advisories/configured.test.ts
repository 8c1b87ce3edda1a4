import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { systemClock } from '../../../kernel/time/clock.ts'
import { createVerdictData } from '../verdicts/verdict-data.ts'
import { testFeed } from './test-feed.ts'

test('a feed that was only now configured is missed before anybody has looked at it', async (t) => {
  const feed = testFeed()
  feed.add({ id: 'MAL-1', name: 'evil' })
  const gatehouse = await openGatehouse()
  t.after(async () => {
    await gatehouse.close()
    feed.remove()
  })
  assert.equal((await gatehouse.firewall.feeds.sync(feed.place)).outcome, 'activated')
  const startedWith = async (configured: string[]) => {
    const { db, connection } = gatehouse
    const knowledge = createVerdictData({
      db,
      connection,
      clock: systemClock,
      log: pino({ level: 'silent' }),
      configured,
    })
    try {
      await knowledge.refresh()
      return knowledge.current()?.missesFeed
    } finally {
      await knowledge.close()
    }
  }
  assert.equal(await startedWith([]), false)
  assert.equal(await startedWith([feed.path]), false)
  assert.equal(await startedWith([feed.path, '/a/feed/that/was/configured/for/this/start']), true)
})
