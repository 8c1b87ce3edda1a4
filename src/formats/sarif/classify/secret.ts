import type { Product } from '../../../domain/finding-terms.ts'
import { trimEnd } from '../../../kernel/text/trim.ts'
import type { Finding } from '../finding.ts'
import { type Evidence, property } from '../log/evidence.ts'

/**
 * Credentials, passwords and keys that are hard-coded, or lie in the clear in code, files and comments: the code of such a
 * finding shows one, whatever product it belongs to.
 */
const credentialWeaknesses = new Set(
  'CWE-256 CWE-259 CWE-260 CWE-312 CWE-313 CWE-321 CWE-522 CWE-526 CWE-540 CWE-547 CWE-555 CWE-615 CWE-798 CWE-1392'.split(
    ' ',
  ),
)

/** What tools tag rules with that find the same: the whole tag, or a part of it between slashes, dots and colons. */
const credentialTag =
  /(^|[/.:])(hard-?coded[-_ ]?)?((api|private|access|signing|encryption)[-_ ]?keys?|secrets?|credentials?|passwords?|tokens?)([-_ ]?(detection|detected|scanning|exposure|exposed|leaks?|leaked|in[-_ ]?code))?($|[/.:])/i

/** Rules of linters that find the same, and say no weakness. */
const credentialRule = /hard-?coded[-_]?(secret|password|credential|key|token)/i

const mask = '****'

export function showsSecret(
  product: Product,
  cwes: readonly string[],
  ruleId: string,
  tags: readonly string[],
): boolean {
  if (product === 'secrets' || credentialRule.test(ruleId)) return true
  return cwes.some((cwe) => credentialWeaknesses.has(cwe)) || tags.some((tag) => credentialTag.test(tag))
}

/** The secret itself, or the code around it, as far as the log has it. */
export function secretText(evidence: Evidence, snippet: string): string {
  return property(evidence, 'offender', 'secret', 'Secret', 'match', 'Match', 'rawSecret', 'Raw') || snippet.trim()
}

/** The start of a key that is long enough not to be helped by it; of a line of code, nothing. */
export function secretHint(secret: string): string {
  return /^[\w.+/=~-]{20,}$/.test(secret) && looksRandom(secret) ? `${secret.slice(0, 4)}…` : ''
}

/**
 * Makes texts safe to show: takes out what stands in `shown` (the secret and the code around it), and whatever looks like
 * a secret by itself. `known` are words that look like one and are none: commits, paths, the name of the rule.
 */
export function createMask(shown: readonly string[], known: readonly string[]): (text: string) => string {
  const parts = [...new Set(shown.flatMap(secretParts))].sort((a, b) => b.length - a.length)
  const kept = known.filter((word) => word !== '')
  return (text) => {
    let masked = text
    for (const part of parts) if (!kept.some((word) => word.includes(part))) masked = masked.replaceAll(part, mask)
    masked = masked.replace(/-----BEGIN [A-Z ]{1,40}-----[\s\S]*/g, mask)
    return masked.replace(/[\w.+/=~-]{16,}/g, (word) => {
      const bare = trimEnd(word, '.=-')
      return looksRandom(bare) && !kept.some((one) => one.includes(bare)) ? mask : word
    })
  }
}

/** Quoted text in a message about a credential is the credential more often than not; so is what is told to be its value. */
export function maskQuoted(text: string): string {
  const assigned = text.replace(assignment, `$1${mask}`)
  return assigned.replace(/(['"`])(?:(?!\1)[^\r\n]){3,200}\1/g, `$1${mask}$1`)
}

const assignment =
  /\b((?:pass(?:word|wd|phrase)?|pwd|secret|token|key|credentials?)[ \t]{0,3}(?:[:=]|is)[ \t]{0,3})(?!['"`*])[^\s'"`]{3,200}/gi

const validities: Readonly<Record<string, Finding['validity']>> = {
  valid: 'valid',
  active: 'valid',
  verified: 'valid',
  true: 'valid',
  confirmed_valid: 'valid',
  'confirmed valid': 'valid',
  'active credential': 'valid',
  invalid: 'invalid',
  inactive: 'invalid',
  revoked: 'invalid',
  confirmed_invalid: 'invalid',
  'confirmed invalid': 'invalid',
  'inactive credential': 'invalid',
}

/** That a tool could not verify a secret does not make it an invalid one. */
export function validityOf(evidence: Evidence): Finding['validity'] {
  const written = property(
    evidence,
    'validity',
    'validation_state',
    'validationState',
    'validation_status',
    'verified',
    'Verified',
  ).toLowerCase()
  if (written === '') return ''
  return Object.hasOwn(validities, written) ? validities[written]! : 'unknown'
}

/** The whole, each quoted part, and each word that is not a plain word: a message may show any of them. */
function secretParts(shown: string): string[] {
  const quoted = [...shown.matchAll(/(["'`])((?:(?!\1)[^\r\n]){4,})\1/g)].map((found) => found[2]!)
  const words = shown.split(/[\s"'`=:,;(){}[\]<>]+/).filter((word) => word.length >= 6 && !/^[A-Za-z_.-]+$/.test(word))
  return [shown.trim(), ...quoted, ...words].filter((part) => part.length >= 4)
}

/** Letters and digits mixed, or far too long for a word. */
function looksRandom(word: string): boolean {
  return (
    (/\d/.test(word) && /[A-Za-z]/.test(word) && !/^[a-z]+([-_./][a-z]+)*[-_.]?\d{0,4}$/i.test(word)) ||
    word.length >= 60
  )
}
