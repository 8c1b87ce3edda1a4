import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type ArchiveItem, archiveLimits } from '../formats/osv/archive.ts'
import { type FeedItem, isFeedFile, readDocument } from '../formats/osv/document.ts'
import { linePieces } from '../formats/osv/line-pieces.ts'
import { readTar } from '../formats/osv/tar.ts'
import { readZip } from '../formats/osv/zip.ts'
import { fatalProblem, quote } from '../formats/problem.ts'
import { readableSize } from '../kernel/text/readable-size.ts'
import { openForReading } from './random-access-file.ts'

const headBytes = 512

/** Every record of a feed that lies on this machine, whatever its form: a folder, a zip, a tar, lines or one document. */
export async function* readFeed(path: string): AsyncGenerator<FeedItem> {
  for (const file of filesAt(path)) yield* readFeedFile(file.path, file.name)
}

/** What changes when any file of the feed does, without reading them. */
export function localTag(path: string): string {
  const hash = createHash('sha256')
  for (const { path: file, name } of filesAt(path)) {
    const { size, mtimeNs, ino } = statSync(file, { bigint: true })
    hash.update(`${name}\0${size}\0${mtimeNs}\0${ino}\0`)
  }
  return hash.digest('base64url')
}

/** The file itself, or the feed files below a folder. Links are not followed: a feed is what lies in its folder. */
function* filesAt(path: string): Generator<{ path: string; name: string }> {
  if (!statSync(path).isDirectory()) return yield { path, name: basename(path) }
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const file of files.sort()) {
    const name = relative(path, file)
    if (isFeedFile(name.replace(/\.gz$/i, ''))) yield { path: file, name }
  }
}

async function* readFeedFile(path: string, name: string): AsyncGenerator<FeedItem> {
  try {
    const raw = await headOf(createReadStream(path, { end: headBytes - 1 }))
    if (isZip(raw)) yield* readZipFile(path, name)
    else if (isGzip(raw)) yield* readStream(() => unpacked(path), name.replace(/\.(gz|tgz)$/i, ''))
    else yield* readStream(() => createReadStream(path), name)
  } catch (error) {
    yield { name, problem: fatalProblem('corrupt', `It cannot be read: ${quote((error as Error).message, 200)}.`) }
  }
}

async function* readZipFile(path: string, name: string): AsyncGenerator<FeedItem> {
  const file = openForReading(path)
  try {
    for (const item of readZip(file)) yield* readArchived(item, name)
  } finally {
    file.close()
  }
}

async function* readStream(open: () => AsyncIterable<Uint8Array>, name: string): AsyncGenerator<FeedItem> {
  const head = await headOf(open())
  if (isTar(head)) for await (const item of readTar(open())) yield* readArchived(item, name)
  else if (/\.(ndjson|jsonl)$/i.test(name))
    for await (const piece of linePieces(name, open())) yield* readDocument(piece)
  else yield* readDocument({ name, bytes: await whole(open()) })
}

function* readArchived(item: ArchiveItem, archive: string): Generator<FeedItem> {
  if (item.problem) yield { name: archive, problem: item.problem }
  else yield* readDocument(item)
}

async function whole(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of chunks) {
    size += part.length
    if (size > archiveLimits.fileBytes) throw new Error(`it is larger than ${readableSize(archiveLimits.fileBytes)}`)
    parts.push(part)
  }
  return Buffer.concat(parts, size)
}

async function headOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array()
  for await (const chunk of chunks) {
    head = Buffer.concat([head, chunk])
    if (head.length >= headBytes) break
  }
  return head
}

function unpacked(path: string): AsyncIterable<Uint8Array> {
  // A fault of either ends the other; who reads the result is told.
  return pipeline(createReadStream(path), createGunzip(), () => {})
}

function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5)
}

function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b
}

function isTar(head: Uint8Array): boolean {
  return Buffer.from(head).toString('latin1', 257, 262) === 'ustar'
}
