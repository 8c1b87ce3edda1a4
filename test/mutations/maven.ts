import type { Mutation } from './mutation.ts'

export const maven: Mutation[] = [
  {
    id: 'maven-unverified-files',
    protection: 'Of a Maven repository, nothing but a signature passes without a checksum.',
    file: 'src/proxy/maven/signature.ts',
    find: '  return ending.test(path)',
    replace: '  return ending.test(`${path}.asc`)',
    tests: ['src/proxy/maven/adapter.test.ts'],
  },
  {
    id: 'maven-signature-size',
    protection: 'What passes as a signature is as small as one.',
    file: 'src/proxy/maven/signature.ts',
    find: '  if (body.length <= mostKib * 1024) return body',
    replace: '  if (body.length <= mostKib * 1024 * 1024) return body',
    tests: ['src/proxy/maven/adapter.test.ts'],
  },
]
