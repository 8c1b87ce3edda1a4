import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CargoRoute, cargoRoute } from './route.ts'

const cases: [path: string, route: CargoRoute][] = [
  ['config.json', { kind: 'config' }],
  ['1/a', { kind: 'index', name: 'a' }],
  ['2/ab', { kind: 'index', name: 'ab' }],
  ['3/a/abc', { kind: 'index', name: 'abc' }],
  ['se/rd/serde', { kind: 'index', name: 'serde' }],
  ['se/rd/serde_json', { kind: 'index', name: 'serde_json' }],
  ['api/v1/crates/Inflector/0.11.4/download', { kind: 'download', name: 'Inflector', version: '0.11.4' }],
  ['api/v1/crates/a/1.0.0%2Bx/download', { kind: 'download', name: 'a', version: '1.0.0+x' }],
]
for (const [path, route] of cases) test(`${path} is read`, () => assert.deepEqual(cargoRoute(path), route))

const tricks = [
  '',
  'serde',
  'se/rd/',
  'se/rd/other',
  'Se/Rd/Serde',
  '3/b/abc',
  'se/rd/..',
  '../config.json',
  'se%2f..%2frd/serde',
  'api/v1/crates/a%2fb/1.0.0/download',
  'api/v1/crates/../1.0.0/download',
  'api/v1/crates/a/..%2f1/download',
  'api/v1/crates/a/1.0.0/download/x',
  'api/v1/crates/new',
  'se/rd/serde%00',
  '%',
  'cr/at/crat\u00e9',
]
for (const path of tricks) {
  test(`'${path}' leads nowhere`, () => assert.deepEqual(cargoRoute(path), { kind: 'unknown' }))
}
