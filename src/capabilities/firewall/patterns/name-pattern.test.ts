import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { coversName, namePattern, namesCovering, readNamePattern } from './name-pattern.ts'

const read: [ecosystem: EcosystemId, sent: string, name: string | undefined][] = [
  ['npm', 'left-pad', 'left-pad'],
  ['npm', ' left-pad ', 'left-pad'],
  ['npm', 'JSONStream', 'JSONStream'],
  ['npm', '@evil/thing', '@evil/thing'],
  ['npm', '@evil/*', '@evil/*'],
  ['npm', '@evil/lib-*', '@evil/lib-*'],
  ['npm', '@evil*', '@evil*'],
  ['npm', 'evil-*', 'evil-*'],
  ['npm', '*', '*'],
  ['npm', '@evil', undefined],
  ['npm', '@evil/', undefined],
  ['npm', 'a*b', undefined],
  ['npm', '*-evil', undefined],
  ['npm', 'evil-**', undefined],
  ['npm', 'a/b', undefined],
  ['npm', 'left-pad@1.0.0', undefined],
  ['npm', 'two words', undefined],
  ['pypi', 'Evil_Thing', 'evil-thing'],
  ['pypi', 'Evil_*', 'evil-*'],
  ['pypi', '@evil/*', undefined],
  ['pypi', 'evil?', undefined],
  ['maven', 'com.evil:lib', 'com.evil:lib'],
  ['maven', 'com.evil/lib', 'com.evil:lib'],
  ['maven', 'com.evil:lib-*', 'com.evil:lib-*'],
  ['maven', 'com.evil:*', 'com.evil:*'],
  ['maven', 'com.evil', 'com.evil:*'],
  ['maven', 'com.evil.*', 'com.evil.*'],
  ['maven', 'com.evil*', undefined],
  ['maven', 'com.*.evil', undefined],
  ['maven', 'com.evil:lib:1.0', undefined],
  ['maven', ':lib', undefined],
  ['gomod', 'github.com/evil/*', 'github.com/evil/*'],
  ['gomod', 'github.com/*/evil', undefined],
]

for (const [ecosystem, sent, name] of read) {
  test(`${ecosystem} '${sent}' is ${name ?? 'not understood'}`, () => {
    const found = readNamePattern(ecosystem, sent)
    assert.equal('name' in found ? found.name : undefined, name)
    if ('problem' in found) assert.match(found.problem, /^must be/)
  })
}

const covered: [ecosystem: EcosystemId, pattern: string, name: string, isCovered: boolean][] = [
  ['npm', '@evil/*', '@evil/a', true],
  ['npm', '@evil/*', '@evil2/a', false],
  ['npm', '@evil/*', 'evil', false],
  ['npm', 'evil-*', 'evil-a', true],
  ['npm', 'evil-*', 'evil', false],
  ['npm', '*', 'anything', true],
  ['npm', 'evil', 'evil', true],
  ['npm', 'evil', 'evil2', false],
  ['maven', 'com.evil:*', 'com.evil:lib', true],
  ['maven', 'com.evil:*', 'com.evil.deep:lib', false],
  ['maven', 'com.evil.*', 'com.evil:lib', true],
  ['maven', 'com.evil.*', 'com.evil.deep:lib', true],
  ['maven', 'com.evil.*', 'com.evilx:lib', false],
]

for (const [ecosystem, pattern, name, isCovered] of covered) {
  test(`${ecosystem} ${pattern} is ${isCovered ? '' : 'not '}about ${name}`, () => {
    assert.equal(coversName(namePattern(ecosystem, pattern), name), isCovered)
    assert.equal(namesCovering(ecosystem, name).includes(pattern), isCovered)
  })
}
