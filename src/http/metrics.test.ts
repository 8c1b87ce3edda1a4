import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fastify from 'fastify'
import { type LabelledGauges, serveMetrics } from './metrics.ts'

test('two who ask at once are told the same numbers', async () => {
  const read = async () => {
    await turn()
    return new Map([['database', 3]])
  }
  const labelled: LabelledGauges = {
    failures_total: { help: 'Of a counter', label: 'of', isCounter: true, read },
    age_seconds: { help: 'Of a gauge', label: 'of', read },
  }
  const app = fastify()
  const authenticate = () => Promise.reject(new Error('nobody signs in'))
  serveMetrics(app, { authenticate, token: 'secret' }, {}, labelled)
  const ask = () => app.inject({ url: '/metrics', headers: { authorization: 'Bearer secret' } })
  for (const { body } of await Promise.all([ask(), ask(), ask()])) {
    assert.match(body, /^gatehouse_failures_total\{of="database"\} 3$/m)
    assert.match(body, /^gatehouse_age_seconds\{of="database"\} 3$/m)
  }
  await app.close()
})
