import type { Category, Product } from '../../../domain/finding-terms.ts'
import type { Evidence } from '../log/evidence.ts'
import { scoreSeverity } from './severity.ts'

/** What tools call their categories, in lower case. */
const names: Readonly<Record<Exclude<Category, ''>, readonly string[]>> = {
  security: [
    'security',
    'vulnerability',
    'misconfiguration',
    'iac-misconfiguration',
    'possible security vulnerability',
    'security features',
    'input validation and representation',
    'secret',
    'cryptography',
    // SpotBugs
    'malicious_code',
  ],
  correctness: [
    'correctness',
    'reliability',
    'bug',
    'possible errors',
    'logic error',
    'dead store',
    'problem',
    'errors',
    'mt_correctness',
    // Clippy, Biome, Oxlint
    'suspicious',
  ],
  performance: ['performance', 'efficiency', 'perf'],
  maintainability: [
    'maintainability',
    'readability',
    'complexity',
    'code quality',
    'design',
    'modularity',
    'useless-code',
  ],
  style: ['style', 'convention', 'naming', 'formatting', 'stylistic issues', 'layout'],
  'best-practice': [
    'best-practice',
    'best practices',
    'best practice',
    'suggestion',
    'usage',
    'bad_practice',
    'pedantic',
    'restriction',
  ],
  portability: ['portability', 'compatibility', 'globalization', 'i18n'],
  licence: ['license', 'licence'],
}

const byName: ReadonlyMap<string, Category> = new Map(
  Object.entries(names).flatMap(([category, all]) => all.map((name) => [name, category as Category] as const)),
)

export function categoryOf(evidence: Evidence, product: Product, weaknesses: number): Category {
  const named = sources(evidence)
    .map(namedCategory)
    .filter((category) => category !== '')
  if (named.includes('licence')) return 'licence'
  // A rule about both is looked for under security.
  if (named.includes('security') || product === 'sca' || product === 'secrets') return 'security'
  if (named[0]) return named[0]
  const score = evidence.rule?.properties['security-severity']
  if (weaknesses > 0 || (typeof score === 'string' && scoreSeverity(score))) return 'security'
  return evidence.family.category || idCategory(evidence.ruleId)
}

/** Words that mean a category wherever they stand in an id; others of the table are also parts of products' names. */
const plainWords = new Set(['security', 'correctness', 'suspicious', 'performance', 'perf', 'complexity', 'style'])

/** `lint/security/noGlobalEval`, `security.insecureAPI.strcpy`: a group before the name of the rule. */
function idCategory(ruleId: string): Category {
  const group = ruleId
    .split(/[./]/)
    .slice(0, -1)
    .find((part) => plainWords.has(part.toLowerCase()))
  return group ? byName.get(group.toLowerCase())! : ''
}

function sources({ result, rule, tags }: Evidence): string[] {
  const bags = [result, rule?.properties ?? {}]
  const written = bags.flatMap((bag) => [bag.category, bag.Category, bag.kingdom, bag.Kingdom])
  return [...written.filter((value) => typeof value === 'string'), ...tags]
}

/** `Microsoft.Security.Xml` and `external/…` name it in a part of the word. */
function namedCategory(written: string): Category {
  const whole = written.toLowerCase()
  for (const part of [whole, ...whole.split(/[./]/)]) {
    const category = byName.get(part)
    if (category) return category
  }
  return ''
}
