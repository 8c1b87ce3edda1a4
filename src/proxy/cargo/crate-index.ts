import { Fault } from '../../kernel/contract/fault.ts'
import { parsedJson } from '../parsed-json.ts'

/** One version, as its line in the index says it; `cksum` is empty where it says none. */
export type CrateVersion = { name: string; version: string; cksum: string; publishedAt: Date | undefined }

type Line = Record<string, unknown>

/** The Cargo Book, Registry Index: a version a line. One that cannot be read spoils the file, since it may have been cut off. */
export function readCrateIndex(body: Buffer, name: string): CrateVersion[] {
  const versions = linesOf(body).map((line) => versionIn(parsedLine(line, name), name))
  if (versions.length === 0) throw unreadable(name)
  return versions
}

/** Refused versions are yanked: a resolver passes over them, and one that is locked is refused when it is fetched. */
export function withYanked(body: Buffer, name: string, refused: ReadonlySet<string>): string {
  const lines = linesOf(body).map((line) => {
    const parsed = parsedLine(line, name)
    const isRefused = refused.has(versionIn(parsed, name).version)
    return isRefused ? JSON.stringify({ ...parsed, yanked: true }) : line.toString('utf8')
  })
  return `${lines.join('\n')}\n`
}

function linesOf(body: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf(10, at)
    const line = body.subarray(at, end < 0 ? body.length : end)
    if (line.some((byte) => byte > 32)) lines.push(line)
    at = end < 0 ? body.length : end + 1
  }
  return lines
}

function parsedLine(line: Buffer, name: string): Line {
  const parsed = parsedJson(line, `The index of ${name}`, () => unreadable(name))
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw unreadable(name)
  return parsed as Line
}

function versionIn(line: Line, name: string): CrateVersion {
  const { name: own, vers: version, cksum, pubtime } = line
  if (typeof version !== 'string' || typeof own !== 'string' || own.toLowerCase() !== name.toLowerCase()) {
    throw unreadable(name)
  }
  return { name: own, version, cksum: typeof cksum === 'string' ? cksum : '', publishedAt: timeIn(pubtime) }
}

function timeIn(value: unknown): Date | undefined {
  const time = new Date(typeof value === 'string' ? value : '')
  return Number.isNaN(time.getTime()) ? undefined : time
}

function unreadable(name: string): Fault {
  return new Fault('bad_upstream', `What the registry sent for ${name} is not a file of its index.`)
}
