import { createJsonScanner, scanned } from './json-grammar.ts'

/** Why a text is not JSON, and where: `column` counts characters from 1, `near` is what stands there. */
export type JsonFault = {
  reason: 'truncated' | 'not-json' | 'too-deep'
  line: number
  column: number
  near: string
}

export type JsonScan = {
  maxDepth: number
  /** Called at each object member and array element, in document order; `key` is the index in an array. */
  onMember?: (depth: number, key: string, line: number) => void
  /** Whether the members of the object or array that `onMember` was just told of are wanted too; if not, they are only checked. */
  enters?: () => boolean
}

const [brace, bracket, newline] = [0x7b, 0x5b, 0x0a]

/**
 * Checks the grammar without recursion and without building anything, because the built-in parser gives no position
 * for some errors, none at all for entries, and has no depth limit. Linear. Undefined where the text is JSON.
 */
export function scanJson(text: string, { maxDepth, onMember, enters }: JsonScan): JsonFault | undefined {
  const bytes = Buffer.from(text)
  const scanner = createJsonScanner(maxDepth)
  /** For each open container: -1 in an object, else the index of the next array element. */
  const open: number[] = []
  let inContainer = false
  let keyAt = 0
  let at = 0

  function begin(first: number): void {
    const index = open.at(-1)
    if (index !== undefined && index >= 0) {
      onMember!(open.length, String(index), scanner.line)
      open[open.length - 1] = index + 1
    }
    inContainer = (first === brace || first === bracket) && (enters?.() ?? true)
    if (inContainer) open.push(first === brace ? -1 : 0)
    else scanner.mute()
  }

  for (;;) {
    const what = scanner.feed(bytes, at)
    at = scanner.position
    if (what === scanned.fault) return faultAt(at)
    if (what === scanned.chunkEnd) return scanner.finish() === scanned.fault ? faultAt(bytes.length) : undefined
    if (what === scanned.keyBegin) keyAt = at - 1
    else if (what === scanned.keyEnd) onMember!(open.length, keyBetween(keyAt, at), scanner.line)
    else if (what === scanned.valueEnd) {
      if (inContainer) open.pop()
      inContainer = true
    } else if (onMember) begin(bytes[at]!)
    else scanner.mute()
  }

  /** With its quotes. */
  function keyBetween(from: number, to: number): string {
    const key = bytes.toString('utf8', from + 1, to - 1)
    return key.includes('\\') ? JSON.parse(`"${key}"`) : key
  }

  function faultAt(offset: number): JsonFault {
    const lineStart = offset === 0 ? 0 : bytes.lastIndexOf(newline, offset - 1) + 1
    const column = bytes.toString('utf8', lineStart, offset).length + 1
    const near = bytes.toString('utf8', offset, offset + 160).slice(0, 40)
    return { reason: scanner.fault.code, line: scanner.line, column, near }
  }
}
