import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as ofCommand from '../../src/domain/package-clients.ts'
import { clientLabels, linesFor } from './client-lines.ts'

test('the console and the command line give the same lines for the same clients', () => {
  assert.deepEqual(Object.keys(clientLabels), ofCommand.packageClients)
  for (const client of ofCommand.packageClients) {
    for (const url of ['https://g.example', 'http://localhost:8080'])
      assert.deepEqual(linesFor(client, url, 7), ofCommand.linesFor(client, url, 7), client)
  }
})
