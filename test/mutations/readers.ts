import type { Mutation } from './mutation.ts'

const scanReaders = 'src/capabilities/scans/reading/readers.test.ts'

export const readers: Mutation[] = [
  {
    id: 'readers-attestation-layers',
    protection: 'Envelopes in envelopes are not opened without end.',
    file: 'src/formats/attestation/envelope.ts',
    find: 'const maxLayers = 4',
    replace: 'const maxLayers = 400',
    tests: ['src/formats/attestation/reader.test.ts'],
  },
  {
    id: 'readers-statement-bounds',
    protection: 'What a bill says about vulnerabilities is bounded in number and size.',
    file: 'src/formats/sbom/statements.ts',
    find: 'kept.length >= maxStatements || document.length > maxBytes || bytes + document.length > maxTotalBytes',
    replace: 'kept.length < 0',
    tests: ['src/formats/sbom/statements.test.ts'],
  },
  {
    id: 'readers-purl-credentials',
    protection: 'Qualifiers of a purl that may hold addresses with credentials are not kept.',
    file: 'src/formats/sbom/identity.ts',
    find: "const keptQualifiers = ['arch',",
    replace: "const keptQualifiers = ['repository_url', 'arch',",
    tests: ['src/formats/cyclonedx-json/reader.test.ts'],
  },
  {
    id: 'readers-purl-without-name',
    protection: 'A purl that names nothing is a problem and no package.',
    file: 'src/formats/sbom/identity.ts',
    find: "if (!parsed || (!found && ourTypes.has(parsed.type))) return 'invalid'",
    replace: "if (!parsed || (!found && ourTypes.has(parsed.type))) return identify({ purl: '', name, version, cpe })",
    tests: ['src/formats/cyclonedx-json/reader.test.ts'],
  },
  {
    id: 'readers-npm-title',
    protection: 'The title of a project in a bill does not hide the advisories about its package of npm.',
    file: 'src/formats/sbom/identity.ts',
    find: "ecosystem === 'gomod' ?",
    replace: "ecosystem === 'gomod' || ecosystem === 'npm' ?",
    tests: ['src/formats/cyclonedx-json/reader.test.ts', 'src/formats/spdx-json/reader.test.ts'],
  },
  {
    id: 'readers-requirements-outside',
    protection: 'A requirements file leads to no file outside of the checkout.',
    file: 'src/formats/requirements/links.ts',
    find: 'else if (parts.pop() === undefined) return undefined',
    replace: "else parts.push('..')",
    tests: ['src/formats/requirements/links.test.ts', 'src/cli/scan/files/find-files.test.ts'],
  },
  {
    id: 'readers-requirements-ignored',
    protection: 'What a requirements file names is not sent where a rule or a symbolic link keeps it out.',
    file: 'src/cli/scan/files/find-files.ts',
    find: '(isOpen(top, path) ? join(top, path) : undefined)',
    replace: 'join(top, path)',
    tests: ['src/cli/scan/files/find-files.test.ts'],
  },
  {
    id: 'readers-read-again-with-neighbours',
    protection: 'A file is read again when a file that says how to read it has changed.',
    file: 'src/capabilities/scans/reading/companion-files.ts',
    find: "return createHash('sha256').update(own).update(other).digest()",
    replace: 'return other.length < 0 ? createHash("sha256").digest() : own',
    tests: [scanReaders],
  },
  {
    id: 'readers-sarif-results',
    protection: 'A log whose results are not a list is refused, and its former findings are not called fixed.',
    file: 'src/formats/sarif/log/context.ts',
    find: "if (seen.badResults !== '') {",
    replace: "if (seen.badResults === '-') {",
    tests: ['src/formats/sarif/reader.test.ts', scanReaders],
  },
  {
    id: 'readers-statements-visible',
    protection: 'What bills say is shown only to those who see the repository.',
    file: 'src/capabilities/dependencies/service.ts',
    find: `    await getRepository(actor, repositoryId)
    const page = pageRequest(query)`,
    replace: '    const page = pageRequest(query)',
    tests: [scanReaders],
  },
]
