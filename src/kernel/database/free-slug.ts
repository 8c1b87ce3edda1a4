import { randomBytes } from 'node:crypto'
import { Fault } from '../contract/fault.ts'
import { slugOf } from '../contract/schema.ts'

const numbered = 20

/**
 * Finds a slug for a name by trying to insert with it: the unique index decides, so two that come at once get two
 * slugs. `insert` returns undefined where the slug is taken.
 */
export async function withFreeSlug<Row>(
  name: string,
  otherwise: string,
  insert: (slug: string) => Promise<Row | undefined>,
): Promise<Row> {
  const base = slugOf(name) || otherwise
  for (let number = 1; number <= numbered; number++) {
    const row = await insert(number === 1 ? base : `${base}-${number}`)
    if (row) return row
  }
  const row = await insert(`${base}-${randomBytes(6).toString('hex')}`)
  if (!row) throw new Fault('conflict', `No free slug for '${name}'; choose another name.`)
  return row
}
