import type { SignalName } from '../../../src/capabilities/firewall/rules/release-facts.ts'
import type { ConditionKind, RuleEffect, RuleSeverity } from '../../../src/capabilities/firewall/rules/rule.ts'

export const effectWords: Record<RuleEffect, string> = {
  hold: 'Hold back for a time',
  refuse: 'Refuse',
  warn: 'Let in with a warning',
  allow: 'Let in, whatever the rules below say',
}

export const conditionWords: Record<ConditionKind, string> = {
  release_signal: 'Something about the release is unusual',
  younger_than: 'The version is young',
  vulnerability: 'It is vulnerable',
  install_script: 'It runs code when it is installed',
  exotic_dependency: 'It depends on git, a URL or a file',
  typosquat: 'Its name is nearly that of another',
  deprecated: 'It is deprecated or yanked',
  licence: 'Its licence',
  always: 'Always',
}

export const severityWords: Record<RuleSeverity, string> = {
  low: 'Low or higher',
  medium: 'Medium or higher',
  high: 'High or higher',
  critical: 'Critical',
}

export const signalWords: Record<SignalName, string> = {
  new_install_script: 'gains an install script, or a .pth file',
  new_exotic_dependency: 'gains a dependency from git, a URL or a file (npm)',
  young_dependency: 'gains a dependency that is itself new or unknown (npm)',
  trust_lost: 'no longer proves its origin',
  new_publisher: 'comes from somebody new to the package (npm)',
  long_silence: 'is the first for more than a year',
  sudden_size: 'is suddenly much larger',
  two_majors: 'came out within an hour of another major version',
  burst: 'is one of three or more within an hour',
  source_only: 'has no wheel although those before it had (PyPI)',
  scope_burst: 'is one of unusually many of its scope within an hour (npm)',
  new_executable: 'gains executable files in its wheel (PyPI)',
}
