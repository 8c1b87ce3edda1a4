import { NotUtf8, utf8Chunks } from '../text/utf8-chunks.ts'

export type TaggedLine = { tag: string; value: string; line: number }

const longestLine = 1024 * 1024

/**
 * The `Tag: value` pairs of a document (SPDX 2.3, clause 4.4). A value in `<text>` that goes on over several lines is
 * given by its first line alone. A line that is neither a pair, blank nor a comment comes with the tag ''.
 */
export function* taggedLines(chunks: Iterable<Uint8Array>): Generator<TaggedLine, { openTextLine: number }, void> {
  let openTextLine = 0
  for (const { text, line } of lines(chunks)) {
    if (openTextLine > 0) {
      if (text.includes('</text>')) openTextLine = 0
      continue
    }
    if (text.trim() === '' || text.startsWith('#')) continue
    const colon = text.indexOf(':')
    const tag = colon > 0 && /^[A-Za-z]+$/.test(text.slice(0, colon)) ? text.slice(0, colon) : ''
    const value = text.slice(colon + 1).trim()
    if (value.startsWith('<text>') && !value.includes('</text>')) openTextLine = line
    yield { tag, value: value.replace(/^<text>|<\/text>$/g, ''), line }
  }
  return { openTextLine }
}

/** Lines of any length come cut to the longest that is read. Throws NotUtf8, counting lines from the document's start. */
function* lines(chunks: Iterable<Uint8Array>): Generator<{ text: string; line: number }> {
  let line = 1
  let rest = ''
  try {
    for (const chunk of utf8Chunks(chunks)) {
      for (const [i, part] of chunk.toString('utf8').split('\n').entries()) {
        if (i > 0) {
          yield { text: rest.replace(/\r$/, ''), line }
          line += 1
          rest = ''
        }
        if (rest.length < longestLine) rest += part.slice(0, longestLine - rest.length)
      }
    }
  } catch (error) {
    throw error instanceof NotUtf8 ? new NotUtf8(error.message, error.linesBefore + line - 1) : error
  }
  yield { text: rest.replace(/\r$/, ''), line }
}
