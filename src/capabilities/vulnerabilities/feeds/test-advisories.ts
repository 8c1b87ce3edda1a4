import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FeedLocation } from '../../../feeds/feed-location.ts'

export type TestEvent = { introduced?: string; fixed?: string; last_affected?: string; limit?: string }
export type TestRange = { type: string; events: TestEvent[] }
export type TestPackage = {
  name: string
  ecosystem?: string
  ranges?: TestRange[]
  versions?: string[]
  severity?: { type: string; score: string }[]
  database_specific?: object
  ecosystem_specific?: object
}
export type TestAdvisory = {
  id: string
  affected?: TestPackage[]
  aliases?: string[]
  withdrawn?: string
  published?: string
  modified?: string
  summary?: string
  details?: string
  related?: string[]
  severity?: { type: string; score: string }[]
  database_specific?: object
}

/** `[from, to)` by semantic versioning. */
export function semver(introduced: string, fixed?: string) {
  return { type: 'SEMVER', events: [{ introduced }, ...(fixed ? [{ fixed }] : [])] }
}

export function osv({ affected = [], ...advisory }: TestAdvisory) {
  return {
    schema_version: '1.7.0',
    modified: '2026-01-01T00:00:00Z',
    published: '2026-01-01T00:00:00Z',
    summary: `About ${advisory.id}`,
    ...advisory,
    affected: affected.map(({ name, ecosystem = 'npm', ...named }) => ({ package: { name, ecosystem }, ...named })),
  }
}

/** A folder of advisories that a test can change as it likes. */
export function advisoryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-advisories-'))
  const place: FeedLocation = { kind: 'local', path }
  let writes = 0

  function put(...advisories: TestAdvisory[]): void {
    mkdirSync(path, { recursive: true })
    for (const advisory of advisories) writeFileSync(fileOf(advisory.id), JSON.stringify(osv(advisory)))
    // Two changes within one tick of the file system's clock still are two.
    writeFileSync(join(path, `change-${writes++}.ndjson`), '')
  }

  const fileOf = (id: string) => join(path, `${id}.json`)
  const drop = (id: string) => rmSync(fileOf(id))
  return { path, place, put, drop, fileOf, remove: () => rmSync(path, { recursive: true, force: true }) }
}
