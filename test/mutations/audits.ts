import type { Mutation } from './mutation.ts'

export const audits: Mutation[] = [
  {
    id: 'audit-without-advisories',
    protection:
      'Without advisories about npm packages an audit is passed on: it does not say that nothing is vulnerable',
    file: 'src/proxy/npm/audit/own-audit.ts',
    find: 'if (!(await knowsAdvisories(actor))) return undefined',
    replace: '',
    tests: ['src/proxy/npm/adapter.test.ts'],
  },
  {
    id: 'audit-names-malware',
    protection: 'An audit names what is known to be malicious',
    file: 'src/proxy/npm/audit/own-audit.ts',
    find: "if (refuse && rule === 'malicious')",
    replace: 'if (refuse && !rule)',
    tests: ['test/npm-audit.test.ts'],
  },
  {
    id: 'attestations-of-a-name',
    protection: 'Attestations are asked for by the name of a package, which cannot climb out of its place',
    file: 'src/proxy/npm/route.ts',
    find: 'return at > 0 && isName(name) && versionPattern.test(version)',
    replace: 'return at > 0 && versionPattern.test(version)',
    tests: ['test/npm-audit.test.ts'],
  },
]
