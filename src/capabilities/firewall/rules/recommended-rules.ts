import type { Rule } from './rule.ts'

const enforced = { names: [], mode: 'enforce', note: '' } as const

/**
 * Rules to begin with, each for a kind of attack that happened. What is held comes in by itself: an attack is found within hours, and
 * a harmless release only waits. What is common among harmless releases warns.
 */
export const recommendedRules: readonly Rule[] = [
  {
    ...enforced,
    id: 1,
    ecosystems: ['npm'],
    condition: 'release_signal',
    signals: ['new_install_script', 'new_exotic_dependency', 'young_dependency', 'trust_lost'],
    effect: 'hold',
    spareInUse: true,
    holdHours: 168,
  },
  {
    ...enforced,
    id: 2,
    ecosystems: ['pypi'],
    condition: 'release_signal',
    signals: ['new_install_script', 'new_executable', 'trust_lost', 'source_only'],
    effect: 'hold',
    spareInUse: true,
    holdHours: 168,
  },
  {
    ...enforced,
    id: 3,
    ecosystems: ['npm', 'pypi'],
    condition: 'release_signal',
    signals: ['new_publisher', 'sudden_size', 'burst', 'scope_burst'],
    effect: 'hold',
    spareInUse: true,
    holdHours: 72,
  },
  { ...enforced, id: 4, ecosystems: ['npm', 'pypi'], condition: 'typosquat', effect: 'refuse', spareInUse: true },
  {
    ...enforced,
    id: 5,
    ecosystems: ['npm', 'pypi', 'maven', 'cargo', 'gomod'],
    condition: 'younger_than',
    hours: 24,
    effect: 'hold',
    spareInUse: true,
  },
  {
    ...enforced,
    id: 6,
    ecosystems: ['npm', 'pypi'],
    condition: 'release_signal',
    signals: ['two_majors', 'long_silence'],
    effect: 'warn',
  },
  { ...enforced, id: 7, ecosystems: ['npm', 'pypi'], condition: 'deprecated', effect: 'warn' },
]
