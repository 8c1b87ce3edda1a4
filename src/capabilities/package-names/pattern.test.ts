import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClaimedEcosystem } from './contract.ts'
import { nameKey, readPattern, strengthOf } from './pattern.ts'

const read: [ecosystem: ClaimedEcosystem, sent: string, pattern: string | undefined][] = [
  ['npm', 'company-lib', 'company-lib'],
  ['npm', 'Company-*', 'company-*'],
  ['npm', '@Scope/*', '@scope/*'],
  ['npm', '@scope/inner-*', '@scope/inner-*'],
  ['npm', '*', undefined],
  ['npm', 'co*', undefined],
  ['npm', '@scope', undefined],
  ['npm', 'a*b', undefined],
  ['npm', 'company-**', undefined],
  ['npm', '../company', undefined],
  ['npm', 'a/b/c', undefined],
  ['pypi', 'Company_Thing', 'company-thing'],
  ['pypi', 'Company.*', 'company-*'],
  ['pypi', '@scope/*', undefined],
  ['pypi', '*', undefined],
  ['maven', 'com.Company', 'com.company'],
  ['maven', 'com.company.*', 'com.company.*'],
  ['maven', 'com.company:lib', 'com.company:lib'],
  ['maven', 'com.company:lib-*', 'com.company:lib-*'],
  ['maven', 'com.company*', undefined],
  ['maven', 'com.*.company', undefined],
  ['maven', '*', undefined],
  ['maven', 'com..company', undefined],
  ['maven', 'com/company', undefined],
  ['cargo', 'Company_Lib', 'company-lib'],
  ['cargo', 'company_*', 'company-*'],
  ['cargo', 'co*', undefined],
  ['cargo', 'a/b', undefined],
  ['gomod', 'Git.Company.example/lib', 'git.company.example/lib'],
  ['gomod', 'git.company.example/*', 'git.company.example/*'],
  ['gomod', 'git.company.example/team/lib*', 'git.company.example/team/lib*'],
  ['gomod', '*', undefined],
  ['gomod', 'git.company.example//x', undefined],
  ['gomod', '../x', undefined],
  ['gomod', 'a*b', undefined],
]

for (const [ecosystem, sent, pattern] of read) {
  test(`${ecosystem} ${sent}: ${pattern ?? 'refused'}`, () => {
    const found = readPattern(ecosystem, sent)
    assert.deepEqual('pattern' in found ? found.pattern : undefined, pattern)
  })
}

const matched: [ecosystem: ClaimedEcosystem, pattern: string, name: string, isMatch: boolean][] = [
  ['npm', 'company-lib', 'company-lib', true],
  ['npm', 'company-lib', 'Company-Lib', true],
  ['npm', 'company-lib', 'company-lib2', false],
  ['npm', 'company-*', 'company-anything', true],
  ['npm', 'company-*', 'companyx', false],
  ['npm', '@scope/*', '@scope/a', true],
  ['npm', '@scope/*', '@SCOPE/a', true],
  ['npm', '@scope/*', '@scope2/a', false],
  ['maven', 'com.company', 'com.company:lib', true],
  ['maven', 'com.company', 'com.company.deep:lib', false],
  ['maven', 'com.company.*', 'com.company:lib', true],
  ['maven', 'com.company.*', 'com.company.deep:lib', true],
  ['maven', 'com.company.*', 'com.companyx:lib', false],
  ['maven', 'com.company.*', 'com:company', false],
  ['maven', 'com.company:lib', 'com.company:lib', true],
  ['maven', 'com.company:lib', 'com.company:lib2', false],
  ['maven', 'com.company:lib-*', 'com.company:lib-core', true],
  ['cargo', 'company-lib', 'company_lib', true],
  ['cargo', 'company-*', 'Company_core', true],
  ['cargo', 'company-*', 'companyx', false],
  ['gomod', 'git.company.example/*', 'git.company.example/Team/lib', true],
  ['gomod', 'git.company.example/*', 'git.company.example.evil/lib', false],
  ['gomod', 'git.company.example/lib', 'git.company.example/lib/v2', false],
]

for (const [ecosystem, pattern, name, isMatch] of matched) {
  test(`${pattern} ${isMatch ? 'is' : 'is not'} about ${name}`, () => {
    assert.equal(strengthOf({ ecosystem, pattern }, nameKey(ecosystem, name)) > 0, isMatch)
  })
}

test('what says more of a name counts before what says less', () => {
  const ranked = ['com.company:lib', 'com.company:lib-*', 'com.company.*', 'com.*']
  const strengths = (name: string) => ranked.map((pattern) => strengthOf({ ecosystem: 'maven', pattern }, name))
  const [exact, , wide, widest] = strengths('com.company:lib')
  assert.ok(exact! > wide! && wide! > widest! && widest! > 0)
})
