import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { coversVersion, readVersionPattern, versionPattern } from './version-pattern.ts'

const covered: [ecosystem: EcosystemId, pattern: string, inside: string[], outside: string[]][] = [
  ['npm', '', ['0.0.1', '1.0.0', 'not-a-version'], []],
  ['npm', '*', ['0.0.1', '1.0.0'], []],
  ['npm', '1.2.3', ['1.2.3', 'v1.2.3', '1.2.3+build'], ['1.2.4', '1.2.3-rc.1']],
  ['npm', '<4.17.21', ['4.17.20', '4.9.0', '0.0.1', '4.17.21-rc.1'], ['4.17.21', '10.0.0']],
  ['npm', '<= 4.17.21', ['4.17.21'], ['4.17.22']],
  ['npm', '>=2.0.0 <2.10.0', ['2.0.0', '2.9.9'], ['1.9.9', '2.10.0', '2.0.0-rc.1']],
  ['npm', '>=2.0.0, <2.10.0', ['2.9.9'], ['2.10.0']],
  ['npm', '>1.0.0<2.0.0', ['1.5.0'], ['1.0.0', '2.0.0']],
  ['npm', '<1.0.0 || 1.5.0 || >=2', ['0.9.0', '1.5.0', '2.0.0'], ['1.0.0', '1.9.0']],
  ['npm', '=1.0.0', ['1.0.0'], ['1.0.1']],
  ['pypi', '==1.0', ['1.0', '1.0.0', '1'], ['1.0.1', '1.0rc1']],
  ['pypi', '>=1.0rc1 <1!0.5', ['1.0rc1', '1.0', '99'], ['1.0b9', '1!1.0']],
  ['pypi', '1.0', ['1.0.0'], ['1.0.post1', '1.0+cu118']],
  ['pypi', '1.0+cu118', ['1.0+cu118'], ['1.0', '1.0+cu121']],
  ['pypi', '<=2.0.1', ['2.0.1', '2.0.1+cu118', '2.0+cpu'], ['2.0.1.post1', '2.0.2.dev1']],
  ['pypi', '<2.0.1', ['2.0+cpu'], ['2.0.1', '2.0.1+cu118']],
  ['pypi', '>2.0.1', ['2.0.1.post1', '2.0.2+cpu'], ['2.0.1', '2.0.1+cu118']],
  ['pypi', '>=2.0.1', ['2.0.1', '2.0.1+cu118'], ['2.0+cpu']],
  ['pypi', '=2.0.1', ['2.0.1', '2.0.1+cu118'], ['2.0.1.post1']],
  ['pypi', '>1.0 <=2.0 || 3.0', ['1.0.post1', '2.0+cpu', '3.0'], ['1.0+cpu', '3.0+cpu']],
  ['maven', '[1.0,2.0)', ['1.0', '1.9-SNAPSHOT', '2.0-alpha-1'], ['2.0', '1.0-rc1']],
  ['maven', '(,1.0],[2.0]', ['0.9', '1.0', '2.0'], ['1.1', '2.0.1']],
  ['maven', '<1.0.0-jre', ['1.0.0-alpha'], ['1.0.1']],
  ['gomod', '<v1.2.3', ['v1.2.2', 'v1.2.3-0.20200101000000-abcdefabcdef'], ['v1.2.3']],
]

for (const [ecosystem, pattern, inside, outside] of covered) {
  test(`${ecosystem} '${pattern}' by the order of ${ecosystem}`, () => {
    const read = readVersionPattern(ecosystem, pattern)
    assert.ok('pattern' in read, JSON.stringify(read))
    const covers = (version: string) => coversVersion(read.pattern, ecosystems[ecosystem].orderKey(version))
    assert.deepEqual(
      inside.map(covers),
      inside.map(() => true),
      inside.join(' '),
    )
    assert.deepEqual(
      outside.map(covers),
      outside.map(() => false),
      outside.join(' '),
    )
    assert.deepEqual(versionPattern(ecosystem, read.text), read.pattern)
  })
}

const notUnderstood: [ecosystem: EcosystemId, pattern: string][] = [
  ['npm', '^1.2.3'],
  ['npm', '~1.2'],
  ['npm', '1.x'],
  ['npm', '1.2.*'],
  ['npm', '1.2'],
  ['npm', 'latest'],
  ['npm', '1.0.0 - 2.0.0'],
  ['npm', '1.0.0 2.0.0'],
  ['npm', '<'],
  ['npm', '<<1.0.0'],
  ['npm', '!=1.0.0'],
  ['npm', '<1.0.0 ||'],
  ['npm', '|| <1.0.0'],
  ['npm', '>2.0.0 <1.0.0'],
  ['npm', '>1.0.0 <1.0.0'],
  ['pypi', '>1.0 <=1.0'],
  ['npm', '<1.0.0 beta'],
  ['npm', '<latest'],
  ['npm', '[1.0,2.0)'],
  ['pypi', '~=1.4'],
  ['pypi', '==1.*'],
  ['pypi', 'garbage!'],
  ['maven', '[1.0,2.0'],
  ['maven', '(1.0)'],
  ['maven', '(,)'],
  ['maven', '[2.0,1.0]'],
  ['npm', Array.from({ length: 21 }, (_, at) => `1.0.${at}`).join('||')],
]

for (const [ecosystem, pattern] of notUnderstood) {
  test(`${ecosystem} '${pattern.slice(0, 30)}' is not understood, and says so`, () => {
    const read = readVersionPattern(ecosystem, pattern)
    assert.ok('problem' in read, JSON.stringify(read))
    assert.ok(read.problem.length > 10)
  })
}

test('named with its builds, a version has its local builds in it, alone or beside others', () => {
  for (const text of ['1.0', '0.5 || 1.0', '1.0+cu118']) {
    const pattern = versionPattern('pypi', text, 'with its builds')
    assert.equal(coversVersion(pattern, ecosystems.pypi.orderKey('1.0+cu118')), true, text)
    assert.equal(coversVersion(pattern, ecosystems.pypi.orderKey('1.0.post1')), false, text)
  }
})

test('what an earlier release stored without understanding it is about that spelling alone', () => {
  const pattern = versionPattern('npm', '^1.2.3')
  assert.equal(coversVersion(pattern, ecosystems.npm.orderKey('^1.2.3')), true)
  assert.equal(coversVersion(pattern, ecosystems.npm.orderKey('1.2.3')), false)
})
