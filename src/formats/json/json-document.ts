import type { ReadResult } from '../problem.ts'
import { readText } from '../text/bytes.ts'
import { type Parsed, type ParseOptions, parseJson } from './safe-json.ts'

/** The whole document parsed: what a reader of a small JSON format starts with. */
export function readJson(chunks: Iterable<Uint8Array>, options: ParseOptions = {}): ReadResult<Parsed> {
  const source = readText(chunks)
  return source.problem ? source : parseJson(source.value, options)
}
