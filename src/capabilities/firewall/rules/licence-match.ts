import parse from 'spdx-expression-parse'
import { isLicenceExpression, spelledAsListed } from '../../../formats/sbom/licence.ts'
import type { Rule } from './rule.ts'

type Node = { license: string; plus?: true } | { conjunction: 'and' | 'or'; left: Node; right: Node }

/** The same few licences are asked about over and over. */
const parsed = new Map<string, Node>()
const mostParsed = 5_000

/**
 * Whether a rule holds for a licence. Of an SPDX expression one may choose (OR), and what applies together (AND) all counts: what lets
 * in holds where one can choose what the rule says, and all else where one can choose nothing but that. What is not an expression is
 * compared as it is written.
 */
export function holdsForLicence(
  { effect, licencesAre }: Pick<Rule, 'effect' | 'licencesAre'>,
  text: string,
  listed: ReadonlySet<string>,
): boolean {
  const isListed = (ids: readonly string[]) => ids.some((id) => listed.has(id.toLowerCase()))
  const isSaid = (ids: readonly string[]) => isListed(ids) === (licencesAre === 'listed')
  const licence = spelledAsListed(text)
  const canChoose = (isFine: (ids: readonly string[]) => boolean) =>
    isLicenceExpression(licence) ? canChooseIn(nodeOf(licence), isFine) : isFine([licence])
  return effect === 'allow' ? canChoose(isSaid) : !canChoose((ids) => !isSaid(ids))
}

function canChooseIn(node: Node, isFine: (ids: readonly string[]) => boolean): boolean {
  // An exception (WITH) only adds permissions. `GPL-2.0+` is an id of the licence list as well.
  if ('license' in node) return isFine(node.plus ? [node.license, `${node.license}+`] : [node.license])
  const [left, right] = [canChooseIn(node.left, isFine), canChooseIn(node.right, isFine)]
  return node.conjunction === 'or' ? left || right : left && right
}

function nodeOf(text: string): Node {
  const node = parsed.get(text) ?? (parse(text) as Node)
  if (parsed.size < mostParsed) parsed.set(text, node)
  return node
}
