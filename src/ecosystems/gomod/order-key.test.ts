import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkVersionLines } from '../version-lines.ts'
import { gomod } from './ecosystem.ts'

test('module versions, pseudo-versions, the toolchain, and what Go refuses', () => {
  const lines = `
    v1.2.3 = 1.2.3
    v2.0.0+incompatible = v2.0.0
    v0.0.0-20190101000000-abcdef012345 < v0.0.0-20200101000000-000000000000
    v1.2.4-0.20200101000000-abcdef012345 > v1.2.3
    v1.2.4-0.20200101000000-abcdef012345 < v1.2.4
    v1.2.4-pre.0.20200101000000-abcdef012345 > v1.2.4-pre
    go1.21rc2 < go1.21.0
    go1.21rc2 > 1.21beta1
    1.21rc2 = 1.21.0-rc.2
    go1.21.3 = v1.21.3
    v1.2-pre < v0.0.0
    v1.02.3 < v0.0.0
    v1.2.3-01 < v0.0.0
    v1.2.3.4 < v0.0.0
    abcdef012345 < v0.0.0-alpha
  `
  assert.deepEqual(checkVersionLines(gomod, lines).disagreements, [])
})
