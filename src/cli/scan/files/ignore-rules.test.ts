import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../../../test/depth.ts'
import { isIgnored, parseIgnoreFile } from './ignore-rules.ts'

/** Paths that end in / are folders. */
const tree = [
  'Cargo.lock',
  'a/',
  'a/b/',
  'a/b/c/',
  'a/b/c/go.sum',
  'a/b/go.sum',
  'a/go.sum',
  'a/x/b/',
  'build/',
  'build/bom.json',
  'docs/build/',
  'docs/build/bom.json',
  'docs/build.txt',
  'caf\u00e9/',
  'caf\u00e9/go.sum',
  ' lead',
  'trail ',
  '#hash',
  '!bang',
  'back\\slash',
  'star*',
  '[x]',
  'x',
  '1',
  'Z',
  'a-b',
  '-',
  ']',
  'deep/1/2/3/yarn.lock',
  'deep/1/2/3/',
  'deep/yarn.lock',
]

const ignoreFiles = [
  'go.sum',
  '/go.sum',
  '*.lock\n!Cargo.lock',
  '!Cargo.lock\n*.lock',
  'build/',
  'build',
  '/build/',
  'docs/build',
  'docs/build/*\n!docs/build/bom.json',
  'build/\n!build/bom.json',
  '**/b',
  'a/**/b',
  'a/**',
  '/**',
  '**',
  '*',
  '*\n!*/\n!go.sum',
  '**/go.sum',
  'a/*/c',
  'a/**/c/go.sum',
  'deep/**/3',
  'deep/**yarn.lock',
  'deep/***/yarn.lock',
  '***',
  'a/b**',
  'a**/*',
  '**\\/b',
  'a/x**/b',
  'd?ep**/3',
  '?',
  '??',
  'caf?/',
  'caf??/',
  'caf[\u00e9]\u00e9',
  '[a-z]',
  '[!a-z]',
  '[^a-z]',
  '[[:upper:]]',
  '[[:digit:][:upper:]]',
  '[[:nonsense:]]',
  '[[:upper]',
  '[]]',
  '[!]]',
  '[]-]',
  '[-]',
  '[a',
  '[z-a]',
  '[0-9-Z]',
  'a[/]b',
  'a?b',
  '\\[x\\]',
  '[\\]]',
  '\\#hash',
  '#hash',
  '\\!bang',
  '!bang',
  'back\\\\slash',
  'back\\slash',
  'back\\',
  'star\\*',
  'trail ',
  'trail\\ ',
  'trail\\  ',
  'trail\\\\ ',
  ' lead',
  'x\r\n1\r',
  '\uFEFFx',
  '/',
  '//',
  'a//',
  '!',
  '',
  '\n\n# nothing\n',
  'a/b/',
  'a/b/c/go.sum',
  '/a/b/go.sum/',
  'A',
]

test('ignore files mean what they mean to git', () => {
  const repository = makeTree()
  try {
    for (const text of ignoreFiles) assert.deepEqual(ours(text), gits(repository, text), JSON.stringify(text))
  } finally {
    rmSync(repository, { recursive: true, force: true })
  }
})

test('generated ignore files mean what they mean to git', () => {
  const repository = makeTree()
  const piece = fc.constantFrom('*', '**', '/', '?', 'a', 'b', 'go.sum', 'build', '[a-c]', '[!b]', '!', '\\', ' ', '.')
  const line = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))
  const file = fc.array(line, { minLength: 1, maxLength: 12 }).map((lines) => lines.join('\n'))
  try {
    fc.assert(
      fc.property(file, (text) => assert.deepEqual(ours(text), gits(repository, text))),
      { numRuns: often(150) },
    )
  } finally {
    rmSync(repository, { recursive: true, force: true })
  }
})

test('a pattern made to be slow is not', () => {
  const [rule] = parseIgnoreFile(`${'*a'.repeat(200)}b`)
  assert.equal(rule!.matches('a'.repeat(5_000)), false)
  const [folders] = parseIgnoreFile(`${'**/a/'.repeat(200)}b`)
  assert.equal(folders!.matches('a/'.repeat(2_500)), false)
})

test('the rules of a deeper file outrank those above it', () => {
  const files = [
    { folder: '', rules: parseIgnoreFile('*.sum\n/a/only-top') },
    { folder: 'a', rules: parseIgnoreFile('!go.sum\n/b') },
  ]
  const cases: [path: string, ignored: boolean | undefined][] = [
    ['a/go.sum', false],
    ['a/c/go.sum', false],
    ['a/other.sum', true],
    ['a/b', true],
    ['a/a/b', undefined],
    ['a/only-top', true],
  ]
  for (const [path, ignored] of cases) assert.equal(isIgnored(files, path, false), ignored, path)
})

function makeTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-ignore-'))
  execFileSync('git', ['init', '-q'], { cwd: folder })
  for (const path of tree) {
    const place = join(folder, path)
    mkdirSync(path.endsWith('/') ? place : dirname(place), { recursive: true })
    if (!path.endsWith('/')) writeFileSync(place, '')
  }
  return folder
}

/** What git ignores of the tree, by itself or with a folder above it. */
function gits(repository: string, text: string): string[] {
  writeFileSync(join(repository, '.gitignore'), text)
  const { stdout, status } = spawnSync(
    'git',
    ['-c', 'core.excludesFile=/dev/null', 'check-ignore', '-z', '--no-index', '--stdin'],
    { cwd: repository, input: tree.map((path) => `${path.replace(/\/$/, '')}\0`).join(''), encoding: 'utf8' },
  )
  assert.ok(status === 0 || status === 1)
  const ignored = new Set(stdout.split('\0'))
  return tree.filter((path) => ignored.has(path.replace(/\/$/, '')))
}

function ours(text: string): string[] {
  const files = [{ folder: '', rules: parseIgnoreFile(text) }]
  return tree.filter((path) => {
    const parts = path.replace(/\/$/, '').split('/')
    return parts.some((_, index) => {
      const isFolder = index < parts.length - 1 || path.endsWith('/')
      return isIgnored(files, parts.slice(0, index + 1).join('/'), isFolder)
    })
  })
}
