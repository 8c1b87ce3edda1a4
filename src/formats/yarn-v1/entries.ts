import { fatalProblem, quote, type ReadResult } from '../problem.ts'

export type YarnEntry = {
  /** `name@range`, all that this entry answers. */
  patterns: string[]
  version: string
  resolved: string
  dependencies: [name: string, range: string][]
  line: number
}

const dependencyBlocks = new Set(['dependencies', 'optionalDependencies'])

/** Yarn's own format: looks like YAML, but has no colon between key and value. Fails on the first line it cannot read. */
export function parseEntries(source: string): ReadResult<YarnEntry[]> {
  const found: YarnEntry[] = []
  let entry: YarnEntry | undefined
  let block = ''
  let line = 0
  for (const raw of eachLine(source)) {
    line++
    const written = raw.trimEnd()
    const content = written.trimStart()
    if (content === '' || content.startsWith('#')) continue
    const indent = written.length - content.length
    if (indent === 0) {
      const patterns = content.endsWith(':') ? parsePatterns(content.slice(0, -1)) : undefined
      if (!patterns) return unreadable(content, line)
      entry = { patterns, version: '', resolved: '', dependencies: [], line }
      block = ''
      found.push(entry)
    } else if (indent === 2 && entry && content.endsWith(':') && !content.includes(' ')) {
      block = content.slice(0, -1)
    } else {
      const pair = parsePair(content)
      if (!pair || !entry || (indent !== 2 && (indent !== 4 || block === ''))) return unreadable(content, line)
      const [name, value] = pair
      if (indent === 4) {
        if (dependencyBlocks.has(block)) entry.dependencies.push(pair)
      } else if (name === 'version') entry.version = value
      else if (name === 'resolved') entry.resolved = value
    }
  }
  return { value: found }
}

function unreadable(content: string, line: number): ReadResult<never> {
  const conflict = /^(?:<{7}|={7}|>{7})/.test(content)
  const detail = conflict
    ? `Line ${line} is left from a merge conflict.`
    : `Line ${line} is not a line of a yarn.lock: ${quote(content)}.`
  return { problem: fatalProblem(conflict ? 'merge-conflict' : 'not-yarn-lock', detail, line) }
}

function* eachLine(source: string): Iterable<string> {
  for (let from = 0; from <= source.length; ) {
    const end = source.indexOf('\n', from)
    yield source.slice(from, end === -1 ? source.length : end)
    from = end === -1 ? source.length + 1 : end + 1
  }
}

/** `a@1, "b@>=1 <2"`: only what needs it is quoted. */
function parsePatterns(list: string): string[] | undefined {
  const patterns: string[] = []
  for (let at = 0; at < list.length; ) {
    let end = list[at] === '"' ? closingQuote(list, at) + 1 : list.indexOf(',', at)
    if (end === 0) return undefined
    if (end === -1) end = list.length
    const pattern = unquote(list.slice(at, end))
    if (pattern === undefined || pattern === '') return undefined
    patterns.push(pattern)
    if (end < list.length && !list.startsWith(', ', end)) return undefined
    at = end + 2
  }
  return patterns.length > 0 ? patterns : undefined
}

/** `name value`, each quoted or not. */
function parsePair(content: string): [string, string] | undefined {
  const end = content[0] === '"' ? closingQuote(content, 0) + 1 : content.indexOf(' ')
  if (end <= 0 || content[end] !== ' ') return undefined
  const name = unquote(content.slice(0, end))
  const value = unquote(content.slice(end + 1))
  return name === undefined || name.endsWith(':') || value === undefined ? undefined : [name, value]
}

function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return -1
}

function unquote(written: string): string | undefined {
  if (!written.startsWith('"')) return written.includes('"') ? undefined : written
  if (closingQuote(written, 0) !== written.length - 1) return undefined
  try {
    return JSON.parse(written) as string
  } catch {
    return undefined
  }
}
