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
  {
    id: 'maven-snapshot-backdated',
    protection: 'A snapshot is not older than its file in the repository, whatever its name says.',
    file: 'src/proxy/maven/adapter.ts',
    find: '    return laterOf(said, await lastModified(upstream, upstream.url + path))',
    replace: '    return said ?? laterOf(undefined, await lastModified(upstream, upstream.url + path))',
    tests: ['src/proxy/maven/adapter.test.ts'],
  },
  {
    id: 'maven-snapshot-replaced',
    protection: 'A snapshot that was replaced is as young as what replaced it.',
    file: 'src/proxy/publish-times.ts',
    find: '    if (found && !changes(version)) known.set(key, found, 1)',
    replace: '    if (found) known.set(key, found, 1)',
    tests: ['src/proxy/maven/adapter.test.ts'],
  },
  {
    id: 'metadata-own-host',
    protection: 'Metadata comes from its registry itself.',
    file: 'src/proxy/upstream/upstream.ts',
    find: "    if (from === 'itself' && new URL(response.url).origin !== new URL(url).origin) {",
    replace: "    if (from === 'itself' && new URL(response.url).origin === '') {",
    tests: ['src/proxy/maven/adapter.test.ts'],
  },
]
