import type { SeededRandom } from '../seeded-random.ts'
import type { Stack } from './packages.ts'
import { chooseRule } from './rules/choose-rule.ts'
import { writeCode } from './rules/rule.ts'
import type { Weakness } from './sarif.ts'

const things = [
  'orders',
  'users',
  'exports',
  'sessions',
  'uploads',
  'reports',
  'invoices',
  'labels',
  'products',
  'prices',
  'vouchers',
  'addresses',
  'carts',
  'refunds',
  'shipments',
  'reviews',
]
const verbs = ['list', 'load', 'store', 'send', 'copy', 'render', 'check', 'merge', 'archive', 'import']
const folders = ['src/api', 'src/api', 'src/web', 'src/jobs', 'src/legacy', 'src/admin', 'test']
const endings: Record<Stack, string> = { npm: 'ts', pypi: 'py', maven: 'java', gomod: 'go' }

/** Something that is wrong somewhere in a repository of a stack. */
export function makeWeakness(
  random: SeededRandom,
  stack: Stack,
  n: number,
  rule = chooseRule(random, stack),
): Weakness {
  const [thing, verb] = [random.pick(things), random.pick(verbs)]
  const isSecret = rule.tool === 'gitleaks'
  // In a large repository there is more than one module of a name.
  const module = n < 40 ? thing : `${thing}-${Math.floor(n / 40)}`
  const path = isSecret
    ? `config/${module}/${verb}.${random.pick(['yaml', 'env', 'ini'])}`
    : `${random.pick(folders)}/${module}/${verb}.${endings[stack]}`
  const template = rule.code.replace(/\{NONCE(\d+)\}/g, (_, length: string) => nonce(random, Number(length)))
  return {
    rule,
    path,
    line: 4 + random.roll(240),
    code: writeCode(template, thing, verb),
    ...(isSecret && random.chance(0.7) && { validity: random.chance(0.4) ? ('valid' as const) : ('invalid' as const) }),
    ...(!isSecret &&
      rule.score < 7 &&
      random.chance(0.08) && { suppressed: 'nosemgrep: reviewed, the value is a constant' }),
  }
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function nonce(random: SeededRandom, length: number): string {
  return Array.from({ length }, () => letters[random.roll(letters.length)]!).join('')
}
