import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { usesPath } from '../../../formats/registry.ts'
import { type Links, linkTarget, readLinks, standings } from '../../../formats/requirements/links.ts'
import { requirements } from '../../../formats/requirements/reader.ts'
import { readText } from '../../../formats/text/bytes.ts'
import { readPiece } from '../../../kernel/disk/file-range.ts'
import type { ScannedFile } from './scan-request.ts'

/** Requirements files that name others are short; what is longer is read by itself. */
const maxFileBytes = 256 * 1024
const maxTotalBytes = 16 * 1024 * 1024

/**
 * Tells each file of an upload what the others say about it: a go.sum its go.mod, requirements files who includes and
 * constrains whom. Its digest then covers that too, because it is read otherwise when the other file has changed.
 */
export async function withCompanionFiles(files: readonly ScannedFile[]): Promise<ScannedFile[]> {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const among = standings(await requirementsLinks(byPath), (path) => byPath.has(path))
  return files.map((file) => {
    const goMod = byPath.get(file.path.replace(/(^|\/)go\.sum$/, '$1go.mod'))
    if (goMod && goMod !== file) {
      return { ...file, digest: digestWith(file.digest, goMod.digest), beside: { goMod: goMod.received } }
    }
    const standing = among.get(file.path)
    if (!standing) return file
    return { ...file, digest: digestWith(file.digest, JSON.stringify(standing)), beside: { requirements: standing } }
  })
}

/** Of the files that go by a name of theirs, and of those that these name. */
async function requirementsLinks(files: ReadonlyMap<string, ScannedFile>): Promise<Map<string, Links>> {
  const found = new Map<string, Links>()
  const queue = new Set([...files.keys()].filter((path) => usesPath(requirements, path)))
  let room = maxTotalBytes
  for (const path of queue) {
    const file = files.get(path)?.received
    if (!file || file.bytes > Math.min(room, maxFileBytes)) continue
    room -= file.bytes
    await nextTurn()
    const text = readText([readPiece(file, 0, file.bytes)])
    if (text.problem) continue
    const links = readLinks(text.value)
    found.set(path, links)
    for (const written of [...links.includes, ...links.constraints]) queue.add(linkTarget(path, written) ?? '')
  }
  return found
}

function digestWith(own: Buffer, other: Buffer | string): Buffer {
  return createHash('sha256').update(own).update(other).digest()
}
