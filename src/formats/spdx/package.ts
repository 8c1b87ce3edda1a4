import { fromPurl } from '../../ecosystems/registry.ts'
import { withoutCredentials } from '../sbom/address.ts'
import type { Bill, Standing } from '../sbom/bill.ts'
import { stated } from '../sbom/licence.ts'

/** A package of SPDX 2 in the words of either of its notations. */
export type SpdxPackage = {
  id: string
  version: string
  download: string
  concluded: string
  declared: string
  purls: string[]
  purpose: string
  stated?: Standing | undefined
  line: number
  pointer: string
}

export function addPackage(bill: Bill, spdx: SpdxPackage): void {
  bill.add({
    ref: spdx.id,
    purl: spdx.purls.find((purl) => fromPurl(purl)) ?? spdx.purls[0] ?? '',
    version: spdx.version,
    licence: stated(spdx.concluded) || stated(spdx.declared),
    resolved: withoutCredentials(stated(spdx.download)),
    development: false,
    holder: spdx.purpose !== 'LIBRARY' && spdx.purpose !== 'FRAMEWORK',
    stated: spdx.stated,
    line: spdx.line,
    pointer: spdx.pointer,
  })
}

/** `http://spdx.org/rdf/references/purl` is the long form. Some files have the category wrong, but the type right. */
export function isPurlReference(type: string): boolean {
  return type === 'purl' || type.endsWith('/references/purl')
}
