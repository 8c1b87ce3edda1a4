import { trimEnd } from '../../../kernel/text/trim.ts'
import { compileWildcard, type Matcher } from './wildmatch.ts'

/** One line of an ignore file. */
export type IgnoreRule = {
  /** It takes back what an earlier rule ignores. */
  keep: boolean
  foldersOnly: boolean
  /** Held against the path from the folder of the ignore file; otherwise against the name alone. */
  anchored: boolean
  matches: Matcher
}

/** The rules of one ignore file, and the folder it speaks of: '' or 'a/b', from where all paths are counted. */
export type RuleFile = { folder: string; rules: IgnoreRule[] }

/** gitignore(5). */
export function parseIgnoreFile(text: string): IgnoreRule[] {
  const rules: IgnoreRule[] = []
  for (const raw of text.replace(/^\uFEFF/, '').split('\n')) {
    const line = withoutTrailingSpaces(raw.replace(/\r$/, ''))
    if (line === '' || line.startsWith('#')) continue
    const keep = line.startsWith('!')
    let pattern = keep ? line.slice(1) : line
    const foldersOnly = pattern.endsWith('/')
    if (foldersOnly) pattern = pattern.slice(0, -1)
    const anchored = pattern.includes('/')
    rules.push({ keep, foldersOnly, anchored, matches: compileWildcard(pattern.replace(/^\//, '')) })
  }
  return rules
}

/**
 * What the rules say about a path: the last rule of the last file that matches decides. Undefined where none does. What is
 * inside an ignored folder is ignored whatever the rules say of it: whoever walks the folders does not go in.
 */
export function isIgnored(files: readonly RuleFile[], path: string, isFolder: boolean): boolean | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  for (const { folder, rules } of files.toReversed()) {
    const inside = folder === '' ? path : path.slice(folder.length + 1)
    const rule = rules.findLast(
      ({ foldersOnly, anchored, matches }) => (isFolder || !foldersOnly) && matches(anchored ? inside : name),
    )
    if (rule) return !rule.keep
  }
  return undefined
}

/** A space at the end counts only behind a backslash. */
function withoutTrailingSpaces(line: string): string {
  const kept = trimEnd(line, ' ')
  const backslashes = kept.length - trimEnd(kept, '\\').length
  return line.slice(0, kept.length + (backslashes % 2))
}
