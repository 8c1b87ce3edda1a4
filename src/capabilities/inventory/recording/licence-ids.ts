import parse from 'spdx-expression-parse'
import { isLicenceExpression } from '../../../formats/sbom/licence.ts'

type Node = { license: string } | { left: Node; right: Node }

/** The SPDX ids that take part in a licence expression, each once; empty where the text is none. */
export function licenceIds(text: string): string[] {
  if (!isLicenceExpression(text)) return []
  const ids = new Set<string>()
  collect(parse(text) as Node, ids)
  return [...ids].sort()
}

function collect(node: Node, ids: Set<string>): void {
  if ('license' in node) {
    ids.add(node.license)
    return
  }
  collect(node.left, ids)
  collect(node.right, ids)
}
