import { eachLine } from '../text/lines.ts'

/** What the head of a TOML document shows without parsing it: its comments, table headers and keys. */
export type TomlHead = {
  /** Comment lines before the first key or table. */
  comment: string
  /** Keys by table name; '' is the top. Keys of all `[[package]]` tables are under 'package'. */
  keys: ReadonlyMap<string, ReadonlySet<string>>
  /** The start of the first value of `key` in `table`, e.g. `{ registry =`; '' where there is none. */
  value(table: string, key: string): string
}

const header = /^\[{1,2}\s*([A-Za-z0-9_.-]+)\s*\]{1,2}\s*(?:#|$)/
const pair = /^([A-Za-z0-9_-]+)\s*=\s*(.*)$/s

/** Rough, for telling formats apart: nested values and texts of several lines are passed over. Undefined where it is not TOML. */
export function tomlHead(head: string): TomlHead | undefined {
  const keys = new Map<string, Set<string>>()
  const values = new Map<string, string>()
  const comments: string[] = []
  let table = ''
  let longText = ''
  let inArray = false
  for (const { text } of eachLine(head)) {
    if (longText) {
      if (text.includes(longText)) longText = ''
      continue
    }
    if (inArray) {
      inArray = !/^\s*\]/.test(text)
      continue
    }
    const found = header.exec(text)
    if (found) {
      table = found[1]!
      if (!keys.has(table)) keys.set(table, new Set())
      continue
    }
    const [, key, value] = pair.exec(text.slice(0, 1000)) ?? []
    if (key === undefined || value === undefined) {
      if (text.startsWith('#') && keys.size === 0) comments.push(text)
      else if (keys.size === 0 && text.trim() !== '') return undefined
      continue
    }
    if (!keys.has(table)) keys.set(table, new Set())
    keys.get(table)?.add(key)
    if (!values.has(`${table} ${key}`)) values.set(`${table} ${key}`, value)
    const quotes = value.startsWith('"""') ? '"""' : value.startsWith("'''") ? "'''" : ''
    if (quotes && !value.includes(quotes, 3)) longText = quotes
    inArray = /^\[\s*(?:#.*)?$/.test(value)
  }
  if (keys.size === 0) return undefined
  return { comment: comments.join('\n'), keys, value: (of, key) => values.get(`${of} ${key}`) ?? '' }
}
