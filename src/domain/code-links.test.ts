import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linksTo, templatesFor, wrongAddress, wrongTemplate } from './code-links.ts'

const place = { path: 'src/a b/#x.js', line: 7, commit: 'abc1', ref: 'main', pullRequest: 3 }

test('known hosts need no template', () => {
  const cases: [webUrl: string, file: string, commit: string, pullRequest: string][] = [
    [
      'https://github.com/shop/web/',
      'https://github.com/shop/web/blob/abc1/src/a%20b/%23x.js#L7',
      'https://github.com/shop/web/commit/abc1',
      'https://github.com/shop/web/pull/3',
    ],
    [
      'https://gitlab.example.com/shop/web',
      'https://gitlab.example.com/shop/web/-/blob/abc1/src/a%20b/%23x.js#L7',
      'https://gitlab.example.com/shop/web/-/commit/abc1',
      'https://gitlab.example.com/shop/web/-/merge_requests/3',
    ],
    [
      'https://bitbucket.org/shop/web',
      'https://bitbucket.org/shop/web/src/abc1/src/a%20b/%23x.js#lines-7',
      'https://bitbucket.org/shop/web/commits/abc1',
      'https://bitbucket.org/shop/web/pull-requests/3',
    ],
    [
      'https://dev.azure.com/o/p/_git/web',
      'https://dev.azure.com/o/p/_git/web?path=/src/a%20b/%23x.js&version=GCabc1&line=7&lineStartColumn=1&lineEndColumn=1&lineEnd=7',
      'https://dev.azure.com/o/p/_git/web/commit/abc1',
      'https://dev.azure.com/o/p/_git/web/pullrequest/3',
    ],
    ['https://code.example.com/web', '', '', ''],
    ['', '', '', ''],
  ]
  for (const [webUrl, file, commit, pullRequest] of cases)
    assert.deepEqual(linksTo(templatesFor(webUrl, {}), place), { file, commit, pullRequest }, webUrl)
})

test('a template goes before what the host is known to do, and what is not known makes no link', () => {
  const templates = templatesFor('https://github.com/a/b', { file: 'https://code.example.com/{ref}/{path}?l={line}' })
  assert.equal(linksTo(templates, place).file, 'https://code.example.com/main/src/a%20b/%23x.js?l=7')
  const bare = linksTo(templates, { ...place, commit: '', pullRequest: 0 })
  assert.deepEqual(bare, { file: 'https://code.example.com/main/src/a%20b/%23x.js?l=7', commit: '', pullRequest: '' })
  for (const path of ['', '../x', 'a/../../x']) assert.equal(linksTo(templates, { ...place, path }).file, '')
})

test('values of scans stay values', () => {
  const templates = templatesFor('https://github.com/a/b', {})
  const hostile = linksTo(templates, { ...place, path: '//evil.example/{line}"><?q#f', commit: '@evil.example/..' })
  assert.equal(new URL(hostile.file).host, 'github.com')
  assert.ok(new URL(hostile.file).pathname.startsWith('/a/b/blob/'))
  assert.equal(new URL(hostile.file).hash, '#L7')
})

test('what a client of another product sent is no file of the repository', () => {
  const templates = templatesFor('https://github.com/a/b', {})
  const place = { line: 1, commit: 'abc', ref: 'main', pullRequest: 0 }
  assert.equal(linksTo(templates, { ...place, path: '@dependency-track/bom.json' }).file, '')
  assert.notEqual(linksTo(templates, { ...place, path: '@types/bom.json' }).file, '')
})

test('only http and https, without credentials, and no value decides the host', () => {
  for (const wrong of [
    'javascript:alert(1)',
    'ftp://x/y',
    '//x/y',
    'x',
    'https://',
    'https://me:pw@x/y',
    'data:text/html,x',
  ])
    assert.ok(wrongAddress(wrong), wrong)
  for (const right of ['', 'https://x/y', 'http://git.local:3000/x']) assert.equal(wrongAddress(right), undefined)
  for (const wrong of [
    'javascript:{path}',
    'https://{path}/x',
    'https://a.{ref}.example/x',
    'https://x:{line}/',
    'https://x/{colour}',
    'https://{commit}@x/',
  ])
    assert.ok(wrongTemplate(wrong), wrong)
  for (const right of ['', 'https://x/{ref}/{path}#{line}', 'http://x?c={commit}&n={number}'])
    assert.equal(wrongTemplate(right), undefined, right)
})
