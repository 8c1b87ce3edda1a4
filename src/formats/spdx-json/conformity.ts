import { member } from '../json/safe-json.ts'
import { faults } from '../sbom/faults.ts'
import type { ProblemCounts } from '../sbom/problem-counts.ts'
import { checkShape } from '../sbom/shape.ts'
import * as shapes from './shapes.ts'

/** What every document must have (SPDX 2.3, clause 6, and the JSON schema). */
const documentFields = ['SPDXID', 'creationInfo', 'dataLicense', 'name', 'documentNamespace']
const packageFields = ['SPDXID', 'name', 'downloadLocation']
/** Required up to 2.2 alone. */
const olderPackageFields = ['copyrightText', 'licenseConcluded', 'licenseDeclared']

/** Notes what the schema forbids but the inventory survives. The version may come last, so some of it waits for that. */
export function createConformity(problemCounts: ProblemCounts) {
  const lacking = new Set(documentFields)
  const missing = new Map<string, { count: number; line: number; pointer: string }>()

  function documentHas(field: string): void {
    lacking.delete(field)
    if (shapes.documentFields.has(field)) return
    faults(problemCounts, { line: 0, pointer: `/${field.slice(0, 60)}` })(
      'unknown-field',
      '',
      'is not a field of the specification',
    )
  }

  function checkPackage(spdx: unknown, line: number, pointer: string): void {
    for (const field of [...packageFields, ...olderPackageFields]) {
      if (member(spdx, field) !== undefined) continue
      const known = missing.get(field)
      if (known) known.count += 1
      else missing.set(field, { count: 1, line, pointer })
    }
    checkShape(shapes.spdxPackage, spdx, true, faults(problemCounts, { line, pointer }))
  }

  function checkRelationship(relationship: unknown, line: number, pointer: string): void {
    checkShape(shapes.relationship, relationship, true, faults(problemCounts, { line, pointer }))
  }

  function checkField(field: string, value: unknown, line: number): void {
    const shape = shapes.documentFields.get(field)
    if (shape) checkShape(shape, value, true, faults(problemCounts, { line, pointer: `/${field}` }))
  }

  function finish(version: unknown): void {
    for (const field of lacking) problemCounts.note('missing-field', field, () => `The document has no ${field}.`)
    for (const [field, { count, line, pointer }] of missing) {
      if (version !== 'SPDX-2.2' && olderPackageFields.includes(field)) continue
      problemCounts.note(
        'missing-field',
        `package ${field}`,
        () => `${count} packages have no ${field}.`,
        line,
        pointer,
      )
    }
  }

  return { documentHas, checkField, checkPackage, checkRelationship, finish }
}
