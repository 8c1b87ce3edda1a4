export type Anchor = { attributes: ReadonlyMap<string, string>; text: string }

const anchor = /<a\s([^<>]*)>([^<]*)<\/a\s*>/gi
const attribute = /([a-z][a-z0-9-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/gi

/** The links of a page of an index, which has nothing else (PEP 503): no general reader of HTML. */
export function anchorsIn(html: string): Anchor[] {
  return [...html.matchAll(anchor)].map(([, inside = '', text = '']) => {
    const attributes = new Map<string, string>()
    for (const [, name, double, single, bare] of inside.matchAll(attribute)) {
      attributes.set(name!.toLowerCase(), unescaped(double ?? single ?? bare ?? ''))
    }
    return { attributes, text: unescaped(text).trim() }
  })
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[String(name).toLowerCase()] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
