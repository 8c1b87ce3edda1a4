import type { Mutation } from './mutation.ts'

export const firewall: Mutation[] = [
  {
    id: 'override-not-understood',
    protection:
      'An override whose version cannot be understood is refused, not stored as a rule that protects nothing.',
    file: 'src/capabilities/firewall/overrides/override-subject.ts',
    find: "  if ('problem' in version) throw impossible('/version', version.problem)\n",
    replace: "  if ('problem' in version) return { name, version: sentVersion }\n",
    tests: ['src/capabilities/firewall/overrides/rules.test.ts'],
  },
  {
    id: 'override-name-not-understood',
    protection: 'An override whose name cannot be understood is refused.',
    file: 'src/capabilities/firewall/overrides/override-subject.ts',
    find: "  if ('problem' in read) throw impossible('/name', read.problem)\n  const { name } = read\n",
    replace: "  const name = 'problem' in read ? sent : read.name\n",
    tests: ['src/capabilities/firewall/overrides/rules.test.ts'],
  },
  {
    id: 'override-allow-everything',
    protection: 'An allow for everything, or nearly, which would switch the firewall off, is refused.',
    file: 'src/capabilities/firewall/overrides/override-subject.ts',
    find: "  if (effect === 'allow' && name.endsWith('*') && name.length <= fewestCharacters) {",
    replace: "  if (effect === 'allow' && name === '') {",
    tests: ['src/capabilities/firewall/overrides/rules.test.ts'],
  },
  {
    id: 'override-deny-wins',
    protection: 'Between two overrides that say as much of a version, deny wins.',
    file: 'src/capabilities/firewall/verdicts/override-table.ts',
    find: "(effect === 'deny' ? 1 : 0)",
    replace: "(effect === 'deny' ? 0 : 1)",
    tests: ['src/capabilities/firewall/verdicts/override-table.test.ts'],
  },
  {
    id: 'override-patterns-recheck',
    protection:
      'When an override by a pattern is made or runs out, everybody who has what it names is looked at again.',
    file: 'src/capabilities/firewall/exposure/recheck.ts',
    find: '    else for (const start of pattern.starts) all.push(...(await knownPackages(tx, ecosystem, start)))\n',
    replace: '    else if (pattern.starts.length === 0) all.push(...(await knownPackages(tx, ecosystem, name)))\n',
    tests: ['src/capabilities/firewall/exposure/clients.test.ts'],
  },
]
