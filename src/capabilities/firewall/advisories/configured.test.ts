import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { openHouse } from '../../../../test/gatehouse.ts'
import { createKnowledgeKeeper } from '../verdicts/verdict-data.ts'
import { testFeed } from './test-feed.ts'

test('a feed that was only now configured is missed before anybody has looked at it', async (t) => {
  const feed = testFeed()
  feed.add({ id: 'MAL-1', name: 'evil' })
  const house = await openHouse()
  t.after(async () => {
    await house.close()
    feed.remove()
  })
  assert.equal((await house.firewall.feeds.sync(feed.place)).outcome, 'activated')
  const startedWith = async (configured: string[]) => {
    const { db, connection } = house
    const knowledge = createKnowledgeKeeper({ db, connection, log: pino({ level: 'silent' }), configured })
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
