import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkTarget, readLinks, standings } from './links.ts'
import { requirements } from './reader.ts'

const targets: [path: string, written: string, target: string | undefined][] = [
  ['requirements.txt', 'base.txt', 'base.txt'],
  ['requirements/dev.txt', './base.txt', 'requirements/base.txt'],
  ['requirements/dev.txt', '../pins/c.txt', 'pins/c.txt'],
  ['requirements/dev.txt', 'ci\\lint.txt', 'requirements/ci/lint.txt'],
  ['requirements/dev.txt', '../../c.txt', undefined],
  ['requirements.txt', '/etc/passwd', undefined],
  ['requirements.txt', '~/c.txt', undefined],
  ['requirements.txt', 'C:\\c.txt', undefined],
  ['requirements.txt', 'https://x.example/c.txt', undefined],
  ['requirements.txt', 'file:///c.txt', undefined],
  ['requirements.txt', '${HOME}/c.txt', undefined],
  ['requirements.txt', '.', undefined],
]
for (const [path, written, target] of targets) {
  test(`${path} means ${target ?? 'nothing here'} by ${written}`, () => assert.equal(linkTarget(path, written), target))
}

function readAll(files: Record<string, string>) {
  const links = new Map(Object.entries(files).map(([path, text]) => [path, readLinks(text)]))
  const among = standings(links, (path) => path in files)
  return Object.entries(files).map(([path, text]) => {
    const { items, problems } = requirements.read([Buffer.from(text)], path, { requirements: among.get(path) })
    return [path, ...items.map(({ key }) => key), ...problems.map(({ code }) => code)].join(' ')
  })
}

test('what is included is read by itself, and constraints give the versions that are left open', () => {
  const read = readAll({
    'requirements.txt':
      '-r requirements/base.txt\n-r gone.txt\n-c pins.txt\nFlask\nrequests>=2\npinned==3\nurl @ https://x.example/u.zip\n',
    'requirements/base.txt': 'django\n',
    'pins.txt': 'flask==2.0\nunused==1\nurl==9\n-c more.txt\npinned==4\n',
    'more.txt': 'requests == 2.31.0\nflask==1.0\n-c pins.txt\n',
  })
  assert.deepEqual(read, [
    'requirements.txt Flask@2.0 requests@2.31.0 pinned@3 url@ include-not-read',
    'requirements/base.txt django@',
    'pins.txt',
    'more.txt',
  ])
})

test('constraints that nobody names, or that are included too, are a list like any other', () => {
  assert.deepEqual(readAll({ 'constraints.txt': 'a==1\n' }), ['constraints.txt a@1'])
  assert.deepEqual(readAll({ 'r.txt': '-r c.txt\n-c c.txt\n', 'c.txt': 'a==1\n' }), ['r.txt', 'c.txt a@1'])
})

test('files that include each other in a circle', () => {
  assert.deepEqual(readAll({ 'a.txt': '-r b.txt\n-c b.txt\na\n', 'b.txt': '-r a.txt\nb==1\na==2\n' }), [
    'a.txt a@2',
    'b.txt b@1 a@2',
  ])
})
