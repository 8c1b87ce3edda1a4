import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { miscounts } from './public.ts'
import { issuesOf } from './test-issues.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const issues = issuesOf(gatehouse)

test('a recount notices what was changed behind its back', async () => {
  const [id] = await issues.report([{ externalKey: 'a', severity: 'SEVERITY_HIGH' }, { externalKey: 'b' }])
  const recount = () => miscounts(gatehouse.db.as(gatehouse.owner), 10)
  assert.deepEqual(await recount(), [])
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  try {
    await client.query('update issue set severity = 1 where id = $1', [id])
    const wrong = (await recount()).map(({ scope_id, severity, kept, counted }) => [
      scope_id > 0,
      severity,
      kept,
      counted,
    ])
    assert.deepEqual(wrong, [
      [false, 1, 0, 1],
      [false, 4, 1, 0],
      [true, 1, 0, 1],
      [true, 4, 1, 0],
    ])
  } finally {
    await client.end()
  }
})
