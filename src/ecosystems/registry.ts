import { apk } from './apk/ecosystem.ts'
import { cargo } from './cargo/ecosystem.ts'
import { cocoapods } from './cocoapods/ecosystem.ts'
import { composer } from './composer/ecosystem.ts'
import { deb } from './deb/ecosystem.ts'
import type { Ecosystem, EcosystemId } from './ecosystem.ts'
import { gem } from './gem/ecosystem.ts'
import { generic } from './generic/ecosystem.ts'
import { gomod } from './gomod/ecosystem.ts'
import { hex } from './hex/ecosystem.ts'
import { maven } from './maven/ecosystem.ts'
import { npm } from './npm/ecosystem.ts'
import { nuget } from './nuget/ecosystem.ts'
import { pub } from './pub/ecosystem.ts'
import { formatPurl, type Purl, parsePurl } from './purl.ts'
import { pypi } from './pypi/ecosystem.ts'
import { rpm } from './rpm/ecosystem.ts'
import { swiftpm } from './swiftpm/ecosystem.ts'

export const ecosystems: Readonly<Record<EcosystemId, Ecosystem>> = {
  npm,
  pypi,
  gomod,
  cargo,
  maven,
  gem,
  composer,
  nuget,
  pub,
  swiftpm,
  hex,
  cocoapods,
  deb,
  apk,
  rpm,
  generic,
}

const byId = new Map<string, Ecosystem>(Object.entries(ecosystems))
// Mix is the client of the Hex registry: the packages are the same.
byId.set('mix', hex)
const byPurlType = new Map(Object.values(ecosystems).map((ecosystem) => [ecosystem.purlType, ecosystem]))
const byOsvName = new Map(Object.values(ecosystems).map((ecosystem) => [ecosystem.osvName, ecosystem]))

/** By our id. `opam` and `no_package_manager` are known on the wire but have no version order: undefined. */
export function findEcosystem(id: string): Ecosystem | undefined {
  return byId.get(id)
}

/** By the name OSV gives it; a suffix after a colon (`Maven:https://repo.example`) names a repository, not another order. */
export function findOsvEcosystem(osvName: string): Ecosystem | undefined {
  const [name] = osvName.split(':', 1)
  return name ? byOsvName.get(name) : undefined
}

export type PackageReference = {
  readonly ecosystem: Ecosystem
  /** As the purl spells it; `ecosystem.normalizeName` gives the spelling for lookups. */
  readonly name: string
  readonly version: string | undefined
}

/** Undefined for what is not a purl, or a purl of something other than a package of our ecosystems. */
export function fromPurl(text: string): PackageReference | undefined {
  const purl = parsePurl(text)
  const ecosystem = purl && byPurlType.get(purl.type)
  if (!ecosystem) return undefined
  const { version, ...apart } = versionApart(purl)
  const name = ecosystem.nameFromPurl(apart)
  return name === undefined || name.trim() === '' ? undefined : { ecosystem, name, version: withEpoch(purl, version) }
}

/** Their names tell letters apart, but purl-spec had them written in lower case, and many tools do so (PURL-TYPES, golang, npm). */
const foldedInPurls: ReadonlySet<string> = new Set(['gomod', 'npm'])

/** Whether a purl that gives this name may be about the package that is spelled so: capitals may have been lost on the way. */
export function mayBeSpelled(ecosystem: string, nameInPurl: string, spelled: string): boolean {
  return foldedInPurls.has(ecosystem) && nameInPurl === spelled.toLowerCase()
}

/** Some generators encode the @ before the version (`pkg:nuget/Name%401.0`). No package of a registry has one in its name. */
function versionApart(purl: Purl): Purl {
  const at = purl.name.indexOf('@', 1)
  if (at === -1 || purl.type === 'generic') return purl
  return { ...purl, name: purl.name.slice(0, at), version: purl.version ?? (purl.name.slice(at + 1) || undefined) }
}

/** The epoch of a package of a distribution is part of its version, but a qualifier of its purl (PURL-TYPES, rpm). */
function withEpoch({ type, qualifiers }: Purl, version: string | undefined): string | undefined {
  const epoch = type === 'rpm' || type === 'deb' ? (qualifiers?.epoch ?? '') : ''
  if (version === undefined || !/^0*[1-9][0-9]{0,9}$/.test(epoch) || /^[0-9]+:/.test(version)) return version
  return `${Number(epoch)}:${version}`
}

/** Undefined where the name cannot be written as a purl of that ecosystem. */
export function toPurl(ecosystem: Ecosystem | EcosystemId, name: string, version?: string): string | undefined {
  const rules = typeof ecosystem === 'string' ? ecosystems[ecosystem] : ecosystem
  const parts = rules.nameToPurl(name)
  return parts && formatPurl({ ...parts, type: rules.purlType, version: version || undefined })
}
