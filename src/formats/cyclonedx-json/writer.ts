import { transitivityProperty } from '../cyclonedx/component.ts'
import type { InventoryItem } from '../format.ts'
import type { DependencyKind } from '../sbom/bill.ts'
import { purlOf } from '../sbom/identity.ts'
import { isLicenceExpression, isLicenceId } from '../sbom/licence.ts'
import {
  type BillVulnerability,
  billUuid,
  eachItem,
  jsonMembers,
  type RepositoryBill,
  toolName,
  unshownStandings,
} from '../sbom/repository-bill.ts'

/** A CycloneDX 1.6 document of a repository, piece by piece. */
export function* writeCyclonedxJson(bill: RepositoryBill): Generator<string> {
  const { repository, created, items } = bill
  const keys = new Set<string>()
  yield* eachItem(items, ({ key }) => keys.add(key))
  const root = unusedRef(keys)
  const top = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${yield* billUuid(bill)}`,
    version: 1,
    metadata: {
      timestamp: created.toISOString(),
      tools: { components: [{ type: 'application', name: toolName }] },
      component: { type: 'application', 'bom-ref': root, name: repository || 'repository' },
    },
  }
  const unshown = yield* unshownStandings(items, true)
  yield `${JSON.stringify(top).slice(0, -1)},"components":[`
  yield* jsonMembers(items.values().map((item) => componentOf(item, unshown.get(item.key))))
  yield `],"dependencies":[\n{"ref":${JSON.stringify(root)},"dependsOn":[`
  yield* jsonMembers(items.values().flatMap(({ transitivity, key }) => (transitivity === 'DIRECT' ? [key] : [])))
  yield items.length > 0 ? ']},' : ']}'
  yield* jsonMembers(items.values().map(({ key, dependsOn }) => dependenciesOf(key, dependsOn, keys)))
  yield ']'
  if (bill.vulnerabilities) yield* writeVulnerabilities(items, bill.vulnerabilities)
  yield '}\n'
}

function* writeVulnerabilities(
  items: readonly InventoryItem[],
  vulnerabilities: readonly BillVulnerability[],
): Generator<string> {
  const byPurl = new Map<string, string[]>()
  yield* eachItem(items, (item) => {
    const purl = purlOf(item)
    if (purl !== undefined) byPurl.set(purl, [...(byPurl.get(purl) ?? []), item.key])
  })
  yield ',"vulnerabilities":['
  yield* jsonMembers(
    vulnerabilities.values().map(({ purls, record }) => {
      const refs = new Set(purls.flatMap((purl) => byPurl.get(purl) ?? []))
      return { ...record, affects: [...refs].map((ref) => ({ ref })) }
    }),
  )
  yield ']'
}

function unusedRef(keys: ReadonlySet<string>): string {
  let ref = 'repository'
  while (keys.has(ref)) ref += '#'
  return ref
}

function componentOf(item: InventoryItem, unshown: DependencyKind | undefined): unknown {
  const { key, name, version, development, licence, resolved } = item
  const purl = purlOf(item)
  const isIdentifier = /^(?:pkg|cpe):/i.test(resolved)
  return {
    type: 'library',
    'bom-ref': key,
    name,
    ...(version === '' ? {} : { version }),
    ...(development ? { scope: 'excluded' } : {}),
    ...(licence === '' ? {} : { licenses: [licenceOf(licence)] }),
    ...(/^cpe:/i.test(resolved) ? { cpe: resolved } : {}),
    ...(purl === undefined ? {} : { purl }),
    ...(resolved === '' || isIdentifier ? {} : { externalReferences: [{ type: 'distribution', url: iri(resolved) }] }),
    ...(unshown ? { properties: [{ name: transitivityProperty, value: unshown.transitivity }] } : {}),
  }
}

function licenceOf(licence: string): unknown {
  if (isLicenceId(licence)) return { license: { id: licence } }
  return isLicenceExpression(licence) ? { expression: licence } : { license: { name: licence } }
}

/** RFC 3987 leaves these out; all else may stand in a reference as it is. */
function iri(address: string): string {
  return address.replace(/[\u0000-\u0020<>"{}|\\^`]/g, (character) => encodeURIComponent(character))
}

function dependenciesOf(key: string, dependsOn: readonly string[], keys: ReadonlySet<string>): unknown {
  return { ref: key, dependsOn: [...new Set(dependsOn)].filter((on) => keys.has(on)) }
}
