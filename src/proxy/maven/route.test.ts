import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MavenRoute, mavenRoute } from './route.ts'

const jar = { kind: 'file', name: 'com.acme:left', version: '1.0', checksum: undefined } as const

const metadata = { kind: 'metadata' as const, name: 'com.acme:left', owned: 'com.acme:left' }

const cases: [path: string, route: MavenRoute][] = [
  ['com/acme/left/1.0/left-1.0.jar', { ...jar, path: 'com/acme/left/1.0/left-1.0.jar' }],
  ['com/acme/left/1.0/left-1.0.pom', { ...jar, path: 'com/acme/left/1.0/left-1.0.pom' }],
  ['com/acme/left/1.0/left-1.0-sources.jar', { ...jar, path: 'com/acme/left/1.0/left-1.0-sources.jar' }],
  ['com/acme/left/1.0/left-1.0.jar.asc', { ...jar, path: 'com/acme/left/1.0/left-1.0.jar.asc' }],
  ['com/acme/left/1.0/left-1.0.jar.sha1', { ...jar, checksum: 'sha1', path: 'com/acme/left/1.0/left-1.0.jar' }],
  [
    'junit/junit/4.13/junit-4.13.jar',
    {
      kind: 'file',
      name: 'junit:junit',
      version: '4.13',
      checksum: undefined,
      path: 'junit/junit/4.13/junit-4.13.jar',
    },
  ],
  [
    'com/acme/left/1.0-SNAPSHOT/left-1.0-20260101.120000-3.jar',
    { ...jar, version: '1.0-SNAPSHOT', path: 'com/acme/left/1.0-SNAPSHOT/left-1.0-20260101.120000-3.jar' },
  ],
  ['com/acme/left/maven-metadata.xml', { ...metadata, checksum: undefined, path: 'com/acme/left/maven-metadata.xml' }],
  [
    'com/acme/left/1.0-SNAPSHOT/maven-metadata.xml',
    {
      ...metadata,
      name: 'com.acme.left:1.0-SNAPSHOT',
      checksum: undefined,
      path: 'com/acme/left/1.0-SNAPSHOT/maven-metadata.xml',
    },
  ],
  [
    'com/acme/left/maven-metadata.xml.sha512',
    { ...metadata, checksum: 'sha512', path: 'com/acme/left/maven-metadata.xml' },
  ],
]

for (const [path, route] of cases) test(`${path} is read`, () => assert.deepEqual(mavenRoute(path), route))

const tricks = [
  '',
  'maven-metadata.xml',
  'com/acme/left',
  'com/acme/left/1.0/',
  'com/acme/left/1.0/right-1.0.jar',
  'com/acme/left/1.0/left-2.0.jar',
  'com/acme/left/1.0/left-1.0',
  'com/acme/left/1.0/left-1.00.jar',
  'com/acme/left/1.0/left-1.0-..%2f..%2fx.jar',
  'com/../acme/left/1.0/left-1.0.jar',
  'com/%2e%2e/left/1.0/left-1.0.jar',
  'com%2facme/left/1.0/left-1.0.jar',
  'com/acme/left/1.0/left-1.0.jar%00',
  'com/acme/left/1.0/left-1.0.jar%0d%0a',
  'com//left/1.0/left-1.0.jar',
  'com/ac\u00e9me/left/1.0/left-1.0.jar',
  'com/acme/left/1.0-SNAPSHOT/left-1.0-2026.jar',
  '/etc/passwd',
  '%/left/1.0/left-1.0.jar',
]

for (const path of tricks) {
  test(`'${path}' leads nowhere`, () => assert.deepEqual(mavenRoute(path), { kind: 'unknown' }))
}
