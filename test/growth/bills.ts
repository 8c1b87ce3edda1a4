import { type Documents, lines, needs, times } from './generate.ts'

/** Bills of materials, and the envelopes they come in. */
export const bills: Record<string, Documents> = {
  'cyclonedx-json': {
    name: 'bom.json',
    heads: [
      '{"bomFormat":"CycloneDX","specVersion":"1.5","components":[',
      '{"bomFormat":"CycloneDX","components":[{"name":"',
    ],
    whole: {
      components: (count) =>
        JSON.stringify({
          bomFormat: 'CycloneDX',
          specVersion: '1.5',
          components: times(count, (at) => ({
            type: 'library',
            name: `p${at}`,
            version: '1',
            'bom-ref': `p${at}`,
            purl: `pkg:npm/p${at}@1`,
          })),
          dependencies: times(count, (at) => ({ ref: `p${at}`, dependsOn: needs(at, count) })),
        }),
      'components in each other': (count) => {
        const depth = Math.min(30, count)
        const nested = '{"type":"library","name":"a","version":"1","components":['.repeat(depth) + ']}'.repeat(depth)
        return `{"bomFormat":"CycloneDX","specVersion":"1.5","components":[${times(Math.ceil(count / depth), () => nested).join()}]}`
      },
    },
  },
  'cyclonedx-xml': {
    name: 'bom.xml',
    heads: ['<bom xmlns="http://cyclonedx.org/schema/bom/1.5"><components>'],
    whole: {
      components: (count) =>
        `<bom xmlns="http://cyclonedx.org/schema/bom/1.5"><components>${lines(count, (at) => `<component type="library" bom-ref="p${at}"><name>p${at}</name><version>1</version><purl>pkg:npm/p${at}@1</purl></component>`)}</components><dependencies>${lines(
          count,
          (at) =>
            `<dependency ref="p${at}">${needs(at, count)
              .map((ref) => `<dependency ref="${ref}"/>`)
              .join('')}</dependency>`,
        )}</dependencies></bom>`,
    },
  },
  'spdx-json': {
    name: 'a.spdx.json',
    heads: ['{"spdxVersion":"SPDX-2.3","packages":['],
    whole: {
      packages: (count) =>
        JSON.stringify({
          spdxVersion: 'SPDX-2.3',
          SPDXID: 'SPDXRef-DOCUMENT',
          packages: times(count, (at) => ({
            name: `p${at}`,
            SPDXID: `SPDXRef-p${at}`,
            versionInfo: '1',
            externalRefs: [
              { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: `pkg:npm/p${at}@1` },
            ],
          })),
          relationships: times(count, (at) => ({
            spdxElementId: `SPDXRef-p${at}`,
            relationshipType: 'DEPENDS_ON',
            relatedSpdxElement: `SPDXRef-p${(at + 1) % count}`,
          })),
        }),
    },
  },
  'spdx3-json': {
    name: 'a.spdx3.json',
    heads: [
      '{"@context":"https://spdx.org/rdf/3.0.1/spdx-context.jsonld","@graph":[',
      '{"@context":"https://spdx.org/rdf/',
    ],
    whole: {
      packages: (count) =>
        JSON.stringify({
          '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
          '@graph': [
            ...times(count, (at) => ({
              type: 'software_Package',
              spdxId: `urn:p${at}`,
              name: `p${at}`,
              software_packageVersion: '1',
              software_packageUrl: `pkg:npm/p${at}@1`,
            })),
            ...times(count, (at) => ({
              type: 'Relationship',
              spdxId: `urn:r${at}`,
              from: `urn:p${at}`,
              relationshipType: 'dependsOn',
              to: [`urn:p${(at + 1) % count}`],
            })),
          ],
        }),
    },
  },
  'spdx-tag-value': {
    name: 'a.spdx',
    heads: ['SPDXVersion: SPDX-2.3\nPackageName: a\n', 'SPDXVersion: SPDX-2.3\nPackageName: a\nPackageComment: <text>'],
    whole: {
      packages: (count) =>
        `SPDXVersion: SPDX-2.3\nSPDXID: SPDXRef-DOCUMENT\n${lines(count, (at) => `PackageName: p${at}\nSPDXID: SPDXRef-p${at}\nPackageVersion: 1\nExternalRef: PACKAGE-MANAGER purl pkg:npm/p${at}@1\nRelationship: SPDXRef-p${at} DEPENDS_ON SPDXRef-p${(at + 1) % count}\n`)}`,
    },
  },
  'syft-json': {
    name: 'syft.json',
    heads: ['{"artifacts":[{"foundBy":"x","name":"a"},'],
    whole: {
      artifacts: (count) =>
        JSON.stringify({
          artifacts: times(count, (at) => ({
            id: `a${at}`,
            name: `p${at}`,
            version: '1',
            type: 'deb',
            foundBy: 'dpkg-db-cataloger',
            cpes: [`cpe:2.3:a:p${at}:p${at}:1:*:*:*:*:*:*:*`],
            purl: `pkg:deb/debian/p${at}@1?arch=amd64&distro=debian-12`,
          })),
          artifactRelationships: times(count, (at) => ({
            parent: `a${(at + 1) % count}`,
            child: `a${at}`,
            type: 'dependency-of',
          })),
          schema: { url: 'https://raw.githubusercontent.com/anchore/syft/main/schema/json/schema-16.0.0.json' },
        }),
    },
  },
  'semgrep-dependencies': {
    name: 'package-lock.json',
    heads: ['[{"package":"a","version":"1","ecosystem":"npm","allowed_hashes":{},"transitivity":"direct"},'],
    whole: {
      entries: (count) =>
        JSON.stringify(
          times(count, (at) => ({
            package: `p${at}`,
            version: '1',
            ecosystem: 'npm',
            allowed_hashes: {},
            transitivity: 'direct',
            children: [{ package: `p${(at + 1) % count}`, version: '1' }],
          })),
        ),
      'entries of one package': (count) =>
        JSON.stringify(
          times(count, () => ({ package: 'p', version: '1', ecosystem: 'npm', allowed_hashes: {}, transitivity: '' })),
        ),
    },
  },
  attestation: {
    name: 'bom.intoto.jsonl',
    heads: [
      '{"payloadType":"application/vnd.in-toto+json","payload":"',
      '{"_type":"https://in-toto.io/Statement/v1","predicate":{',
    ],
    whole: {
      'a bill in an envelope': (count) => envelope(statement(bills['cyclonedx-json']!.whole.components!(count))),
      'many envelopes in lines': (count) =>
        lines(Math.ceil(count / 10), () => envelope(statement(bills['cyclonedx-json']!.whole.components!(10)))),
    },
  },
}

function statement(predicate: string): string {
  return `{"_type":"https://in-toto.io/Statement/v1","predicateType":"https://cyclonedx.org/bom","predicate":${predicate}}`
}

function envelope(payload: string): string {
  return JSON.stringify({
    payloadType: 'application/vnd.in-toto+json',
    payload: Buffer.from(payload).toString('base64'),
    signatures: [{ keyid: '', sig: 'MEUC' }],
  })
}
