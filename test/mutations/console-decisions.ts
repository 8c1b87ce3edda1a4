import type { Mutation } from './mutation.ts'

const secrets = ['src/formats/sarif/classify/secret.test.ts']
const detail = ['src/capabilities/findings/findings.test.ts']
const sorts = ['src/capabilities/findings/search/search.test.ts']
const trial = ['src/capabilities/firewall/trial/settings-trial.test.ts']

/** What people decide by: details of a finding, sorts, trials, and versions that somebody else changed. */
export const consoleDecisions: Mutation[] = [
  {
    id: 'flow-hides-secrets',
    protection: 'The steps of a data flow do not show the secret that a finding is about.',
    file: 'src/formats/sarif/result.ts',
    find: '[...finding.locations, ...finding.flow]',
    replace: 'finding.locations',
    tests: secrets,
  },
  {
    id: 'flow-messages-hide-secrets',
    protection: 'What a tool says about a step of a data flow does not quote the secret.',
    file: 'src/formats/sarif/result.ts',
    find: 'step.message = maskQuoted(hide(step.message))',
    replace: 'void step',
    tests: secrets,
  },
  {
    id: 'surroundings-hide-secrets',
    protection: 'The lines around a secret are not kept.',
    file: 'src/formats/sarif/result.ts',
    find: '  finding.surroundings = null\n',
    replace: '',
    tests: secrets,
  },
  {
    id: 'rule-help-hides-secrets',
    protection: 'The help of a rule that quotes what it matched is not kept.',
    file: 'src/formats/sarif/result.ts',
    find: "  finding.ruleHelp = { ...finding.ruleHelp, description: '', text: '' }\n",
    replace: '',
    tests: secrets,
  },
  {
    id: 'rule-help-address',
    protection: 'A rule leads to an address of the web or nowhere.',
    file: 'src/formats/sarif/log/rule.ts',
    find: "/^https:\\/\\/[^\\s/]/.test(written) ? written : ''",
    replace: 'written',
    tests: ['src/formats/sarif/log/rule.test.ts'],
  },
  {
    id: 'detail-of-one-finding',
    protection: 'Details of a finding are for those who see its repository.',
    file: 'src/capabilities/findings/lifecycle/triage.ts',
    find: 'const data = await find(reading, actor, id)',
    replace: "const data = await find(reading, { ...actor, role: 'owner' }, id)",
    tests: ['src/capabilities/findings/visibility.test.ts'],
  },
  {
    id: 'rule-help-is-renewed',
    protection: 'What a tool says about a rule now is what is shown.',
    file: 'src/capabilities/findings/ingest/reconcile-store.ts',
    find: 'const noted = noteHelp(tx, source, rules)',
    replace: 'const noted = noteHelp(tx, source, [])',
    tests: detail,
  },
  {
    id: 'sort-by-name-sees-repositories',
    protection: 'Findings sorted by rule are those of repositories that the caller sees.',
    file: 'src/capabilities/findings/search/name-order-store.ts',
    find: '${onFinding(wanted, db.deploymentId)} ${inRepositories(actor, wanted)} ${from}',
    replace: '${onFinding(wanted, db.deploymentId)} ${from}',
    tests: ['src/capabilities/findings/visibility.test.ts'],
  },
  {
    id: 'sort-by-name-goes-on',
    protection: 'A list sorted by name does not end at the first repositories that have nothing to show.',
    file: 'src/capabilities/findings/search/name-order-store.ts',
    find: '    if (runs.length < size) break\n',
    replace: '    break\n',
    tests: sorts,
  },
  {
    id: 'settings-trial-age',
    protection: 'A trial does not call a version too young of which nobody knows the age.',
    file: 'src/capabilities/firewall/trial/settings-trial.ts',
    find: "known.rule !== 'too_young' && tried.rule !== 'too_young'",
    replace: 'known.rule === known.rule && tried.rule === tried.rule',
    tests: trial,
  },
  {
    id: 'settings-if-match',
    protection: 'Settings of the firewall that somebody else changed meanwhile are not overwritten.',
    file: 'src/capabilities/firewall/service.ts',
    find: '      requireVersion(actor, ((await choices.find(tx, ecosystem)) ?? notChosen(ecosystem)).version)\n',
    replace: '',
    tests: trial,
  },
  {
    id: 'confirm-if-match',
    protection: 'Who confirms a deletion deletes the version they saw, not what somebody else made of it.',
    file: 'console/ui/overlays/confirm.tsx',
    find: 'await run(seen?.etag)',
    replace: 'await run(undefined)',
    tests: ['console/test/tasks.test.ts'],
  },
]
