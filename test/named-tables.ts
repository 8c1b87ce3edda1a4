/** A table as a source names it in SQL, to read it or to change it. */
export type NamedTable = { table: string; changes: boolean }

/** The relations that the SQL of a source names. Only templates tagged `sql` are SQL; what is put into them is seen where it is written. */
export function namedTables(source: string): NamedTable[] {
  return sqlTexts(source).flatMap(relationsIn)
}

function sqlTexts(source: string): string[] {
  const texts: string[] = []
  let at = 0
  // Reads until the closing backtick of a template, or the closing brace of what is put into one.
  function read(end: '`' | '}' | ''): string {
    let text = ''
    while (at < source.length) {
      const next = source[at]!
      if (next === end) break
      if (next === '\\') at++
      else if (end === '`' && source.startsWith('${', at)) {
        at += 2
        read('}')
        text += ' $ '
      } else if (end !== '`' && next === '`') {
        const isSql = /\bsql(<[^`]*>)?$/.test(source.slice(Math.max(0, at - 40), at))
        at++
        const inner = read('`')
        if (isSql) texts.push(inner)
      } else if (end !== '`' && next === '{') {
        at++
        read('}')
      } else if (end !== '`' && source.startsWith('//', at)) at = lineEnd(at) - 1
      else if (end !== '`' && source.startsWith('/*', at)) at = source.indexOf('*/', at) + 1
      else if (end !== '`' && (next === "'" || next === '"')) at = stringEnd(at)
      else text += next
      at++
    }
    return text
  }
  const lineEnd = (from: number) => (source.indexOf('\n', from) < 0 ? source.length : source.indexOf('\n', from))
  const stringEnd = (from: number) => {
    let to = from + 1
    while (source[to] !== source[from] && source[to] !== '\n' && to < source.length) to += source[to] === '\\' ? 2 : 1
    return to
  }
  while (at < source.length) {
    read('')
    at++
  }
  return texts
}

const beforeRelation = /^(from|join|into|update|using|table|only|truncate)$/
const changing = /^(into|update)$/

/** After `from`, `join` and the like, and after a comma in a list of such. */
function relationsIn(text: string): NamedTable[] {
  const words =
    text
      .replace(/--.*$/gm, ' ')
      .toLowerCase()
      .match(/[a-z_][a-z0-9_]*|[^\sa-z_]/g) ?? []
  const found: NamedTable[] = []
  words.forEach((word, at) => {
    const before = words[at - 1] ?? ''
    const isListed = before === ',' && isInFromList(words, at - 1)
    if (!/^[a-z_]/.test(word) || !(beforeRelation.test(before) || isListed)) return
    const deleting = before === 'from' && words[at - 2] === 'delete'
    found.push({ table: word, changes: deleting || changing.test(before) })
  })
  return found
}

/** `from a, b` and `from a x, b`, however many. */
function isInFromList(words: readonly string[], comma: number): boolean {
  for (const names of [1, 2]) {
    const before = words[comma - names - 1] ?? ''
    if (before === 'from' || before === 'using') return true
    if (before === ',' && isInFromList(words, comma - names - 1)) return true
  }
  return false
}
