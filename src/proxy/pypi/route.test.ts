import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PypiRoute, pypiRoute } from './route.ts'

const cases: [path: string, route: PypiRoute][] = [
  ['simple/left-pad/', { kind: 'project', project: 'left-pad' }],
  ['simple/left-pad', { kind: 'project', project: 'left-pad' }],
  ['simple/Left_Pad/', { kind: 'project', project: 'left-pad' }],
  [
    'simple/left-pad/left_pad-1.0-py3-none-any.whl',
    { kind: 'file', project: 'left-pad', filename: 'left_pad-1.0-py3-none-any.whl' },
  ],
  ['simple/torch/torch-2.1.0%2Bcpu.tar.gz', { kind: 'file', project: 'torch', filename: 'torch-2.1.0+cpu.tar.gz' }],
  [
    'simple/left-pad/left_pad-1.0.tar.gz.metadata',
    { kind: 'metadata', project: 'left-pad', filename: 'left_pad-1.0.tar.gz' },
  ],
]

for (const [path, route] of cases) test(`${path} is read`, () => assert.deepEqual(pypiRoute(path), route))

const tricks = [
  '',
  'simple/',
  'simple/../',
  'simple/%2e%2e/',
  'simple/..%2f..%2f/',
  'simple/left%00/',
  'simple/left%2fpad/',
  'simple/l%C3%A9ft/',
  'simple/left/..',
  'simple/left/%2e%2e',
  'simple/left/..%2fother-1.0.tar.gz',
  'simple/left/a%00b.whl',
  'simple/left/a/b.whl',
  'simple/left/%',
  'simple/-left/',
  'files/left/left-1.0.tar.gz',
  'SIMPLE/left/',
]

for (const path of tricks) {
  test(`'${path}' leads nowhere`, () => assert.deepEqual(pypiRoute(path), { kind: 'unknown' }))
}
