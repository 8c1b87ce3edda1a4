import { isEndBlock, readHeader, type TarHeader } from '../../formats/osv/tar-header.ts'

export type TarFile = { name: string; content: Uint8Array }

const block = 512
const longestNameBytes = 64 * 1024
const flagAt = 156
const linkAt = 157
const markAt = 257
const prefixAt = 345
const marks = ['ustar\x0000', 'ustar  \0']
const files = ['0', '\0', '7']
/** What is about the entry after it: pax, pax for all that follow, a long name, a long name of a link. */
const aboutTheNext = ['x', 'g', 'L', 'K']
/** Older forms of `L` and `x`, which npm's reader still follows and others pass over. */
const outdated = ['N', 'X']

/**
 * POSIX ustar and pax, GNU long names. Ends with undefined where it breaks off, and where one reader finds other files in it than
 * another would: npm's goes by what it makes of a header, so whoever wants to hide a file writes one that is read in two ways.
 */
export function* filesIn(bytes: Buffer): Generator<TarFile | undefined> {
  let said: Said = {}
  for (let at = 0; ; ) {
    const head = bytes.subarray(at, at + block)
    // npm's own reader takes the end of the file for the end of the archive.
    if (head.length === 0) return
    if (head.length === block && isEndBlock(head)) {
      // After a single empty block it goes on.
      if (!isEndBlock(bytes.subarray(at + block, at + 2 * block))) yield undefined
      return
    }
    const header = head.length === block ? readHeader(head) : undefined
    if (!header || at + block + header.size > bytes.length) return yield undefined
    const content = bytes.subarray(at + block, at + block + header.size)
    at += block + Math.ceil(header.size / block) * block
    const flag = String.fromCharCode(head[flagAt]!)
    if (isAmbiguous(flag, head, header, said)) return yield undefined
    if (aboutTheNext.includes(flag)) {
      const more = header.size > longestNameBytes ? undefined : whatIsSaid(flag, content)
      if (!more) return yield undefined
      said = { ...said, ...more }
      continue
    }
    if (files.includes(flag)) yield { name: said.name ?? header.name, content }
    said = {}
  }
}

function isAmbiguous(flag: string, head: Uint8Array, { name: own, size }: TarHeader, said: Said): boolean {
  const name = aboutTheNext.includes(flag) ? own : (said.name ?? own)
  if ((said.size ?? size) !== size) return true
  // npm's reader passes over such a header alone, and takes the content for headers.
  const isLinked = head[linkAt] !== 0 && !['1', '2', 'x', 'g'].includes(flag)
  if (name === '' || isLinked || outdated.includes(flag) || isOddlyMarked(head)) return true
  // Of a folder it takes the content for headers, of a link another reader does.
  const hasContent = aboutTheNext.includes(flag) || (files.includes(flag) && !name.endsWith('/'))
  return size > 0 && !hasContent
}

/** Neither POSIX nor GNU: some take the first folders from a field of its own all the same. */
function isOddlyMarked(head: Uint8Array): boolean {
  const mark = Buffer.from(head.subarray(markAt, markAt + 8)).toString('latin1')
  return mark.startsWith('ustar') && !marks.includes(mark) && head[prefixAt] !== 0
}

/** What a header is told beside what it says itself. */
type Said = { name?: string; size?: number }

/** Undefined for what no tool that packs a package writes, or readers do not agree on. */
function whatIsSaid(flag: string, content: Uint8Array): Said | undefined {
  if (flag === 'K') return {}
  if (flag === 'L') return { name: cString(content) }
  const records = recordsIn(content)
  const lines = decided(linesIn(content))
  if (!records || decided(records).join('\n') !== lines.join('\n')) return undefined
  const said: Said = {}
  for (const line of lines) {
    const [key = '', value = ''] = [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]
    if (flag === 'g' || value.includes('\0')) return undefined
    if (key === 'path' && said.name === undefined) said.name = value
    else if (key === 'size' && said.size === undefined && /^\d{1,12}$/.test(value)) said.size = Number(value)
    else return undefined
  }
  return said
}

/** Those that change which file it is, or where it ends. */
function decided(records: readonly string[]): string[] {
  return records.filter((record) => /^(path|size|type|GNU\.sparse\b[^=]*)=/.test(record))
}

/** By their lengths, as POSIX says; undefined where these do not add up. */
function recordsIn(content: Uint8Array): string[] | undefined {
  const records: string[] = []
  for (let at = 0; at < content.length; ) {
    const start = Buffer.from(content.subarray(at, at + 8)).toString('latin1')
    const [whole = '', length = ''] = /^(\d{1,6}) /.exec(start) ?? []
    const end = at + Number(length)
    if (whole === '' || end <= at + whole.length || end > content.length || content[end - 1] !== 10) return undefined
    records.push(Buffer.from(content.subarray(at + whole.length, end - 1)).toString('utf8'))
    at = end
  }
  return records
}

/** Line by line, as npm's reader takes them: in a value of several lines it sees more records. */
function linesIn(content: Uint8Array): string[] {
  const lines = Buffer.from(content).toString('utf8').split('\n')
  return lines.flatMap((line) => {
    const length = Number.parseInt(line, 10)
    return length === Buffer.byteLength(line) + 1 ? [line.slice(`${length} `.length)] : []
  })
}

function cString(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return Buffer.from(end === -1 ? bytes : bytes.subarray(0, end)).toString('utf8')
}
