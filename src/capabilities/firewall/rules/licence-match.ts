import parse from 'spdx-expression-parse'
import { isLicenceExpression } from '../../../formats/sbom/licence.ts'

type Node = { license: string } | { conjunction: 'and' | 'or'; left: Node; right: Node }

/** The same few licences are asked about over and over. */
const parsed = new Map<string, Node>()
const mostParsed = 5_000

/**
 * Whether a licence is on a list. Of an SPDX expression, a choice (OR) is on it if one of the choices is, and what applies together
 * (AND) if all of it is. What is not an expression is compared as it is written.
 */
export function isListedLicence(text: string, listed: ReadonlySet<string>): boolean {
  return isLicenceExpression(text) ? isListed(nodeOf(text), listed) : listed.has(text.toLowerCase())
}

function isListed(node: Node, listed: ReadonlySet<string>): boolean {
  // An exception (WITH) only adds permissions.
  if ('license' in node) return listed.has(node.license.toLowerCase())
  const [left, right] = [isListed(node.left, listed), isListed(node.right, listed)]
  return node.conjunction === 'or' ? left || right : left && right
}

function nodeOf(text: string): Node {
  const node = parsed.get(text) ?? (parse(text) as Node)
  if (parsed.size < mostParsed) parsed.set(text, node)
  return node
}
