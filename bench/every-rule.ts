import { signalNames } from '../src/capabilities/firewall/rules/release-facts.ts'
import type { Rule } from '../src/capabilities/firewall/rules/rule.ts'

/** A rule of every kind. None of them decides about an ordinary package, so that all are looked at. */
export function everyKindOfRule(): Rule[] {
  const rule = { id: 1, ecosystems: ['npm'], names: [], mode: 'enforce', note: '', effect: 'refuse' } as const
  return [
    { ...rule, names: Array.from({ length: 50 }, (_, i) => `@scope-${i}/*`), condition: 'always' },
    { ...rule, condition: 'younger_than', hours: 1, effect: 'hold' },
    { ...rule, condition: 'release_signal', signals: signalNames, effect: 'hold' },
    { ...rule, condition: 'vulnerability', severity: 'low' },
    { ...rule, condition: 'licence', licences: ['GPL-3.0-only', 'AGPL-3.0-only'], licencesAre: 'listed' },
    { ...rule, condition: 'deprecated' },
    { ...rule, condition: 'install_script' },
    { ...rule, condition: 'exotic_dependency' },
    { ...rule, condition: 'typosquat' },
  ]
}
