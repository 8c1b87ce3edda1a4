import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { poll } from '../../../test/servers/real-process.ts'
import { packageLock, upload } from './test-upload.ts'

test('versions are looked up by their package, not among all versions of the same number', async () => {
  const gatehouse = await openGatehouse()
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  try {
    const many = Array.from({ length: 300 }, (_, n) => [`package-${n}`, '1.0.0'])
    for (const repository of ['one', 'two']) {
      const sent = await upload(
        gatehouse,
        { repository },
        { 'package-lock.json': packageLock(Object.fromEntries(many)) },
      )
      assert.equal(sent.status, 200)
    }
    const uses = async (): Promise<Record<string, number>> => {
      // PostgreSQL tells its statistics with a later transaction of the same connection.
      const body = { name: `later-${randomUUID()}` }
      await gatehouse.call('POST', `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`, {
        body,
      })
      const { rows } = await client.query(
        `select indexrelname as name, idx_scan::integer as uses from pg_stat_user_indexes where relname = 'package_version'`,
      )
      return Object.fromEntries(rows.map(({ name, uses }) => [name, uses]))
    }
    const sum = async () => Object.values(await uses()).reduce((total, some) => total + some, 0)
    await poll('both uploads are in the statistics', async () => (await sum()) >= 900)
    assert.equal((await uses()).package_version_key, 0)
  } finally {
    await client.end()
    await gatehouse.close()
  }
})
