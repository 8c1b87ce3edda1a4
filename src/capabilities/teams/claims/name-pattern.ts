/** `*` stands for any characters but a slash, `**` for any characters. */
export const patternText = "^[\\p{L}\\p{M}\\p{N}._@+~!&'()/ *-]+$"
const mostWildcards = 6

/** As a regular expression of PostgreSQL, over the whole name. */
export function expressionOf(pattern: string): string {
  const parts = pattern.split(/(\*+)/).map((part) => {
    if (part.startsWith('*')) return part === '*' ? '[^/]*' : '.*'
    return part.replace(/[.+()\\^$|?{}[\]]/g, '\\$&')
  })
  return `^${parts.join('')}$`
}

/** What is wrong with a pattern; undefined where nothing is. */
export function wrongIn(pattern: string): string | undefined {
  const wildcards = pattern.match(/\*+/g) ?? []
  if (wildcards.length > mostWildcards) return `has more than ${mostWildcards} wildcards`
  if (wildcards.some((each) => each.length > 2)) return 'has more than two * in a row'
  if (pattern.startsWith('/') || pattern.endsWith('/') || pattern.includes('//')) return 'has an empty part'
  return undefined
}
