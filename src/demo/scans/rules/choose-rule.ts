import type { SeededRandom } from '../../seeded-random.ts'
import type { Stack } from '../packages.ts'
import { javascriptRules } from './javascript.ts'
import { jvmAndGoRules } from './jvm-and-go.ts'
import { pythonRules } from './python.ts'
import type { DemoRule } from './rule.ts'
import { secretRules } from './secrets.ts'

const rules: DemoRule[] = [...javascriptRules, ...pythonRules, ...jvmAndGoRules, ...secretRules]

const byStack = new Map(
  (['npm', 'pypi', 'maven', 'gomod'] as const).map((stack) => {
    const own = rules.filter((rule) => rule.stacks.includes(stack))
    return [stack, own.flatMap((rule) => Array<DemoRule>(rule.often).fill(rule))]
  }),
)

/** Common mistakes come up more often than bad ones. */
export function chooseRule(random: SeededRandom, stack: Stack): DemoRule {
  return random.pick(byStack.get(stack)!)
}

/** One that the policies of the company keep out. */
export function blockingRule(stack: Stack): DemoRule {
  return byStack.get(stack)!.find(({ id }) => id.includes('.security.injection.'))!
}
