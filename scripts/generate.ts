import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { throwAwayDatabase } from '../test/cluster.ts'
import { documents } from './documents.ts'
import { schemaDocument } from './schema-document.ts'

/** `npm run generate`: writes what is made from the contracts and the migrations. A test says when it was forgotten. */
const root = join(import.meta.dirname, '..')
for (const [file, text] of Object.entries(documents())) writeFileSync(join(root, file), text)

const database = await throwAwayDatabase()
try {
  writeFileSync(join(root, 'docs', 'schema.sql'), await schemaDocument(database.connection))
} finally {
  await database.drop()
}
