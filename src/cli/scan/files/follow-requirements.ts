import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { headBytes, usesPath } from '../../../formats/registry.ts'
import { linkTarget, readLinks } from '../../../formats/requirements/links.ts'
import { requirements } from '../../../formats/requirements/reader.ts'
import { readText } from '../../../formats/text/bytes.ts'

/** Longer ones are lists of packages and name no other files. */
const maxBytes = 1024 * 1024

/** Whether the content of a file that only its folder speaks for is that of a requirements file. */
export function readsAsRequirements(place: string, path: string): boolean {
  const head = contentOf(place, headBytes)
  return head !== undefined && requirements.recognises(head, path)
}

/** The paths that these requirements files, and those that they lead to, name with -r and -c; those they have already too. */
export function followRequirements(paths: readonly string[], placeOf: (path: string) => string | undefined): string[] {
  const queue = new Set(paths.filter((path) => usesPath(requirements, path)))
  for (const path of queue) {
    const place = placeOf(path)
    const content = place === undefined ? undefined : contentOf(place, maxBytes)
    const text = content && readText([content])
    if (!text || text.problem) continue
    const { includes, constraints } = readLinks(text.value)
    for (const written of [...includes, ...constraints]) {
      const target = linkTarget(path, written)
      if (target !== undefined && placeOf(target) !== undefined) queue.add(target)
    }
  }
  return [...queue]
}

/** Its first bytes; undefined where it is a symbolic link or cannot be read, which sending it will say. */
function contentOf(place: string, most: number): Uint8Array | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) return undefined
    const content = new Uint8Array(Math.min(most, stat.size))
    return content.subarray(0, readSync(descriptor, content, 0, content.length, 0))
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
