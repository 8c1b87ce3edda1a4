import { createHash } from 'node:crypto'
import type { RandomAccess } from '../../formats/osv/archive.ts'
import { readZip } from '../../formats/osv/zip.ts'
import type { ModuleAlgorithm } from '../cache/digest.ts'

/** golang.org/x/mod/zip allows 500 MiB, packed and unpacked. */
const mostBytes = 500 * 1024 * 1024
const limits = { fileBytes: mostBytes, totalBytes: mostBytes, files: 500_000 }

/** It also allows a go.mod of this many. */
const mostModBytes = 16 * 1024 * 1024

/** In hexadecimal; undefined for what is not such a file. */
export function moduleSum(algorithm: ModuleAlgorithm, source: RandomAccess): string | undefined {
  if (algorithm === 'h1') return zipSum(source)
  return source.size > mostModBytes ? undefined : modSum(source.read(0, source.size))
}

/**
 * golang.org/x/mod/sumdb/dirhash, Hash1: the digest of the list of all files with their digests, in the order of the bytes of their
 * names.
 */
function zipSum(source: RandomAccess): string | undefined {
  const lines: { name: Buffer; digest: string }[] = []
  const names = new Set<string>()
  let isTwice = false
  // A module has a file once (golang.org/x/mod/zip). Many entries for one file would unpack it as often.
  const isWanted = (name: string) => {
    isTwice ||= names.has(name)
    names.add(name)
    return !isTwice
  }
  for (const item of readZip(source, limits, isWanted)) {
    if (item.problem || item.name.includes('\n')) return undefined
    lines.push({ name: Buffer.from(item.name), digest: createHash('sha256').update(item.bytes).digest('hex') })
  }
  if (isTwice) return undefined
  lines.sort((a, b) => Buffer.compare(a.name, b.name))
  const hash = createHash('sha256')
  for (const { name, digest } of lines) hash.update(`${digest}  `).update(name).update('\n')
  return hash.digest('hex')
}

/** The same of a `go.mod` by itself. */
function modSum(body: Uint8Array): string {
  const digest = createHash('sha256').update(body).digest('hex')
  return createHash('sha256').update(`${digest}  go.mod\n`).digest('hex')
}
