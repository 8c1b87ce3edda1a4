import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import { readJsonStream } from '../../../formats/json/json-stream.ts'
import { headBytes } from '../../../formats/registry.ts'
import type { Finding } from '../../../formats/sarif/finding.ts'
import { sentNames } from '../../../formats/sarif/identity/content.ts'
import { list, record } from '../../../formats/sarif/log/loose.ts'
import { onlyResults, sarif } from '../../../formats/sarif/reader.ts'
import { type CodeAt, codeAt } from './code-at.ts'
import type { createSources } from './source-lines.ts'

const chunkBytes = 256 * 1024
/** Beyond this only hashes are added. */
const maxSnippets = 32 * 1024 * 1024

export type Where = { sources: ReturnType<typeof createSources>; root: string | undefined }

/**
 * Copies a SARIF log and adds the code to results that point at code and have none: hashes that tell equal ones apart, and a
 * few lines to show. Results about secrets stay as they are. Answers whether there was anything to add; if not, there is no
 * copy. A log of any size is read piece by piece.
 */
export function addCode(place: string, copy: string, { sources, root }: Where): boolean {
  const input = openSync(place, 'r')
  let output: number | undefined
  try {
    const head = readAt(input, 0, headBytes)
    if (!sarif.recognises(head, basename(place))) return false
    const mark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0
    const findings = findingsOf(input, basename(place), root)
    let finding = findings.next().value
    let copied = 0
    let snippets = 0
    for (const part of readJsonStream(pieces(input), onlyResults, [])) {
      if (!finding) break
      if (finding.pointer !== `/${part.path.join('/')}`) continue
      const code = finding.lacksCode ? codeOf(finding, sources) : undefined
      if (code) {
        const written = JSON.stringify(withCode(record(part.value), code, snippets < maxSnippets))
        snippets += code.snippet.text.length
        output ??= openSync(copy, 'wx', 0o600)
        copyRange(input, output, copied, mark + part.begin)
        writeAll(output, Buffer.from(written))
        copied = mark + part.end
      }
      finding = findings.next().value
    }
    if (output === undefined) return false
    copyRange(input, output, copied, fstatSync(input).size)
    return true
  } finally {
    closeSync(input)
    if (output !== undefined) closeSync(output)
  }
}

function* findingsOf(input: number, name: string, root: string | undefined): Generator<Finding, undefined> {
  for (const { finding } of sarif.read(() => pieces(input), name, root ? { root } : {})) if (finding) yield finding
}

function codeOf({ locations }: Finding, sources: Where['sources']): CodeAt | undefined {
  const { path, startLine, endLine } = locations[0]!
  const lines = sources.linesOf(path)
  return lines && codeAt(lines, startLine, endLine)
}

/** Into the context region, because the region itself is what the tool says. */
function withCode(result: object, { code, around, snippet }: CodeAt, shown: boolean): object {
  const { locations, partialFingerprints } = result as { locations?: unknown; partialFingerprints?: unknown }
  const [first, ...others] = list(locations)
  const physical = record(record(first).physicalLocation)
  const { text, ...lines } = snippet
  const contextRegion = shown && physical.contextRegion === undefined ? { ...lines, snippet: { text } } : undefined
  return {
    ...result,
    partialFingerprints: { ...record(partialFingerprints), [sentNames.code]: code, [sentNames.around]: around },
    ...(contextRegion && {
      locations: [{ ...record(first), physicalLocation: { ...physical, contextRegion } }, ...others],
    }),
  }
}

function* pieces(input: number): Generator<Uint8Array> {
  for (let at = 0; ; ) {
    const piece = readAt(input, at, chunkBytes)
    if (piece.length === 0) return
    at += piece.length
    yield piece
  }
}

function readAt(input: number, at: number, size: number): Uint8Array {
  const piece = new Uint8Array(size)
  return piece.subarray(0, readSync(input, piece, 0, size, at))
}

function copyRange(input: number, output: number, from: number, to: number): void {
  for (let at = from; at < to; ) {
    const piece = readAt(input, at, Math.min(chunkBytes, to - at))
    if (piece.length === 0) return
    writeAll(output, piece)
    at += piece.length
  }
}

function writeAll(output: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(output, bytes, at)
}
