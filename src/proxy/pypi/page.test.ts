import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageTypeFor, pageTypes, renderPage } from './page.ts'
import { type Project, readProject } from './project.ts'

const pip = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01'

const accepts: [accept: string | undefined, type: string][] = [
  [pip, pageTypes.json],
  ['application/vnd.pypi.simple.latest+json', pageTypes.json],
  ['application/vnd.pypi.simple.v1+html, text/html; q=0.5', pageTypes.html],
  ['text/html, application/vnd.pypi.simple.v1+json; q=0.1', pageTypes.plain],
  ['application/vnd.pypi.simple.v1+json; q=0, text/html', pageTypes.plain],
  ['*/*', pageTypes.plain],
  ['', pageTypes.plain],
  [undefined, pageTypes.plain],
]

for (const [accept, type] of accepts) {
  test(`'${accept}' gets ${type}`, () => assert.equal(pageTypeFor(accept), type))
}

const page = 'https://index.example/simple/left-pad/'
const hash = 'a'.repeat(64)
const document = {
  meta: { 'api-version': '1.1' },
  name: 'left-pad',
  files: [
    {
      filename: 'left_pad-1.0-py3-none-any.whl',
      url: '../../files/left_pad-1.0-py3-none-any.whl',
      hashes: { sha256: hash },
      'requires-python': '>=3.8,<4',
      'core-metadata': { sha256: hash },
      yanked: 'has "bugs" & <more>',
      size: 10,
      'upload-time': '2020-01-01T00:00:00.000Z',
    },
    { filename: 'left_pad-1.1.tar.gz', url: 'https://files.example/x.tar.gz', hashes: { sha256: hash }, size: 11 },
    { filename: 'something-else.txt', url: 'x', hashes: {} },
  ],
}

const read = (body: unknown, type = pageTypes.json) =>
  readProject(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), type, 'left-pad', page)

const shown = (project: Project) =>
  [...project.files.values()].map((file) => ({ file, url: file.url, yanked: file.yanked }))

test('a page that is read, written and read again stays what it was, in both forms', () => {
  const project = read(document)
  assert.deepEqual([...project.files.keys()], ['left_pad-1.0-py3-none-any.whl', 'left_pad-1.1.tar.gz'])
  assert.equal(
    project.files.get('left_pad-1.0-py3-none-any.whl')?.url,
    'https://index.example/files/left_pad-1.0-py3-none-any.whl',
  )
  assert.deepEqual(read(renderPage('left-pad', shown(project), 'json')), project)
  const throughHtml = read(renderPage('left-pad', shown(project), 'html'), 'text/html')
  const bare = (one: Project) =>
    [...one.files.values()].map((file) => ({ ...file, size: undefined, uploadedAt: undefined }))
  assert.deepEqual(bare(throughHtml), bare(project))
})

test('JSON names metadata by its present name alone, because pip 22.3 to 23.0 breaks down over the former one', () => {
  const [file] = JSON.parse(renderPage('left-pad', shown(read(document)), 'json')).files
  assert.deepEqual([file['core-metadata'], file['dist-info-metadata']], [{ sha256: hash }, undefined])
})

test('metadata that comes without a hash is not promised on', () => {
  const [first] = document.files
  const project = read({ ...document, files: [{ ...first, 'core-metadata': true }] })
  assert.equal(project.files.get('left_pad-1.0-py3-none-any.whl')?.metadata, undefined)
})

const unreadable: [what: string, body: unknown, type: string][] = [
  ['no JSON', '<html></html>', pageTypes.json],
  ['JSON cut off', '{"files": [', pageTypes.json],
  ['another version of the interface', { ...document, meta: { 'api-version': '2.0' } }, pageTypes.json],
  ['no files', { meta: { 'api-version': '1.0' } }, pageTypes.json],
  ['a page to sign in', '<html><a href="/login">Sign in</a></html>', 'text/html'],
  ['plain text', 'nothing here', 'text/plain'],
  ['the beginning of a link', '<a', 'text/html'],
  ['a page cut off', '<!DOCTYPE html><html><body><a href="left_pad-1.0.tar.gz">left_pad-1.0.tar.gz</a>', 'text/html'],
]

for (const [what, body, type] of unreadable) {
  test(`${what} is refused`, () => assert.throws(() => read(body, type), { code: 'bad_upstream' }))
}
