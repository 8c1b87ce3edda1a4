import { ScimFault } from './scim-fault.ts'

/** What directories ask for: equalities that all hold, by attribute in lower case. */
export type Filter = { attribute: string; value: string }[]

const longest = 2_000
const mostTerms = 5
const term =
  /^\s*([A-Za-z$][\w$.:-]*(?:\[\s*type\s+eq\s+"work"\s*\])?(?:\.[A-Za-z$]\w*)?)\s+eq\s+("(?:[^"\\]|\\.)*"|true|false|\d{1,15})\s*/i
const and = /^and(?=\s)/i
const ownSchema = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/

/** RFC 7644 §3.4.2.2, of which directories send `eq` and `and`. Everything else is refused rather than misread. */
export function parseFilter(text: string, attributes: Readonly<Record<string, string>>): Filter {
  if (text.length > longest) throw invalid(`A filter may be at most ${longest} characters long.`)
  const filter: Filter = []
  for (let rest = text; ; ) {
    const found = term.exec(rest)
    if (!found) throw invalid('Only comparisons like `userName eq "x"`, joined by `and`, are supported.')
    const given = found[1]!.toLowerCase().replace(/\s+/g, ' ').replace(ownSchema, '')
    const attribute = Object.hasOwn(attributes, given) ? attributes[given] : undefined
    if (attribute === undefined) throw invalid(`The attribute '${found[1]}' cannot be filtered by.`)
    filter.push({ attribute, value: literal(found[2]!) })
    if (filter.length > mostTerms) throw invalid(`A filter may have at most ${mostTerms} comparisons.`)
    rest = rest.slice(found[0].length)
    if (rest === '') return filter
    if (!and.test(rest)) throw invalid('Comparisons can be joined by `and` alone.')
    rest = rest.slice(3)
  }
}

function literal(text: string): string {
  if (!text.startsWith('"')) return text.toLowerCase()
  const value = stringIn(text)
  // PostgreSQL has no such character, so nobody is called that.
  if (value.includes('\0')) throw invalid('A value of the filter contains U+0000.')
  return value
}

function stringIn(text: string): string {
  try {
    return JSON.parse(text) as string
  } catch {
    throw invalid('A value of the filter is not a JSON string.')
  }
}

function invalid(message: string): ScimFault {
  return new ScimFault('invalidFilter', message)
}
