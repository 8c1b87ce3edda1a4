import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatSearch, matchPath, type Pair, parseSearch, pathPart, withValues } from './address.ts'
import { onward } from './onward.ts'

const pairs = fc.array(fc.tuple(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ unit: 'grapheme' })))

test('pairs → address → pairs, whatever they are', () => {
  fc.assert(fc.property(pairs, (given) => assert.deepEqual(parseSearch(formatSearch(given as Pair[])), given)))
})

test('an address is readable', () => {
  assert.equal(
    formatSearch([
      ['sev', 'high'],
      ['repo', 'shop/web'],
      ['text', 'a b'],
    ]),
    '?sev=high&repo=shop/web&text=a+b',
  )
})

test('broken escapes are taken as they stand', () => {
  assert.deepEqual(parseSearch('?a=%zz&=x&b'), [
    ['a', '%zz'],
    ['', 'x'],
    ['b', ''],
  ])
})

test('values are replaced where they stood', () => {
  const given: Pair[] = [
    ['a', '1'],
    ['b', '2'],
    ['a', '3'],
    ['c', '4'],
  ]
  assert.deepEqual(withValues(given, 'a', ['5']), [
    ['a', '5'],
    ['b', '2'],
    ['c', '4'],
  ])
  assert.deepEqual(withValues(given, 'b', []), [
    ['a', '1'],
    ['a', '3'],
    ['c', '4'],
  ])
  assert.deepEqual(withValues(given, 'd', ['6']), [...given, ['d', '6']])
})

test('paths match their pattern and nothing else', () => {
  assert.deepEqual(matchPath('findings/:id?', 'findings'), {})
  assert.deepEqual(matchPath('findings/:id?', 'findings/7'), { id: '7' })
  assert.equal(matchPath('findings/:id?', 'findings/7/8'), undefined)
  assert.deepEqual(matchPath('packages/:ecosystem/*name', 'packages/npm/@scope/name'), {
    ecosystem: 'npm',
    name: '@scope/name',
  })
  assert.equal(matchPath('packages/:ecosystem/*name', 'packages/npm'), undefined)
})

test('a part of a path comes back, whatever it is', () => {
  const whole = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !['.', '..'].includes(text))
  fc.assert(fc.property(whole, (text) => assert.deepEqual(matchPath('x/:id', `x/${pathPart(text)}`), { id: text })))
})

test('after the sign-in nothing leads out of the console', () => {
  for (const fine of [
    '/d/shop/findings?sev=high',
    '/me',
    '/chat/callback?code=1',
    '/device?deployment=1',
    '/refused?ecosystem=npm&package=left-pad@1.3.0',
    '/authorize?client_id=x&redirect_uri=https%3A%2F%2Fa.example',
  ]) {
    assert.equal(onward(fine), fine)
  }
  for (const bad of [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '/d/\\evil',
    'javascript:alert(1)',
    '/api/x',
    '/authorized',
    '',
    undefined,
  ]) {
    assert.equal(onward(bad), undefined, String(bad))
  }
})
