import type { InventoryItem } from '../format.ts'
import { purlOf } from '../sbom/identity.ts'
import { isLicenceExpression } from '../sbom/licence.ts'
import {
  billUuid,
  eachItem,
  jsonMembers,
  type RepositoryBill,
  toolName,
  unshownStandings,
} from '../sbom/repository-bill.ts'
import { standingAnnotation } from './standing.ts'

const root = 'SPDXRef-Repository'

/** An SPDX 2.3 document of a repository, piece by piece. */
export function* writeSpdxJson(bill: RepositoryBill): Generator<string> {
  const { repository, items } = bill
  const name = repository || 'repository'
  // SPDX 2.3 clause 6.9: seconds, no fractions.
  const created = bill.created.toISOString().replace(/\.\d+Z$/, 'Z')
  const licences = createLicences()
  const ids = new Map<string, string>()
  yield* eachItem(items, ({ key }, at) => ids.set(key, `SPDXRef-Package-${at + 1}`))
  const unshown = yield* unshownStandings(items, false)
  const top = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name,
    documentNamespace: `https://spdx.org/spdxdocs/${encodeURIComponent(name.toWellFormed())}-${yield* billUuid(bill)}`,
    creationInfo: { created, creators: [`Tool: ${toolName}`] },
  }

  function packageOf(item: InventoryItem): unknown {
    const { key, version, licence, resolved } = item
    const references = referencesOf(item)
    const standing = unshown.get(key)
    return {
      SPDXID: ids.get(key),
      name: item.name,
      ...(version === '' ? {} : { versionInfo: version }),
      downloadLocation: /^(?:pkg:|cpe:|$)/i.test(resolved) ? 'NOASSERTION' : resolved,
      filesAnalyzed: false,
      licenseConcluded: 'NOASSERTION',
      licenseDeclared: licence === '' ? 'NOASSERTION' : licences.expression(licence),
      copyrightText: 'NOASSERTION',
      primaryPackagePurpose: 'LIBRARY',
      ...(references.length === 0 ? {} : { externalRefs: references }),
      ...(standing ? { annotations: [standingAnnotation(standing, created)] } : {}),
    }
  }

  yield `${JSON.stringify(top).slice(0, -1)},"packages":[`
  yield* jsonMembers(prepend(repositoryPackage(name), items.values().map(packageOf)))
  yield '],"relationships":['
  yield* jsonMembers(relationshipsOf(items, ids))
  yield ']'
  if (licences.hasExtracted()) {
    yield ',"hasExtractedLicensingInfos":['
    yield* jsonMembers(licences.extracted())
    yield ']'
  }
  yield '}\n'
}

function referencesOf(item: InventoryItem): unknown[] {
  const purl = purlOf(item)
  const security = { referenceCategory: 'SECURITY', referenceType: 'cpe23Type', referenceLocator: item.resolved }
  return [
    ...(purl === undefined
      ? []
      : [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }]),
    ...(/^cpe:2\.3:/i.test(item.resolved) ? [security] : []),
  ]
}

function repositoryPackage(name: string): unknown {
  return {
    SPDXID: root,
    name,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: 'NOASSERTION',
    copyrightText: 'NOASSERTION',
    primaryPackagePurpose: 'APPLICATION',
  }
}

function* prepend<T>(first: T, rest: Iterable<T>): Generator<T> {
  yield first
  yield* rest
}

function* relationshipsOf(items: readonly InventoryItem[], ids: ReadonlyMap<string, string>): Generator<unknown> {
  const relate = (from: string, relationshipType: string, to: string) => {
    return { spdxElementId: from, relationshipType, relatedSpdxElement: to }
  }
  yield relate('SPDXRef-DOCUMENT', 'DESCRIBES', root)
  for (const { key, transitivity, development, dependsOn } of items) {
    const id = ids.get(key)!
    if (transitivity === 'DIRECT') yield relate(id, development ? 'DEV_DEPENDENCY_OF' : 'DEPENDENCY_OF', root)
    else if (transitivity === 'UNKNOWN') yield relate(root, 'CONTAINS', id)
    for (const on of new Set(dependsOn)) {
      const to = ids.get(on)
      if (to) yield relate(id, 'DEPENDS_ON', to)
    }
  }
}

/** Licences that are not on the SPDX list need an entry of their own that the packages refer to (clause 10). */
function createLicences() {
  const named = new Map<string, string>()
  const refs = new Map<string, string>()
  const taken = new Map<string, number>()

  function expression(licence: string): string {
    if (isLicenceExpression(licence)) {
      for (const [ref] of licence.matchAll(/LicenseRef-[A-Za-z0-9.-]+/g)) if (!named.has(ref)) named.set(ref, '')
      return licence
    }
    const known = refs.get(licence)
    if (known) return known
    const ref = unusedRef(`LicenseRef-${licence.slice(0, 60).replaceAll(/[^A-Za-z0-9.]+/g, '-')}`)
    named.set(ref, licence)
    refs.set(licence, ref)
    return ref
  }

  /** Numbered on from the last one, however many licences begin alike. */
  function unusedRef(plain: string): string {
    let ref = plain
    for (let number = taken.get(plain) ?? 2; named.has(ref); number++) {
      ref = `${plain}-${number}`
      taken.set(plain, number + 1)
    }
    return ref
  }

  function* extracted(): Generator<unknown> {
    for (const [licenseId, text] of named) {
      yield text === '' ? { licenseId, extractedText: 'NOASSERTION' } : { licenseId, name: text, extractedText: text }
    }
  }

  return { expression, extracted, hasExtracted: () => named.size > 0 }
}
