import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPublishTimes } from './publish-times.ts'
import type { Upstream } from './upstream/upstream.ts'

test('of more versions than can be asked for the last are, and what is known is not asked for again', async () => {
  const upstream = { partition: 'one' } as Upstream
  const asked: string[] = []
  const times = createPublishTimes(async (_upstream, _name, version) => {
    asked.push(version)
    return new Date(0)
  })
  const versions = Array.from({ length: 3_000 }, (_, at) => `1.${at}`)
  const first = await times.ofAll(upstream, 'left', versions)
  assert.equal(first.size, 2_000)
  assert.ok(first.has('1.2999') && !first.has('1.0'))
  assert.equal((await times.ofAll(upstream, 'left', versions)).size, 3_000)
  assert.equal(asked.length, 3_000)
})
