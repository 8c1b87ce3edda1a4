import { entries, member } from '../safe-json.ts'
import type { Tally } from '../sbom/tally.ts'

/** What every document must have (SPDX 2.3, clause 6, and the JSON schema). */
const documentFields = ['SPDXID', 'creationInfo', 'dataLicense', 'name', 'documentNamespace']
const packageFields = ['SPDXID', 'name', 'downloadLocation']
/** Required up to 2.2 alone. */
const olderPackageFields = ['copyrightText', 'licenseConcluded', 'licenseDeclared']

const knownFields = new Set(
  (
    'SPDXID annotations attributionTexts builtDate checksums comment copyrightText description downloadLocation ' +
    'externalRefs filesAnalyzed hasFiles homepage licenseComments licenseConcluded licenseDeclared licenseInfoFromFiles ' +
    'name originator packageFileName packageVerificationCode primaryPackagePurpose releaseDate sourceInfo summary ' +
    'supplier validUntilDate versionInfo'
  ).split(' '),
)

/** Notes what the schema forbids but the inventory survives. The version may come last, so some of it waits for that. */
export function createConformity(tally: Tally) {
  const lacking = new Set(documentFields)
  const missing = new Map<string, { count: number; line: number; pointer: string }>()

  function documentHas(field: string): void {
    lacking.delete(field)
  }

  function checkPackage(spdx: unknown, line: number, pointer: string): void {
    for (const field of [...packageFields, ...olderPackageFields]) {
      if (member(spdx, field) !== undefined) continue
      const known = missing.get(field)
      if (known) known.count += 1
      else missing.set(field, { count: 1, line, pointer })
    }
    for (const [key] of entries(spdx)) {
      if (knownFields.has(key)) continue
      const describe = (count: number) => `${count} fields of packages are no fields of the specification.`
      tally.note('unknown-field', '', describe, line, pointer)
    }
  }

  function finish(version: unknown): void {
    for (const field of lacking) tally.note('missing-field', field, () => `The document has no ${field}.`)
    for (const [field, { count, line, pointer }] of missing) {
      if (version !== 'SPDX-2.2' && olderPackageFields.includes(field)) continue
      tally.note('missing-field', `package ${field}`, () => `${count} packages have no ${field}.`, line, pointer)
    }
  }

  return { documentHas, checkPackage, finish }
}
