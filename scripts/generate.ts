import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { documents } from './documents.ts'

/** `npm run generate`: writes what is made from the contracts. A test says when it was forgotten. */
const root = join(import.meta.dirname, '..')
for (const [file, text] of Object.entries(documents())) writeFileSync(join(root, file), text)
