import type { InventoryItem } from '../format.ts'
import { purlOf } from '../sbom/identity.ts'
import { isLicenceExpression } from '../sbom/licence.ts'
import { billUuid, jsonMembers, type RepositoryBill, toolName, unshownStandings } from '../sbom/repository-bill.ts'
import { standingAnnotation } from './standing.ts'

const root = 'SPDXRef-Repository'

/** An SPDX 2.3 document of a repository, piece by piece. */
export function* writeSpdxJson(bill: RepositoryBill): Generator<string> {
  const { repository, items } = bill
  const name = repository || 'repository'
  // SPDX 2.3 clause 6.9: seconds, no fractions.
  const created = bill.created.toISOString().replace(/\.\d+Z$/, 'Z')
  const licences = createLicences()
  const ids = new Map(items.map((item, i) => [item.key, `SPDXRef-Package-${i + 1}`]))
  const unshown = unshownStandings(items, false)
  const top = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name,
    documentNamespace: `https://spdx.org/spdxdocs/${encodeURIComponent(name.toWellFormed())}-${billUuid(bill)}`,
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
  const extracted = licences.extracted()
  if (extracted.length > 0) yield `,"hasExtractedLicensingInfos":${JSON.stringify(extracted)}`
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

  function expression(licence: string): string {
    if (isLicenceExpression(licence)) {
      for (const [ref] of licence.matchAll(/LicenseRef-[A-Za-z0-9.-]+/g)) if (!named.has(ref)) named.set(ref, '')
      return licence
    }
    for (const [ref, text] of named) if (text === licence) return ref
    let ref = `LicenseRef-${licence.slice(0, 60).replaceAll(/[^A-Za-z0-9.]+/g, '-')}`
    while (named.has(ref)) ref += '-x'
    named.set(ref, licence)
    return ref
  }

  function extracted(): unknown[] {
    return [...named].map(([licenseId, text]) => {
      if (text === '') return { licenseId, extractedText: 'NOASSERTION' }
      return { licenseId, name: text, extractedText: text }
    })
  }

  return { expression, extracted }
}
