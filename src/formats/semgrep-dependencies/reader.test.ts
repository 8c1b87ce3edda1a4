import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recogniseFormat } from '../registry.ts'
import { semgrepDependencies } from './reader.ts'

const entry = (name: string, version: string, more: object = {}) => ({
  package: name,
  version,
  ecosystem: 'npm',
  allowed_hashes: {},
  transitivity: 'transitive',
  ...more,
})
const read = (list: unknown[]) => semgrepDependencies.read([Buffer.from(JSON.stringify(list))], 'package-lock.json')

test('a list is recognised under the name of the lockfile that it is of', () => {
  const list = Buffer.from(JSON.stringify([entry('a', '1.0.0')]))
  assert.equal(recogniseFormat(list, 'package-lock.json')?.id, 'semgrep-dependencies')
  assert.equal(semgrepDependencies.recognises(Buffer.from('[{"package": "a"}]'), ''), false)
})

test('packages, what they need and where they stand', () => {
  const { items, problems } = read([
    entry('a', '1.0.0', { transitivity: 'direct', line_number: 7, children: [{ package: 'b', version: '2.0.0' }] }),
    entry('b', '2.0.0', { resolved_url: 'https://user:secret@registry.example.com/b.tgz' }),
  ])
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ name, version, transitivity, line, dependsOn }) => [name, version, transitivity, line, dependsOn]),
    [
      ['a', '1.0.0', 'DIRECT', 7, ['b@2.0.0']],
      ['b', '2.0.0', 'TRANSITIVE', 0, []],
    ],
  )
  assert.equal(items[1]!.resolved, 'https://registry.example.com/b.tgz')
})

test('versions as we write them: Go with its letter, and a range is none', () => {
  const { items } = read([
    entry('example.com/m', '1.2.3', { ecosystem: 'gomod' }),
    entry('requests', '>=2.0', { ecosystem: 'pypi' }),
    entry('phoenix', '1.7.0', { ecosystem: 'mix' }),
  ])
  assert.deepEqual(
    items.map(({ ecosystem, version }) => `${ecosystem} ${version}`),
    ['gomod v1.2.3', 'pypi ', 'hex 1.7.0'],
  )
})

test('what several modules have is listed as often, each under its own key', () => {
  const { items } = read([
    entry('a', '1'),
    entry('a', '1'),
    entry('b', '1', { children: [{ package: 'a', version: '1' }] }),
  ])
  assert.deepEqual(
    items.map(({ key }) => key),
    ['a@1', 'a@1#1', 'b@1'],
  )
})

test('an ecosystem that we do not know is a problem of its entry', () => {
  const { items, problems } = read([entry('a', '1', { ecosystem: 'opam' }), entry('b', '1'), null])
  assert.deepEqual([items.length, problems.map(({ code }) => code)], [1, ['bad-entry', 'bad-entry']])
})
