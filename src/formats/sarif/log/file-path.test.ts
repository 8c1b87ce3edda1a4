import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { below, join, toPath } from './file-path.ts'

test('URIs and paths of all kinds become plain paths', () => {
  const table: Record<string, string> = {
    'src/a.c': 'src/a.c',
    './src//a.c': 'src/a.c',
    'src/../lib/a.c': 'lib/a.c',
    '../a.c': '../a.c',
    'src\\win\\a.c': 'src/win/a.c',
    'a%20b/%C3%A9.js': 'a b/é.js',
    '100%.txt': '100%.txt',
    'a%2Fb.c': 'a%2Fb.c',
    'a%00b.c': 'a%00b.c',
    'c#/x?.cs': 'c#/x?.cs',
    'file:///home/me/a.c': '/home/me/a.c',
    'file:////src/a.c': '/src/a.c',
    'file:/src/a.c': '/src/a.c',
    'file://localhost/src/a.c': '/src/a.c',
    'file:///C:/code/a.c': 'C:/code/a.c',
    'file://C:/code/a.c': 'C:/code/a.c',
    'FILE:///C:/code/a.c': 'C:/code/a.c',
    'C:\\code\\a.c': 'C:/code/a.c',
    'file://server/share/a.c': '//server/share/a.c',
    '\\\\server\\share\\a.c': '//server/share/a.c',
    '/../../etc/passwd': '/etc/passwd',
    'https://example.com/a%20b/../c': 'https://example.com/a%20b/../c',
    'alpine:3.10': 'alpine:3.10',
    '.': '.',
    './': '.',
    '': '',
  }
  for (const [uri, path] of Object.entries(table)) assert.equal(toPath(uri), path, uri)
})

test('a path is seen from a folder that holds it, and from no other', () => {
  assert.equal(below('/code/', '/code/src/a.c'), 'src/a.c')
  assert.equal(below('/code', '/code/src/a.c'), 'src/a.c')
  assert.equal(below('/code', '/code'), '.')
  assert.equal(below('/code', '/codebase/a.c'), undefined)
  assert.equal(below('C:/Code', 'c:/code/a.c'), 'a.c')
  assert.equal(below('/', '/a.c'), 'a.c')
})

test('a tidy path stays as it is', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b c', '..', '.', '', 'é'), { maxLength: 8 }), (segments) => {
      const path = join('', toPath(segments.join('/')))
      assert.equal(toPath(path), path)
    }),
  )
})
