const ends = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\$[a-z_]*\$)[\s\S]*?\1|;/gi

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

/** In front of the statement. */
function withoutComments(statement: string): string {
  return statement.replace(/^(\s|--[^\n]*(\n|$)|\/\*[\s\S]*?\*\/)+/, '').trimEnd()
}
