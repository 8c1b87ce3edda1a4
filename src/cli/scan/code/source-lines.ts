import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'

const maxBytes = 4 * 1024 * 1024
const maxCached = 32 * 1024 * 1024

/** Never read for a log, whatever it points at: they have credentials more often than code. */
const closed = /^(\.git|\.env(\..*)?|\.npmrc|\.netrc)$/i

/**
 * The lines of files in a checkout, by their path in it. Undefined for what is not a text file of at most 4 MiB, and for
 * whatever lies outside of the checkout, also by a symbolic link: a log may name any path.
 */
export function createSources(top: string): { linesOf(path: string): readonly string[] | undefined } {
  const root = realpathSync(top)
  const cache = new Map<string, { lines: string[] | undefined; size: number }>()
  let cached = 0

  function linesOf(path: string): readonly string[] | undefined {
    const known = cache.get(path)
    if (known) return known.lines
    const text = isInside(path) ? read(join(root, path)) : undefined
    const entry = { lines: text?.split(/\r\n|\r|\n/), size: text?.length ?? 0 }
    cached += entry.size
    for (const [oldest, { size }] of cache) {
      if (cached <= maxCached && cache.size < 10_000) break
      cache.delete(oldest)
      cached -= size
    }
    cache.set(path, entry)
    return entry.lines
  }

  function read(place: string): string | undefined {
    try {
      const real = realpathSync(place)
      if (!real.startsWith(root.endsWith(sep) ? root : root + sep) || !isInside(real.slice(root.length)))
        return undefined
      return readText(real)
    } catch {
      return undefined
    }
  }

  return { linesOf }
}

function isInside(path: string): boolean {
  const segments = path.split(/[/\\]/)
  return path !== '' && !path.includes('\0') && !segments.some((segment) => segment === '..' || closed.test(segment))
}

function readText(place: string): string | undefined {
  // A pipe that nobody writes to must not keep the upload waiting.
  const descriptor = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.size > maxBytes) return undefined
    const bytes = readFileSync(descriptor)
    const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
    return text.includes('\0') ? undefined : text
  } finally {
    closeSync(descriptor)
  }
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
}
