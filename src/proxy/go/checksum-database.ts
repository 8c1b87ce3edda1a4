import type { RegistryResponse } from '../../kernel/contract/adapters/registry-adapter.ts'
import type { Disk } from '../cache/disk.ts'
import { bytesOf, createDocuments } from '../cache/documents.ts'
import { fetchDocument, type Upstream } from '../upstream/upstream.ts'
import { type ModuleSums, readSums } from './documents.ts'
import { escapedModule } from './route.ts'

type Options = {
  disk: Disk
  memoryBytes: number
  patienceMs: number
  now(): number
  /** The one that may be asked itself; others only by way of a proxy that passes them on. */
  known: string | undefined
}

/** What a record or a full tile says never changes. */
const recordFreshMs = 24 * 60 * 60_000
const supportFreshMs = 10 * 60_000

/**
 * The database that clients compare their go.sum with (Go Modules Reference, Checksum database). What it answers is passed on as it
 * is: it is signed, and clients check that themselves.
 */
export function createChecksumDatabase({ known: ownDatabase, ...options }: Options) {
  const answers = createDocuments<string>({
    ...options,
    // Tiles are bytes for clients alone.
    read: (body, _type, key) => (key.includes(' lookup/') ? body.toString('utf8') : ''),
  })

  function answerAt(place: Upstream, key: string, path: string, freshMs: number) {
    const fetch = (known: object) => fetchDocument(place, place.url + path, '*/*', known)
    return answers.get(`${key} ${path}`, { freshMs, fetch })
  }

  /** By way of the proxy if that passes it on, as the go command does it; otherwise the database itself. */
  async function placeOf(upstream: Upstream, database: string): Promise<Upstream | undefined> {
    const passedOn = { ...upstream, url: `${upstream.url}sumdb/${database}/` }
    const isPassedOn = await answerAt(passedOn, keyOf(upstream, database), 'supported', supportFreshMs)
    if (isPassedOn) return passedOn
    // Whatever else a client writes there is a host of its choice.
    return database === ownDatabase ? { ...upstream, url: `https://${database}/`, credentials: undefined } : undefined
  }

  async function pass(upstream: Upstream, database: string, path: string): Promise<RegistryResponse | undefined> {
    const place = await placeOf(upstream, database)
    const freshMs = path === 'latest' ? upstream.freshMs : recordFreshMs
    const found = place && (await answerAt(place, keyOf(upstream, database), path, freshMs))
    if (!place || !found) return undefined
    const body = (await found.load()) ?? bytesOf(await fetchDocument(place, place.url + path, '*/*', {}))
    const type = path.startsWith('tile/') ? 'application/octet-stream' : 'text/plain; charset=utf-8'
    return { status: 200, headers: { 'content-type': type, 'cache-control': 'private, no-cache' }, body }
  }

  /** What the files of a version hash to; undefined where the database does not know it. */
  async function sumsOf(
    upstream: Upstream,
    database: string,
    module: string,
    version: string,
  ): Promise<ModuleSums | undefined> {
    const place = await placeOf(upstream, database)
    const path = `lookup/${escapedModule(module)}@${escapedModule(version)}`
    const found = place && (await answerAt(place, keyOf(upstream, database), path, recordFreshMs))
    return found && readSums(found.content, module, version)
  }

  return { pass, sumsOf, settle: answers.settle }
}

function keyOf({ partition }: Upstream, database: string): string {
  return `go ${partition} sumdb ${database}`
}
