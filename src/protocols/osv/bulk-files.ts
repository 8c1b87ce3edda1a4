import * as malware from '../../capabilities/firewall/advisories/published-advisories.ts'
import * as vulnerable from '../../capabilities/vulnerabilities/public.ts'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../ecosystems/registry.ts'
import type { PublishedFile, PublishedFiles } from '../../kernel/contract/published-file.ts'
import type { Database, Queryable } from '../../kernel/database/database.ts'
import { createYield } from '../../kernel/threads/event-loop-yield.ts'
import type { Vulnerability } from './contract.ts'
import { maliciousRecord, vulnerabilityRecord } from './osv-record.ts'
import { type ZipEntry, zipStream } from './zip-stream.ts'

const batchRows = 500
const linesAtOnce = 2_000

/** The layout in which OSV.dev gives away its database, so that whoever mirrors that can mirror this. */
export function osvBulkFiles({ db, isOpen }: { db: Database; isOpen: boolean }): PublishedFiles[] {
  const reading = db.as({ deploymentId: 0 })
  const access = isOpen ? 'everyone' : 'dependencies:read'

  const of = (name: string, make: (id: EcosystemId) => Omit<PublishedFile, 'etag'>): PublishedFiles => ({
    url: `/osv/:ecosystem/${name}`,
    access,
    async find({ ecosystem = '' }) {
      const found = Object.values(ecosystems).find(({ osvName }) => osvName === ecosystem)
      if (!found) return undefined
      const revision = `${await vulnerable.readRevision(reading)}.${await malware.readRevision(reading)}`
      return { etag: `"${revision}"`, ...make(found.id) }
    },
  })

  return [
    of('all.zip', (id) => ({ mediaType: 'application/zip', chunks: () => zipStream(entries(reading, id)) })),
    of('modified_id.csv', (id) => ({ mediaType: 'text/csv', chunks: () => modified(reading, id) })),
    {
      url: '/osv/ecosystems.txt',
      access,
      find: async () => ({
        mediaType: 'text/plain',
        etag: '"1"',
        chunks: async function* () {
          yield Buffer.from(names)
        },
      }),
    },
  ]
}

const names = Object.values(ecosystems)
  .flatMap(({ osvName }) => (osvName ? [`${osvName}\n`] : []))
  .sort()
  .join('')

/** A record that two feeds have is in the archive once. */
async function* entries(db: Queryable, ecosystem: EcosystemId): AsyncGenerator<ZipEntry[]> {
  const seen = new Set<string>()
  const breath = createYield()
  for await (const records of allRecords(db, ecosystem)) {
    const batch: ZipEntry[] = []
    for (const record of records) {
      if (seen.has(record.id)) continue
      seen.add(record.id)
      batch.push({ name: `${fileName(record.id)}.json`, content: Buffer.from(JSON.stringify(record)) })
      await breath()
    }
    yield batch
  }
}

async function* allRecords(db: Queryable, ecosystem: EcosystemId): AsyncGenerator<Vulnerability[]> {
  for (let after = 0; ; ) {
    const rows = await vulnerable.listRecordsAbout(db, ecosystem, after, batchRows)
    if (rows.length > 0) yield rows.map(vulnerabilityRecord)
    after = rows.at(-1)?.id ?? 0
    if (rows.length < batchRows) break
  }
  for (let after: malware.AdvisoryPosition = { feedId: 0, id: '' }; ; ) {
    const rows = await malware.listAdvisoriesAbout(db, ecosystem, after, batchRows)
    if (rows.length > 0) yield rows.map(maliciousRecord)
    after = rows.at(-1) ?? after
    if (rows.length < batchRows) break
  }
}

/** An id is printable ASCII, and so may look like a way out of the folder that somebody unpacks it into. */
function fileName(id: string): string {
  return id.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+/, '_')
}

/** Both lists are ordered by what was changed last: so is what they are merged into. */
async function* modified(db: Queryable, ecosystem: EcosystemId): AsyncGenerator<Buffer> {
  const lists = [await vulnerable.modifiedLines(db, ecosystem), await malware.modifiedLines(db, ecosystem)]
  const [a = [], b = []] = lists.map((lines) => (lines === '' ? [] : lines.split('\n')))
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const lines: string[] = []
    while (lines.length < linesAtOnce && (i < a.length || j < b.length)) {
      lines.push(j >= b.length || (i < a.length && a[i]! >= b[j]!) ? a[i++]! : b[j++]!)
    }
    yield Buffer.from(`${lines.join('\n')}\n`)
  }
}
