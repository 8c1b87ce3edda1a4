import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isForeignPath, pathFrom } from '../../domain/sources.ts'
import { ofBestSource } from './sources.ts'

const entry = (source: string, name: string, version = '1.0.0', path = '') => ({
  source,
  path,
  ecosystem: 'npm',
  name,
  version,
})

test('what several sources tell of counts where the best of them has it', () => {
  const entries = [
    entry('dependency-track', 'a'),
    entry('gatehouse', 'a', '1.0.0', 'one'),
    entry('gatehouse', 'a', '1.0.0', 'two'),
    entry('github-snapshot:build/linux', 'b'),
    entry('dependency-track', 'b'),
    entry('dependency-track', 'b', '2.0.0'),
    entry('defectdojo', 'c'),
  ]
  const kept = ofBestSource(entries).map(({ source, name, version, path }) => `${source} ${name} ${version} ${path}`)
  assert.deepEqual(kept, [
    'gatehouse a 1.0.0 one',
    'gatehouse a 1.0.0 two',
    'github-snapshot:build/linux b 1.0.0 ',
    'dependency-track b 2.0.0 ',
    'defectdojo c 1.0.0 ',
  ])
})

test('lists of one kind stand beside each other', () => {
  const entries = [entry('github-snapshot:x', 'a'), entry('github-snapshot:y', 'a')]
  assert.deepEqual(ofBestSource(entries), entries)
})

test('files of other sources have paths that no file of a repository may have', () => {
  assert.equal(pathFrom('gatehouse', 'a/bom.json'), 'a/bom.json')
  for (const path of [pathFrom('dependency-track', 'bom.json'), pathFrom('github-snapshot:x/y', 'package-lock.json')])
    assert.ok(isForeignPath(path), path)
  for (const path of ['semgrep/package-lock.json', '@types/bom.json', '@dependency-tracker/bom.json'])
    assert.ok(!isForeignPath(path), path)
})
