import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fire, Subject } from '../../domain/trigger-event.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { refusedNews } from './refused-news.ts'

test('what came in because a rule only watches is marked, and what was refused is not', async () => {
  const told: Subject[] = []
  const fire: Fire = async (_, { subjects }) => {
    told.push(...(await subjects({} as never)))
    return { blockedBy: [] }
  }
  const db = { transaction: (_: unknown, work: (tx: object) => Promise<unknown>) => work({}) } as unknown as Database
  const artifact = { ecosystem: 'npm', name: 'left', version: '1.0.0', rule: 'rule_refuse', reason: 'No.' }
  const refused = [artifact, { ...artifact, watched: false }, { ...artifact, watched: true }]
  await refusedNews({ db, fire }).run({ deploymentId: 1, key: 'k', payload: { refused } } as unknown as Job)
  const plain = ['npm left@1.0.0 was refused: No.', undefined]
  assert.deepEqual(
    told.map(({ title, watched }) => [title, watched]),
    [plain, plain, ['npm left@1.0.0 would have been refused, and came in: No.', true]],
  )
})
