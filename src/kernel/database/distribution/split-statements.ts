const ends = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\$[a-z_]*\$)[\s\S]*?\1|;/gi

const separators = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|[(),]/g

/** The statements of a migration, without what ends each: what is quoted, commented or a function's body is left whole. */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let start = 0
  for (const { 0: found, index } of text.matchAll(ends)) {
    if (found !== ';') continue
    statements.push(text.slice(start, index))
    start = index + 1
  }
  statements.push(text.slice(start))
  return statements.map(withoutComments).filter((statement) => statement !== '')
}

/**
 * Each change of a table by itself: Citus takes some of them only so. Commas inside of parentheses and quotes are of the change.
 */
export function splitActions(statement: string): string[] {
  const [head] = /^alter table (only )?(if exists )?\S+\s/i.exec(statement) ?? []
  if (!head) return [statement]
  const actions: string[] = []
  let depth = 0
  let start = head.length
  for (const { 0: found, index } of statement.matchAll(separators)) {
    if (found === '(') depth++
    else if (found === ')') depth--
    else if (found === ',' && depth === 0) {
      actions.push(statement.slice(start, index))
      start = index + 1
    }
  }
  actions.push(statement.slice(start))
  return actions.map((action) => `${head}${withoutComments(action)}`)
}

/** In front of the statement. */
function withoutComments(statement: string): string {
  return statement.replace(/^(\s|--[^\n]*(\n|$)|\/\*[\s\S]*?\*\/)+/, '').trimEnd()
}
