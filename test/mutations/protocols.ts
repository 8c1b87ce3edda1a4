import type { Mutation } from './mutation.ts'

export const protocols: Mutation[] = [
  {
    id: 'protocol-no-cookies',
    protection: 'A client of another product is known by its token alone, never by the cookie of a browser.',
    file: 'src/http/api.ts',
    find: '    call.caller = contract.protocol\n',
    replace: '    call.caller = contract.protocol && contract.protocol.tokenIn(request.headers)\n',
    tests: ['src/http/protocol.test.ts'],
  },
  {
    id: 'protocol-one-deployment',
    protection: 'Credentials that reach several deployments are refused where a client names none.',
    file: 'src/http/requests/authorize.ts',
    find: '  if (others.length > 0) {',
    replace: '  if (others.length > 9) {',
    tests: ['src/http/protocol.test.ts'],
  },
  {
    id: 'form-few-fields',
    protection: 'A form may have so many fields in memory and no more.',
    file: 'src/http/uploads/form-fields.ts',
    find: '  if (++count > mostFields) throw',
    replace: '  if (++count < 0) throw',
    tests: ['src/http/protocol.test.ts'],
  },
  {
    id: 'envelope-bounded',
    protection: 'What is beside the file of an envelope is held in memory, so it is bounded.',
    file: 'src/http/uploads/envelope.ts',
    find: '    if (rest.length > mostBytes) {',
    replace: '    if (rest.length < 0) {',
    tests: ['src/http/uploads/envelope.test.ts'],
  },
  {
    id: 'envelope-own-member',
    protection: 'A file is a member of the body itself: one that is found deeper is refused.',
    file: 'src/http/uploads/envelope.ts',
    find: "  if (emptied !== '') throw",
    replace: "  if (emptied === 'x') throw",
    tests: ['src/http/uploads/envelope.test.ts'],
  },
]
