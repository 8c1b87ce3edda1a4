import { eachLine } from '../text/lines.ts'

/** One line of a go.mod; `verb` is '' where it is none. */
export type Directive = { verb: string; words: string[]; indirect: boolean; line: number; text: string }

const verbs = /^(?:module|go|toolchain|godebug|require|exclude|replace|retract|tool|ignore)$/

/** Longer ones are not directives and not worth taking apart. */
const maxLineLength = 10_000

/** The directives with the blocks taken apart (go.dev/ref/mod#go-mod-file-grammar). */
export function* goDirectives(text: string): Generator<Directive> {
  let block = ''
  for (const { text: written, line } of eachLine(text)) {
    if (written.length > maxLineLength) {
      yield { verb: '', words: [], indirect: false, line, text: written }
      continue
    }
    const comment = commentStart(written)
    const words = wordsOf(written.slice(0, comment))
    if (words.length === 0) continue
    const indirect = /^\/\/\s*indirect\b/.test(written.slice(comment))
    if (block !== '') {
      if (words[0] === ')') block = ''
      else yield { verb: block, words, indirect, line, text: written }
      continue
    }
    const [first = '', ...rest] = words
    const verb = verbs.test(first) ? first : ''
    if (verb !== '' && rest.length === 1 && rest[0] === '(') block = verb
    else yield { verb, words: rest, indirect, line, text: written }
  }
}

/** A replacement that starts like a path is a folder beside the module, not a module. */
export function isLocalPath(name: string): boolean {
  return /^(?:\.{1,2}(?:[\\/]|$)|[\\/]|[A-Za-z]:[\\/])/.test(name)
}

function commentStart(line: string): number {
  const found = line.indexOf('//')
  return found === -1 ? line.length : found
}

function wordsOf(line: string): string[] {
  const apart = line.replace(/([(),])/g, ' $1 ').trim()
  return apart === '' ? [] : apart.split(/\s+/).map((word) => word.replace(/^(["`])(.*)\1$/, '$2'))
}
