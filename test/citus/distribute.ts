import assert from 'node:assert/strict'
import { distribute as distributeDatabase } from '../../src/kernel/database/distribution/distribute.ts'
import type { Node } from './nodes.ts'

/** Distributes a migrated database, as `gatehouse db distribute` does. Answers with the tables that it placed. */
export async function distribute(coordinator: Node, shardCount: number): Promise<string[]> {
  const { obstacles, placed } = await distributeDatabase(coordinator, { shardCount })
  assert.deepEqual(obstacles, [])
  return placed
}
