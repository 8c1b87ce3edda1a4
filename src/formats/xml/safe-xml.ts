import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { fatalProblem, type ReadResult } from '../problem.ts'
import { decodeText, joinChunks, lineCounter } from '../text/bytes.ts'
import { guardXml, type XmlLimits, xmlLimits } from './xml-guard.ts'

export type XmlElement = {
  /** Without namespace prefix. */
  name: string
  /** The namespace prefix as written; '' where there is none. */
  prefix: string
  /** By their names as written, prefix and `xmlns` included. */
  attributes: ReadonlyMap<string, string>
  children: XmlElement[]
  /** The element's own text and CDATA, without that of its children, trimmed. */
  text: string
  line: number
}

/** The whole document from its bytes: what a reader of an XML format starts with. */
export function readXml(chunks: Iterable<Uint8Array>): ReadResult<XmlElement> {
  const bytes = joinChunks(chunks)
  if (bytes.problem) return bytes
  const text = statesLatin1(bytes.value)
    ? { value: new TextDecoder('windows-1252').decode(bytes.value) }
    : decodeText(bytes.value)
  return text.problem ? text : parseXml(text.value)
}

/** Old files name their encoding in the declaration (XML 1.0 §4.3.3) and have umlauts in the names of their authors. */
function statesLatin1(bytes: Uint8Array): boolean {
  const declaration = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
  return /^<\?xml\s[^>]*\bencoding\s*=\s*["'](?:iso-8859-1|iso-8859-15|latin-?1|windows-1252|cp1252)["']/i.test(
    declaration,
  )
}

/**
 * The root element of a document, or the one problem that made it unreadable. Document types are refused, and no
 * entity is expanded but the five predefined ones and numeric ones; another `&name;` stays as it is written.
 */
export function parseXml(text: string, limits: Partial<XmlLimits> = {}): ReadResult<XmlElement> {
  const within = { ...xmlLimits, ...limits }
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  const refused = guardXml(body, within)
  if (refused) return { problem: refused }
  try {
    const valid = XMLValidator.validate(body)
    if (valid !== true)
      return { problem: fatalProblem('malformed-xml', clip(valid.err.msg), Number(valid.err.line) || 0) }
    const root = toTree(libraryParser(within.maxDepth).parse(body), body)
    return root ? { value: root } : { problem: fatalProblem('malformed-xml', 'There is no root element.', 0) }
  } catch (error) {
    return { problem: fatalProblem('malformed-xml', clip(error instanceof Error ? error.message : String(error)), 0) }
  }
}

export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((one) => one.name === name)
}

export function childText(element: XmlElement, name: string): string {
  return child(element, name)?.text ?? ''
}

type LibraryNode = Record<string, unknown> & { ':@'?: Record<string, string> }

const metaData = XMLParser.getMetaDataSymbol() as unknown as symbol

function libraryParser(maxDepth: number): XMLParser {
  return new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    cdataPropName: '#cdata',
    parseTagValue: false,
    trimValues: false,
    processEntities: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    captureMetaData: true,
    maxNestedTags: maxDepth + 1,
    jPath: false,
  })
}

/** The library's nested one-key objects as elements. Elements come in document order, so lines are counted in one pass. */
function toTree(nodes: LibraryNode[], text: string): XmlElement | undefined {
  const lineOf = lineCounter(text)
  const convert = (node: LibraryNode): XmlElement | undefined => {
    const tag = Object.keys(node).find((key) => key !== ':@' && !key.startsWith('#'))
    if (tag === undefined) return undefined
    const start = (node as Record<symbol, { startIndex?: number } | undefined>)[metaData]?.startIndex ?? 0
    const element: XmlElement = {
      name: tag.slice(tag.indexOf(':') + 1),
      prefix: tag.includes(':') ? tag.slice(0, tag.indexOf(':')) : '',
      attributes: new Map(Object.entries(node[':@'] ?? {}).map(([key, value]) => [key, decodeEntities(String(value))])),
      children: [],
      text: '',
      line: lineOf(start),
    }
    const texts: string[] = []
    for (const inner of node[tag] as LibraryNode[]) {
      if (typeof inner['#text'] === 'string') texts.push(decodeEntities(inner['#text']))
      else if (inner['#cdata'] !== undefined) texts.push(cdataOf(inner['#cdata'] as LibraryNode[]))
      else {
        const below = convert(inner)
        if (below) element.children.push(below)
      }
    }
    element.text = texts.join('').trim()
    return element
  }
  for (const node of nodes) {
    const root = convert(node)
    if (root) return root
  }
  return undefined
}

function cdataOf(parts: LibraryNode[]): string {
  return parts.map((part) => String(part['#text'] ?? '')).join('')
}

const predefined: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#[0-9]{1,7}|#x[0-9a-fA-F]{1,6}|[a-z]{2,4});/g, (written, name: string) => {
    if (!name.startsWith('#')) return predefined.get(name) ?? written
    const point = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
    return isXmlCharacter(point) ? String.fromCodePoint(point) : written
  })
}

/** XML 1.0 §2.2, Char. */
function isXmlCharacter(point: number): boolean {
  if (point < 0x20) return point === 9 || point === 10 || point === 13
  return point <= 0xd7ff || (point >= 0xe000 && point <= 0xfffd) || (point >= 0x10000 && point <= 0x10ffff)
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
