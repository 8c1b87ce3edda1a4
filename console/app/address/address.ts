/** What stands behind the `?` of an address, in its order: a link is a state, and a reader should understand it. */
export type Pair = readonly [name: string, value: string]

const readable: Record<string, string> = { '%2F': '/', '%3A': ':', '%40': '@', '%2C': ',', '%20': '+' }

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%(?:2F|3A|40|2C|20)/g, (code) => readable[code]!)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

export function formatSearch(pairs: readonly Pair[]): string {
  return pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')}`
}

export function parseSearch(search: string): Pair[] {
  const text = search.startsWith('?') ? search.slice(1) : search
  return text
    .split('&')
    .filter(Boolean)
    .map((part) => {
      const at = part.indexOf('=')
      return at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))]
    })
}

export function valuesOf(pairs: readonly Pair[], name: string): string[] {
  return pairs.filter(([each]) => each === name).map(([, value]) => value)
}

export function firstOf(pairs: readonly Pair[], name: string): string | undefined {
  return pairs.find(([each]) => each === name)?.[1]
}

/** The same pairs with these values of a name, where it stood before; none of them takes it away. */
export function withValues(pairs: readonly Pair[], name: string, values: readonly string[]): Pair[] {
  const added = values.map((value): Pair => [name, value])
  const at = pairs.findIndex(([each]) => each === name)
  const rest = pairs.filter(([each]) => each !== name)
  const place = at < 0 ? rest.length : pairs.slice(0, at).filter(([each]) => each !== name).length
  return [...rest.slice(0, place), ...added, ...rest.slice(place)]
}

/** `/d/:slug/findings/:id?` against a path: its parameters, or nothing where it does not fit. `*name` takes the rest. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/').filter(Boolean)
  const given = path.split('/').filter(Boolean)
  const found: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index]
    if (part.startsWith('*')) {
      if (value === undefined) return undefined
      found[part.slice(1)] = decodePath(given.slice(index).join('/'))
      return found
    }
    if (part.startsWith(':')) {
      const name = part.slice(1).replace('?', '')
      if (value !== undefined) found[name] = decodePath(value)
      else if (!part.endsWith('?')) return undefined
    } else if (part !== value) return undefined
  }
  return given.length <= wanted.length ? found : undefined
}

function decodePath(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** A part of a path: what separates parts of it is encoded, what does not stays readable. */
export function pathPart(text: string | number): string {
  return encodeURIComponent(String(text).toWellFormed()).replace(/%(?:3A|40|2C)/g, (code) => readable[code]!)
}
