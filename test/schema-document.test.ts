import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { schemaDocument } from '../scripts/schema-document.ts'
import { throwAwayDatabase } from './cluster.ts'

test('docs/schema.sql is what the migrations come to (npm run generate)', async () => {
  const database = await throwAwayDatabase()
  try {
    const committed = readFileSync(join(import.meta.dirname, '..', 'docs', 'schema.sql'), 'utf8')
    assert.equal(committed, await schemaDocument(database.connection))
  } finally {
    await database.drop()
  }
})

test('every table of the schema is in the data model', () => {
  const docs = join(import.meta.dirname, '..', 'docs')
  const model = readFileSync(join(docs, 'data-model.md'), 'utf8')
  const tables = [...readFileSync(join(docs, 'schema.sql'), 'utf8').matchAll(/^create table (\w+)/gm)].map(
    ([, name]) => name!,
  )
  assert.ok(tables.length > 50)
  assert.deepEqual(
    tables.filter((name) => !model.includes(`\`${name}\``)),
    [],
  )
})
