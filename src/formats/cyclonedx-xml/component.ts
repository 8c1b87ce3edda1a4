import type { JsonObject } from '../json/safe-json.ts'
import type { XmlElement } from '../xml/safe-xml.ts'

/** Children of the same namespace: a document may carry elements of others between them. */
export function own(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name && child.prefix === element.prefix) ?? []
}

function inner(element: XmlElement | undefined, list: string, name: string): XmlElement[] {
  return own(own(element, list)[0], name)
}

/** What the two notations share is read once: the element in the shape that it has in JSON, without its components. */
export function asJson(element: XmlElement): JsonObject {
  const made: Record<string, unknown> = {}
  const put = (key: string, value: unknown) => {
    if (value !== undefined) made[key] = value
  }
  put('type', element.attributes.get('type'))
  put('bom-ref', element.attributes.get('bom-ref'))
  if (element.attributes.get('isExternal') === 'true') made.isExternal = true
  for (const key of ['group', 'name', 'version', 'versionRange', 'cpe', 'purl', 'scope'])
    put(key, own(element, key)[0]?.text)
  // XSD: an empty scope is none.
  if (made.scope === '') delete made.scope
  put(
    'hashes',
    listOf(inner(element, 'hashes', 'hash'), ({ attributes, text }) => ({ alg: attributes.get('alg'), content: text })),
  )
  put('licenses', licencesOf(own(element, 'licenses')[0]))
  put('properties', propertiesOf(element))
  put(
    'externalReferences',
    listOf(inner(element, 'externalReferences', 'reference'), (reference) => ({
      type: reference.attributes.get('type'),
      url: own(reference, 'url')[0]?.text,
    })),
  )
  const patches = inner(own(element, 'pedigree')[0], 'patches', 'patch')
  if (patches.length > 0) made.pedigree = { patches: patches.map(patchOf) }
  const swid = own(element, 'swid')[0]
  if (swid) made.swid = { tagId: swid.attributes.get('tagId'), name: swid.attributes.get('name') }
  return made
}

export function licencesOf(licences: XmlElement | undefined): JsonObject[] | undefined {
  if (!licences) return undefined
  const expressions = own(licences, 'expression').map(({ text, attributes }) => ({
    expression: text,
    ...acknowledgement(attributes),
  }))
  const named = own(licences, 'license').map((licence) => {
    const made: Record<string, unknown> = acknowledgement(licence.attributes)
    for (const key of ['id', 'name']) {
      const [first, second] = own(licence, key)
      if (first) made[key] = second ? undefined : first.text
    }
    const written = own(licence, 'text')[0]
    const encoding = written?.attributes.get('encoding')
    if (written && encoding !== undefined) made.text = { encoding, content: written.text }
    return { license: made }
  })
  return [...expressions, ...named]
}

function acknowledgement(attributes: ReadonlyMap<string, string>): Record<string, unknown> {
  const value = attributes.get('acknowledgement')
  return value === undefined ? {} : { acknowledgement: value }
}

export function propertiesOf(element: XmlElement): JsonObject[] | undefined {
  return listOf(inner(element, 'properties', 'property'), ({ attributes, text }) => ({
    name: attributes.get('name'),
    value: text,
  }))
}

function patchOf(patch: XmlElement): JsonObject {
  const resolves = inner(patch, 'resolves', 'issue').map((issue) => ({ type: issue.attributes.get('type') }))
  return { type: patch.attributes.get('type'), resolves }
}

function listOf(found: XmlElement[], convert: (element: XmlElement) => JsonObject): JsonObject[] | undefined {
  return found.length > 0 ? found.map(convert) : undefined
}
