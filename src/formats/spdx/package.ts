import { fromPurl } from '../../ecosystems/registry.ts'
import { withoutCredentials } from '../sbom/address.ts'
import type { Bill, ComponentKind, DependencyKind } from '../sbom/bill.ts'
import { stated } from '../sbom/licence.ts'

/** A package of SPDX 2 in the words of either of its notations. */
export type SpdxPackage = {
  id: string
  name: string
  version: string
  download: string
  concluded: string
  declared: string
  purls: string[]
  cpe: string
  registryName?: string | undefined
  purpose: string
  stated?: DependencyKind | undefined
  line: number
  pointer: string
}

export function addPackage(bill: Bill, spdx: SpdxPackage): void {
  bill.add({
    ref: spdx.id,
    purl: bestPurl(spdx.purls),
    name: stated(spdx.name),
    version: stated(spdx.version),
    cpe: spdx.cpe,
    registryName: spdx.registryName,
    licence: stated(spdx.concluded) || stated(spdx.declared),
    resolved: withoutCredentials(stated(spdx.download)),
    development: false,
    kind: packageKind(spdx.purpose, spdx.id),
    type: spdx.purpose || 'no purpose',
    stated: spdx.stated,
    line: spdx.line,
    pointer: spdx.pointer,
  })
}

/** By its purpose in the words of either version, `OPERATING-SYSTEM` and `operatingSystem`; most documents give none. */
export function packageKind(purpose: string, id = ''): ComponentKind {
  const plain = purpose.replaceAll(/[-_]/g, '').toLowerCase()
  if (['library', 'framework', 'module', 'firmware', 'device', 'devicedriver'].includes(plain)) return 'package'
  // Trivy names its operating systems so, and gave them no purpose at first.
  const isRest = ['operatingsystem', 'file', 'data', 'documentation'].includes(plain)
  return isRest || /^SPDXRef-OperatingSystem-/.test(id) ? 'rest' : 'holder'
}

/** One of an ecosystem before others. */
function bestPurl(purls: readonly string[]): string {
  const known = purls.filter((purl) => fromPurl(purl))
  return known.find((purl) => fromPurl(purl)!.ecosystem.id !== 'generic') ?? known[0] ?? purls[0] ?? ''
}

export function isCpeReference(type: string): boolean {
  return /(?:^|\/references\/)cpe2[23]Type$/.test(type)
}

/** `http://spdx.org/rdf/references/purl` is the long form. Some files have the category wrong, but the type right. */
export function isPurlReference(type: string): boolean {
  return type === 'purl' || type.endsWith('/references/purl')
}
