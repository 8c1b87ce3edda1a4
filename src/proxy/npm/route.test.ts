import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NpmRoute, npmRoute } from './route.ts'

const cases: [path: string, route: NpmRoute][] = [
  ['left', { kind: 'packument', name: 'left' }],
  ['JSONStream', { kind: 'packument', name: 'JSONStream' }],
  ['@team%2fright', { kind: 'packument', name: '@team/right' }],
  ['@team%2Fright', { kind: 'packument', name: '@team/right' }],
  ['%40team%2fright', { kind: 'packument', name: '@team/right' }],
  ['@team/right', { kind: 'packument', name: '@team/right' }],
  ['left/1.0.0', { kind: 'version', name: 'left', version: '1.0.0' }],
  ['left/latest', { kind: 'version', name: 'left', version: 'latest' }],
  ['@team/right/1.0.0-rc.1', { kind: 'version', name: '@team/right', version: '1.0.0-rc.1' }],
  ['@team%2fright/1.0.0', { kind: 'version', name: '@team/right', version: '1.0.0' }],
  ['left/-/left-1.0.0.tgz', { kind: 'tarball', name: 'left', version: '1.0.0' }],
  ['left-pad/-/left-pad-1.0.0-beta.1.tgz', { kind: 'tarball', name: 'left-pad', version: '1.0.0-beta.1' }],
  ['left/-/left-1.0.0%2Bbuild.5.tgz', { kind: 'tarball', name: 'left', version: '1.0.0+build.5' }],
  ['@team/right/-/right-2.0.0.tgz', { kind: 'tarball', name: '@team/right', version: '2.0.0' }],
  ['@team%2fright/-/right-2.0.0.tgz', { kind: 'tarball', name: '@team/right', version: '2.0.0' }],
  ['@team/right/-/@team/right-2.0.0.tgz', { kind: 'tarball', name: '@team/right', version: '2.0.0' }],
  ['-', { kind: 'packument', name: '-' }],
  ['-/-/--0.0.1.tgz', { kind: 'tarball', name: '-', version: '0.0.1' }],
  ['-/ping', { kind: 'ping' }],
  ['-/whoami', { kind: 'whoami' }],
  ['-/package/left/dist-tags', { kind: 'dist-tags', name: 'left' }],
  ['-/package/@team%2fright/dist-tags', { kind: 'dist-tags', name: '@team/right' }],
  ['-/package/@team/right/dist-tags', { kind: 'dist-tags', name: '@team/right' }],
  ['-/npm/v1/security/advisories/bulk', { kind: 'audit', path: '-/npm/v1/security/advisories/bulk' }],
  ['-/npm/v1/keys', { kind: 'keys' }],
  ['-/npm/v1/attestations/left@1.0.0', { kind: 'attestations', name: 'left', version: '1.0.0' }],
  ['-/npm/v1/attestations/@team%2fright@2.0.0', { kind: 'attestations', name: '@team/right', version: '2.0.0' }],
  ['-/npm/v1/security/audits/quick', { kind: 'audit', path: '-/npm/v1/security/audits/quick' }],
]

for (const [path, route] of cases) {
  test(`${path} is read`, () => assert.deepEqual(npmRoute(path), route))
}

const tricks = [
  '',
  '..',
  '%2e%2e',
  '../..',
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e%2f%2e%2e',
  '.hidden',
  '@../right',
  '@team/..',
  '@team%2f..',
  '@team%2f%2e%2e',
  '@team%2f..%2fright',
  'left%00',
  'left%00/-/left-1.0.0.tgz',
  'left\u202e',
  'le%C5%BFt',
  'left%2f1.0.0',
  'left%2f..%2f..',
  'left/-/..%2f..%2fleft-1.0.0.tgz',
  'left/-/left-..%2f..%2fx.tgz',
  'left/-/right-1.0.0.tgz',
  'left/-/left-.tgz',
  'left/-/left-1.0.0.tgz/more',
  'left/-/%2e%2e/left-1.0.0.tgz',
  'left\\..\\right',
  'http:%2f%2felsewhere%2fleft',
  'left?x',
  'left#x',
  'left%23x',
  '%',
  '%ff%fe',
  `${'a'.repeat(215)}`,
  '-/npm/v1/security/advisories/bulk/..',
  '-/../left',
  '-/user/org.couchdb.user:somebody',
]

for (const path of tricks) {
  test(`${JSON.stringify(path)} leads nowhere`, () => assert.deepEqual(npmRoute(path), { kind: 'unknown' }))
}
