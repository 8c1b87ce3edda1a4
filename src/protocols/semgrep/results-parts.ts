import { hash } from 'node:crypto'
import type { Problem } from '../../formats/format.ts'
import { type JsonKind, type JsonPath, readJsonStream } from '../../formats/json/json-stream.ts'
import { elements, member, text } from '../../formats/json/safe-json.ts'
import { type FileRange, pieces, readPiece } from '../../kernel/disk/file-range.ts'

/** What the documents of a run say besides its findings: what was looked at, and packages. */
export type ResultsParts = {
  /** Rules that ran. */
  rules: string[]
  /** Files that they ran on, and those of these that could not be read to their end. */
  searched: string[]
  skipped: string[]
  /** The packages of each lockfile: where in the file they are told, and their digest in hexadecimal. */
  lockfiles: ToldFile[]
  /** What is told of lockfiles that Semgrep could not read. */
  unread: ToldFile[]
  /** It tells of packages, be it that there are none. */
  tellsPackages: boolean
  /** Why it cannot be read at all; '' where it can. */
  problem: string
}

type ToldFile = { name: string; start: number; bytes: number; digest: string }

const lists = { rule_ids: 'rules', searched_paths: 'searched', skipped_paths: 'skipped' } as const

/** Findings are passed over: they are read with those of all other documents. Blocks its thread for as long as that takes. */
export function partsOf(document: FileRange): ResultsParts {
  const parts: ResultsParts = {
    rules: [],
    searched: [],
    skipped: [],
    lockfiles: [],
    unread: [],
    tellsPackages: false,
    problem: '',
  }
  const problems: Problem[] = []
  const first = document.start + (hasByteOrderMark(document) ? 3 : 0)
  const choose = (path: JsonPath, kind: JsonKind) => {
    if (path.length === 1 && path[0] === 'dependencies' && kind === 'object') parts.tellsPackages = true
    return select(path, kind)
  }
  for (const { path, value, begin, end } of readJsonStream(pieces(document), choose, problems)) {
    const [key] = path as [string]
    if (Object.hasOwn(lists, key)) parts[lists[key as keyof typeof lists]] = textsOf(value)
    else if (key === 'dependencies' && elements(value).length > 0) {
      parts.lockfiles.push(told(document, String(path[1]), first + begin, end - begin))
    } else for (const name of unreadIn(key, value)) parts.unread.push(told(document, name, first + begin, end - begin))
  }
  parts.problem = problems.find((problem) => problem.fatal)?.detail ?? ''
  return parts
}

/** Lockfiles that a parser complains of, and those of subprojects that take the proprietary engine. */
function unreadIn(key: string, value: unknown): string[] {
  if (key === 'dependency_parser_errors') return [text(value, 'path')].filter(Boolean)
  if (key !== 'stats' || text(value, 'unresolved_reason') === '') return []
  return elements(member(value, 'dependency_sources')).flatMap((one) => text(one, 'path') || [])
}

function told({ held }: FileRange, name: string, start: number, bytes: number): ToldFile {
  return { name, start, bytes, digest: hash('sha256', readPiece({ held, start, bytes }, 0, bytes), 'hex') }
}

function select(path: JsonPath, kind: JsonKind): 'parse' | 'enter' | 'skip' {
  if (path.length === 0) return kind === 'object' ? 'enter' : 'skip'
  if (path[0] === 'dependencies') return path.length === 2 ? 'parse' : kind === 'object' ? 'enter' : 'skip'
  if (path[0] === 'dependency_parser_errors') return path.length === 2 ? 'parse' : kind === 'array' ? 'enter' : 'skip'
  if (path[0] === 'stats') return inStats(path, kind)
  return path.length === 1 && Object.hasOwn(lists, path[0]!) ? 'parse' : 'skip'
}

const toSubprojects = ['stats', 'supply_chain_stats', 'subprojects_stats']

function inStats(path: JsonPath, kind: JsonKind): 'parse' | 'enter' | 'skip' {
  if (path.length > toSubprojects.length) return 'parse'
  const isOnTheWay = path.every((part, at) => part === toSubprojects[at])
  const wanted = path.length === toSubprojects.length ? 'array' : 'object'
  return isOnTheWay && kind === wanted ? 'enter' : 'skip'
}

function textsOf(value: unknown): string[] {
  return elements(value).filter((entry) => typeof entry === 'string')
}

function hasByteOrderMark(document: FileRange): boolean {
  return Buffer.from(readPiece(document, 0, 3)).equals(Buffer.from([0xef, 0xbb, 0xbf]))
}
