import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FeedLocation } from '../../../feeds/feed-location.ts'

export type TestRecord = {
  id: string
  name: string
  ecosystem?: string
  versions?: string[]
  ranges?: unknown[]
  withdrawn?: string
  modified?: string
  published?: string
}

/** A folder of OSV records that a test can change as it likes. */
export function testFeed() {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-feed-'))
  const place: FeedLocation = { kind: 'local', path }

  function add(...records: TestRecord[]): void {
    mkdirSync(join(path, 'osv'), { recursive: true })
    for (const record of records) writeFileSync(fileOf(record.id), JSON.stringify(osvRecord(record)))
  }

  const fileOf = (id: string) => join(path, 'osv', `${id}.json`)
  return { path, place, add, fileOf, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** Every version, unless it says which. */
export function osvRecord({
  id,
  name,
  ecosystem = 'npm',
  versions,
  ranges,
  withdrawn,
  modified,
  published,
}: TestRecord) {
  const everything = [{ type: 'SEMVER', events: [{ introduced: '0' }] }]
  return {
    schema_version: '1.7.0',
    id,
    modified: modified ?? '2026-01-01T00:00:00Z',
    published: published ?? '2026-01-01T00:00:00Z',
    ...(withdrawn ? { withdrawn } : {}),
    summary: `Malicious code in ${name}`,
    affected: [{ package: { ecosystem, name }, ...(versions ? { versions } : { ranges: ranges ?? everything }) }],
  }
}
