import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import { formatPurl, type Purl, parsePurl } from '../../ecosystems/purl.ts'
import { ecosystems, fromPurl, mayBeSpelled, toPurl } from '../../ecosystems/registry.ts'
import type { InventoryItem } from '../format.ts'

/** What a component goes by, as its document writes it. */
export type Named = {
  purl: string
  name: string
  version: string
  cpe: string
  /** What its registry calls it, where the document has a place for that: what is in `name` may be for people to read. */
  registryName?: string | undefined
}

export type Identity = {
  ecosystem: EcosystemId
  name: string
  version: string
  /** A purl or CPE that says more than name and version do; '' where there is none. */
  identifier: string
}

const ourTypes = new Set(Object.values(ecosystems).map((ecosystem) => ecosystem.purlType))
/** What a purl says about a package. Other qualifiers hold addresses, and those may hold credentials. */
const keptQualifiers = ['arch', 'distro', 'epoch', 'os', 'upstream']
const longestIdentifier = 2000

/**
 * By its purl; 'invalid' for one that names nothing. Without one, and with one of a type that is not an ecosystem here, it is
 * generic. Undefined where it has no name either.
 */
export function identify({ purl, name, version, cpe, registryName = '' }: Named): Identity | 'invalid' | undefined {
  if (purl !== '') {
    const found = fromPurl(purl)
    const parsed = parsePurl(purl)
    if (!parsed || (!found && ourTypes.has(parsed.type))) return 'invalid'
    const { ecosystem, ...own } = found ?? { ecosystem: ecosystems.generic, ...pathOf(parsed) }
    if (hasControls(own.name)) return 'invalid'
    return {
      ecosystem: ecosystem.id,
      name: spelling(ecosystem.id, own.name, { registryName, shown: name.trim() }),
      version: own.version ?? version,
      identifier: identifierOf(parsed),
    }
  }
  const written = name.trim()
  if (written === '') return undefined
  if (hasControls(written)) return 'invalid'
  return { ecosystem: 'generic', name: written, version: version.trim(), identifier: shortened(cpe, /^cpe:/i) }
}

/** The purl to write for an item: the one that it was read with where that says more. Generic ones may have none. */
export function purlOf({ ecosystem, name, version, resolved }: InventoryItem): string | undefined {
  if (resolved.startsWith('pkg:')) return resolved
  return ecosystem === 'generic' ? undefined : toPurl(ecosystem, name, version)
}

/**
 * The document's own, where it is that of the purl but for the capitals that the purl lost. What is only shown may have capitals that
 * the package does not: a project is called `DOMPurify` and its package of npm `dompurify`, but the path of a Go module is nobody's title.
 */
function spelling(ecosystem: EcosystemId, inPurl: string, name: { registryName: string; shown: string }): string {
  const written = ecosystem === 'gomod' ? [name.registryName, name.shown] : [name.registryName]
  return written.find((one) => mayBeSpelled(ecosystem, inPurl, one)) ?? inPurl
}

/** Trivy gives a package an id: its name as its registry has it, an @ and its version. */
export function nameInTrivyId(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('@')))
}

function pathOf({ namespace, name, version }: Purl) {
  return { name: namespace ? `${namespace}/${name}` : name, version }
}

/** Of packages of a distribution, whose and for what; of foreign types, the type. The others are told by name and version. */
function identifierOf(purl: Purl): string {
  const plain = ourTypes.has(purl.type) && !['deb', 'apk', 'rpm'].includes(purl.type)
  if (plain) return ''
  const qualifiers = keptQualifiers.flatMap((key) => {
    const value = purl.qualifiers?.[key]
    return value === undefined ? [] : [[key, value]]
  })
  return shortened(
    formatPurl({ ...purl, qualifiers: Object.fromEntries(qualifiers), subpath: undefined }) ?? '',
    /^pkg:/,
  )
}

function shortened(identifier: string, pattern: RegExp): string {
  return pattern.test(identifier) && identifier.length <= longestIdentifier && !/[\s\p{Cc}]/u.test(identifier)
    ? identifier
    : ''
}

function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text)
}
