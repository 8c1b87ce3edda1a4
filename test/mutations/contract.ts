import type { Mutation } from './mutation.ts'

export const contract: Mutation[] = [
  {
    id: 'malformed-path-after-tenant',
    protection: 'A malformed id in a path answers only those who belong to the deployment.',
    file: 'src/http/api.ts',
    find: '  const unread = readPath(contract, request, call, errors)\n',
    replace:
      '  const unread = readPath(contract, request, call, errors)\n  refuseUnread(contract, request, call, unread, errors)\n',
    tests: ['test/isolation.test.ts'],
  },
  {
    id: 'malformed-string-id-not-found',
    protection: 'Nothing has a malformed id that is a string on the wire: 404.',
    file: 'src/http/requests/read-parameters.ts',
    find: "  return 'x-number' in schema || ",
    replace: '  return ',
    tests: ['test/isolation.test.ts'],
  },
  {
    id: 'webhook-malformed-id',
    protection: 'A webhook without its secret is refused whether its id could be one or not.',
    file: 'src/http/requests/read-parameters.ts',
    find: "    if (contract.security !== 'none') throw",
    replace: '    throw',
    tests: ['test/isolation.test.ts'],
  },
  {
    id: 'cursor-in-range',
    protection: 'A cursor that no database column can hold is refused.',
    file: 'src/kernel/contract/validate.ts',
    find: " && Number(text) <= node['x-number']!)",
    replace: ')',
    tests: ['src/kernel/contract/validate.test.ts'],
  },
]
