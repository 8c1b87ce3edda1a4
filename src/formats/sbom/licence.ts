import exceptions from 'spdx-exceptions/index.json' with { type: 'json' }
import parse from 'spdx-expression-parse'
import deprecated from 'spdx-license-ids/deprecated.json' with { type: 'json' }
import ids from 'spdx-license-ids/index.json' with { type: 'json' }

/** Answers for the few licences that a large document repeats over and over. */
const known = new Map<string, boolean>()
const maximumKnown = 5000

/** Whether it is an SPDX licence expression of listed licences and LicenseRefs. */
export function isLicenceExpression(text: string): boolean {
  const before = known.get(text)
  if (before !== undefined) return before
  // The parser goes down one call per bracket.
  const parses = text.length <= 1000 && (text.match(/\(/g)?.length ?? 0) <= 50 && canParse(text)
  if (known.size < maximumKnown && text.length <= 200) known.set(text, parses)
  return parses
}

function canParse(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

const listed = new Map([...ids, ...deprecated, ...exceptions].map((id) => [id.toLowerCase(), id]))
const spellings = new Map<string, string>()

/** An expression with its ids as SPDX lists them: they match in any letter case (SPDX 2.3, annex D.2). Any other text as it is. */
export function spelledAsListed(text: string): string {
  if (text.length > 1000 || isLicenceExpression(text)) return text
  const before = spellings.get(text)
  if (before !== undefined) return before
  const respelled = text.replaceAll(/[A-Za-z0-9.-]+/g, (word) => listed.get(word.toLowerCase()) ?? word)
  const spelled = isLicenceExpression(respelled) ? respelled : text
  if (spellings.size < maximumKnown && text.length <= 200) spellings.set(text, spelled)
  return spelled
}

/** One entry of the SPDX licence list or its exceptions, deprecated ones included. */
export function isLicenceId(id: string): boolean {
  if (!/^[A-Za-z0-9.+-]{1,100}$/.test(id) || id.startsWith('LicenseRef-')) return false
  return isLicenceExpression(id) || isLicenceExpression(`MIT WITH ${id}`)
}

/**
 * Several licences that hold together, as one expression. A single text that is not an expression stays as it is written;
 * beside others it becomes a LicenseRef, so that the whole stays an expression (SPDX 2.3, annex D).
 */
export function allLicences(texts: readonly string[]): string {
  const distinct = [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))]
  if (distinct.length < 2) return distinct[0] ?? ''
  return distinct.map(asTerm).join(' AND ')
}

function asTerm(text: string): string {
  if (!isLicenceExpression(text)) return `LicenseRef-${text.slice(0, 100).replaceAll(/[^A-Za-z0-9.-]+/g, '-')}`
  return /\s/.test(text) ? `(${text})` : text
}

/** What SPDX says instead of a licence or address where there is none or nobody knows. */
export function stated(text: string): string {
  return text === 'NOASSERTION' || text === 'NONE' ? '' : text
}
