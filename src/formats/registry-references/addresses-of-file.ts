import { parseJsonc } from '../json/jsonc.ts'
import { elements, entries, keys, member, parseJson } from '../json/safe-json.ts'
import { splitNameAt } from '../npm-specifier.ts'
import { parseToml } from '../toml/safe-toml.ts'
import { parseYamlDocuments } from '../yaml/safe-yaml.ts'
import { addressesIn, addressOf, joinedLines, type WrittenAddress } from './addresses-in-text.ts'

/** The addresses that a client takes from the text of a file. */
export type AddressReader = (text: string) => Iterable<WrittenAddress>

/** Two levels for each level of nested packages; what is nested deeper is looked at as text. */
const maxDepth = 200

export const inJson = (...names: string[]) =>
  structured((text) => {
    const { value } = parseJson(text, { maxDepth })
    return value && textsUnder(value.value, names)
  })

export const inYaml = (...names: string[]) =>
  structured((text) =>
    parseYamlDocuments(text, { maxDepth }).value?.flatMap(({ value }) => [...textsUnder(value, names)]),
  )

export const inToml = (...names: string[]) =>
  structured((text) => {
    const { value } = parseToml(text)
    return value && textsUnder(value, names)
  })

/** `"name": ["name@version", "where from", …]`: a version may be an address, too. */
export const inBunLock = structured((text) => {
  const { value } = parseJsonc(text)
  const found = value && entries(member(value.value, 'packages')).flatMap(([, entry]) => elements(entry))
  return found
    ?.filter((each) => typeof each === 'string')
    .map((each) => (addressOf(each) ? each : splitNameAt(each).rest))
})

/** Code that is imported by its address comes from there, and what comes from JSR has no other registry. */
export const inDenoLock = structured((text) => {
  const { value } = parseJson(text, { maxDepth })
  if (!value) return undefined
  const holders = [value.value, member(value.value, 'packages')]
  const fromJsr = holders.flatMap((holder) => keys(member(holder, 'jsr')).map((name) => `https://jsr.io/${name}`))
  return [...textsUnder(value.value, ['tarball']), ...keys(member(value.value, 'remote')), ...fromJsr]
})

const requirement = /^(?:-{1,2}[a-z]|[a-z0-9._-]+\s*(?:\[[^\]]*\]\s*)?@|["']?(?:[a-z]+\+)?https?:)/i

/** An option may have an address in it, a requirement may be one, alone or behind its name. */
export function* inRequirements(text: string): Generator<WrittenAddress> {
  for (const { text: raw, line } of joinedLines(text)) {
    const written = raw.replace(/(?:^|\s)#.*$/s, '').trim()
    if (!requirement.test(written)) continue
    for (const { url } of addressesIn(written)) yield { url, line }
  }
}

/**
 * Parsed as clients do, whatever the layout. What cannot be parsed here some clients can (npm resolves merge conflicts, pnpm
 * knows the anchors of YAML): of that, every address counts.
 */
function structured(parse: (text: string) => Iterable<string> | undefined): AddressReader {
  return (text) => {
    const source = text.replace(/^\uFEFF/, '')
    const values = parse(source)
    return values ? withLines(values, source) : addressesIn(source)
  }
}

function* withLines(values: Iterable<string>, text: string): Generator<WrittenAddress> {
  let lines: Map<string, number> | undefined
  for (const value of values) {
    const url = addressOf(value)
    if (!url) continue
    lines ??= firstLines(text)
    yield { url, line: lines.get(url.href) ?? lines.get(url.host) ?? 1 }
  }
}

/** Of each address, and of each host. */
function firstLines(text: string): Map<string, number> {
  const lines = new Map<string, number>()
  for (const { url, line } of addressesIn(text)) {
    for (const key of [url.href, url.host]) if (!lines.has(key)) lines.set(key, line)
  }
  return lines
}

/** The texts under keys of these names, at any level. */
function* textsUnder(value: unknown, names: readonly string[]): Generator<string> {
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (Array.isArray(next)) for (let at = next.length; at > 0; at--) open.push(next[at - 1])
    else {
      const inner: unknown[] = []
      for (const key of keys(next)) {
        const under = member(next, key)
        if (typeof under !== 'string') inner.push(under)
        else if (names.includes(key)) yield under
      }
      for (let at = inner.length; at > 0; at--) open.push(inner[at - 1])
    }
  }
}
