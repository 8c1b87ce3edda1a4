import { elements, member, text } from '../json/safe-json.ts'
import type { DependencyKind } from '../sbom/bill.ts'
import { toolName } from '../sbom/repository-bill.ts'

const annotator = `Tool: ${toolName}`

/** SPDX has no field for it, and relationships cannot say that something is transitive without saying through what. */
export function standingAnnotation({ transitivity, development }: DependencyKind, annotationDate: string): unknown {
  const comment = `transitivity=${transitivity} development=${development}`
  return { annotator, annotationDate, annotationType: 'OTHER', comment }
}

export function annotatedStanding(spdx: unknown): DependencyKind | undefined {
  for (const annotation of elements(member(spdx, 'annotations'))) {
    if (text(annotation, 'annotator') !== annotator) continue
    const stated = /^transitivity=(DIRECT|TRANSITIVE|UNKNOWN) development=(true|false)$/.exec(
      text(annotation, 'comment'),
    )
    if (stated) return { transitivity: stated[1] as DependencyKind['transitivity'], development: stated[2] === 'true' }
  }
  return undefined
}
