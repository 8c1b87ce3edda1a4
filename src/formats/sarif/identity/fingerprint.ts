import { createHmac, hash } from 'node:crypto'
import type { Finding } from '../finding.ts'
import { contentHash, isSentName, writeContext } from './content.ts'

/**
 * The identity of a finding: what stays the same when lines move, branches are renamed or results come in another
 * order. It is `<hash>:<n>`, the hash over the tool, the rule, the file, and the first of these that there is:
 *
 * 1. for a dependency its name: not its version nor the message that quotes it, for a vulnerability that an update did not
 *    mend is still the same one;
 * 2. the tool's own stable fingerprint, which knows the code better than we do (see `stableFingerprint`), without the number that some
 *    write behind it: it counts equal ones in the order of the file. That of Semgrep does not know the code: it is of the pattern and
 *    what its variables stand for, so all that `eval(...)` matches in a file have one. Their code is in the context;
 * 3. the code the result points at, white space aside;
 * 4. the message, line numbers aside.
 *
 * `n` counts those that are equal so far (0, 1, …): the same log shuffled gives the same set, and of three equal findings of
 * which one is mended, two stay. It says nothing about which of them is which: that is what `context` is for, see `content.ts`.
 * The branch, the commit, line and column numbers never take part; the path does, so a
 * finding in a file that is renamed is a new one.
 *
 * Secrets: a plain hash of a password is as good as the password to whoever has a dictionary. So the text of a secret
 * only takes part through HMAC under a key that stays inside (`key`); without one, rule, file and number are the identity.
 * The key is worth having: without it a real key that replaces an ignored sample would be ignored as well.
 * What a tool writes in place of a secret is the same for all of them: it names the group, and does not count as their code.
 */
export type Identity = {
  tool: string
  finding: Pick<Finding, 'ruleId' | 'vulnerabilityIds' | 'logicalLocations' | 'message' | 'dependency' | 'product'>
  path: string
  line: number
  /** Undefined where the tool gives none; of a secret only with a key. */
  stable: StableFingerprint | undefined
  /** The code pointed at, or the secret. */
  text: string
  secret: boolean
  /** The lines around it, as far as the log has them. */
  around: string
  /** Hashes that were made where the sources are; '' where none were sent. */
  sent: { code: string; around: string }
  /** What its rule, or the vulnerability of a dependency, is or was called besides. */
  otherIds: readonly string[]
}

/** The value to go by. */
export type StableFingerprint = {
  value: string
  /** Equal ones have equal code; otherwise the code tells them apart. */
  coversCode: boolean
  /** The value with the number of the match behind it, by which it was gone until 0.2; '' where there is none. */
  numbered: string
}

export type Known = {
  fingerprint: string
  context: string
  /** The hash of the fingerprint that 0.2 and releases before it gave it; '' where it is the same. */
  formerGroup: string
  /** The hashes of the fingerprints that it has under the other ids. */
  otherGroups: string[]
  /** It points at code, which could tell it from others like it, and the log does not have it. */
  lacksCode: boolean
  /** The log has something else in place of the secret. */
  hidesSecret: boolean
}

export function createFingerprinter(key?: Uint8Array): (identity: Identity) => Known {
  /** By 52 bits of the hash: a number costs a fifth of a string, and a log may have a million results. */
  const seen = new Map<number, number>()

  return (identity) => {
    const parts = identityParts(identity, key !== undefined)
    const digest = digestOf(parts, identity)
    const short = Number.parseInt(digest.slice(0, 13), 16)
    const equals = seen.get(short) ?? 0
    seen.set(short, equals + 1)
    const hidesSecret = identity.secret && parts[kindAt] === 'code' && isRedacted(identity.text)
    const context = hidesSecret ? '' : contextOf(identity, parts[kindAt]!, key)
    const lacksCode = context === '' && !identity.secret && identity.path !== '' && identity.line > 0
    const { stable } = identity
    const isNumbered = stable !== undefined && stable.numbered !== '' && parts[kindAt] === 'stable'
    const formerGroup = isNumbered ? digestOf([...parts.slice(0, -1), stable.numbered], identity) : ''
    const otherGroups = identity.otherIds
      .map((id) => digestOf(identityParts(withId(identity, id), key !== undefined), identity))
      .filter((other) => other !== digest)
    return { fingerprint: `${digest}:${equals}`, context, lacksCode, hidesSecret, formerGroup, otherGroups }
  }

  function digestOf(parts: readonly string[], { secret }: Identity): string {
    const text = JSON.stringify(parts)
    const whole = secret && key ? createHmac('sha256', key).update(text).digest('hex') : hash('sha256', text)
    return whole.slice(0, 32)
  }
}

/** Where `identityParts` says what the identity is made of. */
const kindAt = 3

/** Gitleaks writes REDACTED, or dots in place of the end; others write stars. A line of code may have dots and stars of its own. */
function isRedacted(text: string): boolean {
  return /\bREDACTED\b|(^|[=:] ?|["'`\w-])\*{4}/.test(text) || (/(\.\.\.|…)$/.test(text) && !/\s/.test(text))
}

function contextOf(identity: Identity, kind: string, key: Uint8Array | undefined): string {
  const { finding, stable, text, around, sent, secret } = identity
  if (secret && !key) return ''
  const hashed = (text: string) => contentHash(text, secret ? key : undefined)
  if (kind === 'dependency') return writeContext({ code: '=', around: hashed(finding.dependency!.version) })
  const near = hashed(sent.around || around)
  const inFingerprint = kind === 'stable' ? stable!.coversCode : kind !== 'message'
  if (inFingerprint) return writeContext({ code: '=', around: near })
  const code = hashed(text) || hashed(sent.code)
  return code ? writeContext({ code, around: near }) : writeContext({ code: near, around: '' })
}

function identityParts({ tool, finding, path, stable, text, secret }: Identity, keyed: boolean): string[] {
  const { dependency, ruleId } = finding
  const place = path || (finding.logicalLocations[0] ?? '')
  if (dependency && finding.product === 'sca') {
    return [tool, finding.vulnerabilityIds[0] ?? ruleId, place, 'dependency', dependency.ecosystem, dependency.name]
  }
  const head = [tool, ruleId, place]
  if (secret && !keyed) return stable ? [...head, 'stable', stable.value] : [...head, 'secret']
  if (stable) return [...head, 'stable', stable.value]
  const code = text.replace(/\s+/g, '')
  return code === '' ? [...head, 'message', withoutLineNumbers(finding.message)] : [...head, 'code', code]
}

/** Some messages quote the id, and link to a page that is named after it. */
function withId(identity: Identity, id: string): Identity {
  const { finding } = identity
  const { ruleId } = finding
  if (finding.product === 'sca') return { ...identity, finding: { ...finding, vulnerabilityIds: [id] } }
  const lower = ruleId.toLowerCase()
  const quoted = quoting(finding.message, ruleId, id)
  const message = lower === ruleId ? quoted : quoting(quoted, lower, id.toLowerCase())
  return { ...identity, finding: { ...finding, ruleId: id, message } }
}

const mostQuotes = 10

/** A word that a message has many times is not the name of a rule, and each of them may become a longer one. */
function quoting(message: string, former: string, now: string): string {
  const parts = former === '' ? [message] : message.split(former)
  return parts.length > mostQuotes + 1 ? message : parts.join(now)
}

function withoutLineNumbers(message: string): string {
  return message.replace(/((?:\blines?|\bcolumns?|\bcol)[ :#]{0,2}|:)\d+/gi, '$1').replace(/\s+/g, ' ')
}

/** Of Semgrep and Opengrep. */
const matchName = /^matchBasedId\b/
/** Of CodeQL, and of all logs that GitHub's own action has sent on: a hash of the next hundred characters from the line on. */
const lineHashName = /^primaryLocationLineHash\b/

/** Names under which tools are known to write what survives moved lines, the best first. */
const stableNames: readonly RegExp[] = [
  matchName,
  lineHashName,
  /^contextHash\b/,
  /^equalIndicator\b/,
  /^snyk\/asset\/finding\b/,
  /^InstanceId$/,
]

/** Names of what changes with every commit or edit, or is the same for many results. */
const volatileName =
  /commit|author|email|date|time|message|guid|column|row|position|offset|filehash|tagshash|(line|start|end)(number)?$/i

/**
 * The value of the fingerprint to go by. Names carry versions (`equalIndicator/v1`): the oldest that is there, for it is the
 * one that earlier logs had as well. `fingerprints` count for more than `partialFingerprints` (SARIF §3.27.16, §3.27.17).
 */
export function stableFingerprint(
  fingerprints: Readonly<Record<string, string>>,
  partial: Readonly<Record<string, string>>,
): StableFingerprint | undefined {
  const given = [...usable(fingerprints), ...usable(partial)]
  for (const known of stableNames) {
    const found = given.find(([name]) => known.test(name))
    if (!found) continue
    if (known === matchName) return matchFingerprint(found[1])
    return known === lineHashName ? lineFingerprint(found[1]) : covering(found[1])
  }
  const other = given.find(([name]) => !volatileName.test(name))
  return other && covering(other[1])
}

function covering(value: string): StableFingerprint {
  return { value, coversCode: true, numbered: '' }
}

/** The number behind it counts equal ones in the order of the file: it is another one as soon as one is written above. */
function matchFingerprint(written: string): StableFingerprint {
  const value = written.replace(/_[0-9]+$/, '')
  return { value, coversCode: false, numbered: value === written ? '' : written }
}

/** The number behind it counts lines that begin equal code. */
function lineFingerprint(written: string): StableFingerprint {
  const value = written.replace(/^([0-9a-f]{1,64}):[0-9]+$/, '$1')
  return { value, coversCode: true, numbered: value === written ? '' : written }
}

/** Sorted, so that the order in the log does not matter; placeholders (Semgrep's 'requires login') are none. */
function usable(fingerprints: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(fingerprints)
    .filter(([name, value]) => /^[^\s]{6,}$/.test(value) && !isSentName(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
