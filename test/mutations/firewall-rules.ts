import type { Mutation } from './mutation.ts'

const list = 'src/capabilities/firewall/rules/rule-list.ts'
const check = 'src/capabilities/firewall/rules/rule-check.ts'
const judge = 'src/capabilities/firewall/verdicts/judge.ts'
const listTests = ['src/capabilities/firewall/rules/rule-list.test.ts']
const apiTests = ['src/capabilities/firewall/rules/api/rule-api.test.ts']
const doorTests = ['test/firewall-rules.test.ts']

export const firewallRules: Mutation[] = [
  {
    id: 'rules-licences-that-apply',
    protection: 'A rule that keeps a licence out keeps out what has it beside another, too.',
    file: 'src/capabilities/firewall/rules/licence-match.ts',
    find: "return effect === 'allow' ? canChoose(isSaid) : !canChoose((ids) => !isSaid(ids))",
    replace: 'return canChoose(isSaid)',
    tests: listTests,
  },
  {
    id: 'rules-after-malware',
    protection: 'No rule of a deployment lets known malware in.',
    file: judge,
    find: '  if (advisoryIds.length > 0) return malicious(advisoryIds)\n',
    replace:
      '  if (advisoryIds.length > 0 && !configuration.list.decide(question, now).allowed) return malicious(advisoryIds)\n',
    tests: doorTests,
  },
  {
    id: 'watching-refuses-malware',
    protection: 'Known malware is refused also where the firewall only watches.',
    file: judge,
    find: "new Set(['malicious', 'held', 'denied'])",
    replace: "new Set(['held', 'denied'])",
    tests: doorTests,
  },
  {
    id: 'rules-in-order',
    protection: 'The first rule that decides wins.',
    file: list,
    find: "        if (rule.mode === 'enforce') return { ...soFar(), refused: found }\n        watched ??= found\n",
    replace: '        watched ??= found\n',
    tests: listTests,
  },
  {
    id: 'rules-unknown-facts',
    protection: 'A version of which a rule cannot tell yet is undetermined, not let in.',
    file: list,
    find: '        return { ...soFar(), isOpen: true }\n',
    replace: '        continue\n',
    tests: listTests,
  },
  {
    id: 'rules-lift-signals',
    protection: 'An age gate does not give way to a release that is unusual.',
    file: list,
    find: '  if (facts.signals.length > 0 || archive',
    replace: '  if (archive',
    tests: listTests,
  },
  {
    id: 'rules-lift-in-use',
    protection: 'An age gate gives way only to the fix of what the deployment has.',
    file: list,
    find: '    ({ isUrgent, fixed }) => isUrgent && fixed &&',
    replace: '    ({ fixed }) => fixed &&',
    tests: listTests,
  },
  {
    id: 'rules-honoured',
    protection: 'A rule that an ecosystem cannot be judged by is refused, not stored as one that protects nothing.',
    file: check,
    find: '  for (const ecosystem of ecosystems) checkHonour(rule, ecosystem, at)\n',
    replace: '',
    tests: apiTests,
  },
  {
    id: 'rules-allow-everything',
    protection: 'A rule that lets everything in is refused.',
    file: check,
    find: "  if (effect === 'allow' && condition === 'always' && rule.names.length === 0)\n",
    replace: "  if (effect === 'allow' && condition === 'always' && rule.names.length > 1_000)\n",
    tests: apiTests,
  },
  {
    id: 'rules-spare-held',
    protection: 'What is held for being new is not let in because a lockfile brought it into a repository.',
    file: list,
    find: "(effect === 'refuse' && inUse.present.has(key))",
    replace: 'inUse.present.has(key)',
    tests: listTests,
  },
  {
    id: 'rules-spare-given',
    protection: 'Builds with lockfiles go on where a rule leaves alone what is in use.',
    file: list,
    find: '  if (rule.spareInUse && isSpared(rule, question)) return undefined\n',
    replace: '',
    tests: listTests,
  },
  {
    id: 'rules-trial-people',
    protection: 'A trial names people only to whoever may see whose clients asked.',
    file: 'src/capabilities/firewall/trial/trial.ts',
    find: '    people: seesPeople ? people : [],\n',
    replace: '    people,\n',
    tests: doorTests,
  },
  {
    id: 'signals-trust-lost',
    protection: 'A release that lost the provenance of those before it shows it.',
    file: 'src/proxy/release-history.ts',
    find: '  if (!best || trust >= best.trust) return []\n',
    replace: '  if (!best || trust >= 0) return []\n',
    tests: ['src/proxy/npm/release-facts.test.ts', 'src/proxy/pypi/release-facts.test.ts'],
  },
  {
    id: 'signals-gyp',
    protection: 'binding.gyp counts as an install script.',
    file: 'src/proxy/npm/release-facts.ts',
    find: "  if (gypfile === true) return 'binding.gyp'\n",
    replace: '',
    tests: ['src/proxy/npm/release-facts.test.ts'],
  },
  {
    id: 'signals-dependencies-unknown',
    protection: 'A dependency that no registry has makes the release that gains it unusual.',
    file: 'src/proxy/npm/gained-dependencies.ts',
    find: '    if (born !== undefined && days >= youngDays) continue\n',
    replace: '    if (born === undefined || days >= youngDays) continue\n',
    tests: doorTests,
  },
]
