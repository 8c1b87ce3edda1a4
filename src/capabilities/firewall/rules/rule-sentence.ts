import { readableAge } from '../../../kernel/time/readable-age.ts'
import type { SignalName } from './release-facts.ts'
import { type Rule, type RuleEcosystem, usualHoldHours } from './rule.ts'

export const ecosystemNames: Record<RuleEcosystem, string> = {
  npm: 'npm',
  pypi: 'PyPI',
  maven: 'Maven',
  cargo: 'Cargo',
  gomod: 'Go',
}
const effectWords = { allow: 'Let in', warn: 'Warn about', hold: 'Hold back', refuse: 'Refuse' }

const signalWords: Record<SignalName, string> = {
  new_install_script: 'gains an install script',
  new_exotic_dependency: 'gains a dependency from git, a URL or a file',
  young_dependency: 'gains a dependency that is itself new or unknown',
  trust_lost: 'no longer proves its origin',
  new_publisher: 'comes from somebody who never published the package before',
  long_silence: 'is the first for more than a year',
  sudden_size: 'is suddenly much larger',
  two_majors: 'came out within an hour of another major version',
  burst: 'is one of three or more within an hour',
  source_only: 'has no wheel although those before it had',
  scope_burst: 'is one of unusually many of its scope within an hour',
  new_executable: 'gains executable files in its wheel',
}

/** A rule as a sentence that can be read aloud. */
export function ruleSentence(rule: Rule): string {
  const watching = rule.mode === 'monitor' ? ' It only watches: nothing is refused.' : ''
  const sparing = rule.spareInUse ? ', but not versions that you have already' : ''
  return `${effectWords[rule.effect]} ${subjectOf(rule)}${holdOf(rule)}${conditionOf(rule)}${sparing}.${watching}`
}

function subjectOf({ names, ecosystems, condition, effect }: Rule): string {
  const where = listed(
    ecosystems.map((each) => ecosystemNames[each]),
    'and',
  )
  if (names.length > 0) return `${names.length > 5 ? `${names.length} names` : listed(names, 'and')} of ${where}`
  return condition === 'always' && effect === 'refuse'
    ? `every ${where} package that no rule above lets in`
    : `every ${where} package`
}

function holdOf({ effect, condition, holdHours = usualHoldHours }: Rule): string {
  return effect === 'hold' && condition !== 'younger_than' ? ` until it is ${readableAge(holdHours)} old` : ''
}

function conditionOf({ condition, hours, signals = [], severity, fixAvailable, exploited, ...rule }: Rule): string {
  switch (condition) {
    case 'always':
      return ''
    case 'younger_than':
      return ` while the version is younger than ${readableAge(hours ?? 0)}`
    case 'release_signal':
      return ` if the release ${listed(
        signals.map((signal) => signalWords[signal]),
        'or',
      )}`
    case 'vulnerability':
      return ` if an advisory of ${severity === 'critical' ? 'critical' : `${severity} or higher`} severity ${exploited ? 'that is known to be exploited ' : ''}names the version${fixAvailable ? ' and a fixed version is known' : ''}`
    case 'licence':
      return ` if its licence is ${rule.licencesAre === 'listed' ? '' : 'not '}${listed(rule.licences ?? [], 'or')}`
    case 'deprecated':
      return ' if its maintainers deprecated or yanked the version'
    case 'install_script':
      return ' if it runs code when it is installed'
    case 'exotic_dependency':
      return ' if it depends on a package from git, a URL or a file'
    case 'typosquat':
      return ' if it is new and its name is nearly that of a package which you or many others use'
  }
}

function listed(words: readonly string[], last: 'and' | 'or'): string {
  if (words.length < 2) return words[0] ?? ''
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
