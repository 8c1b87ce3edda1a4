import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findFiles } from './find-files.ts'

function folderWith(t: TestContext, files: Record<string, string>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-find-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  write(folder, files)
  return folder
}

function write(folder: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

function git(folder: string, ...args: string[]): string {
  const config = ['-c', 'core.excludesFile=/dev/null', '-c', 'user.name=x', '-c', 'user.email=x@example.com']
  return execFileSync('git', ['-C', folder, ...config, ...args], { encoding: 'utf8' })
}

const pathsIn = async (folder: string) => (await findFiles(folder)).map(({ path }) => path)

const project = {
  'package-lock.json': '',
  'package.json': '',
  'README.md': '',
  'node_modules/a/package-lock.json': '',
  'services/a/go.mod': '',
  'services/a/go.sum': '',
  'services/a/node_modules/b/yarn.lock': '',
  'services/a/out/bom.json': '',
  'services/b/requirements-dev.txt': '',
  'services/b/.gitignore': '*.lock\n!poetry.lock\n/fixtures/\n',
  'services/b/uv.lock': '',
  'services/b/poetry.lock': '',
  'services/b/fixtures/Gemfile.lock': '',
  'services/b/deep/fixtures/Gemfile.lock': '',
  'services/b/deep/fixtures/.gitignore': '!Gemfile.lock',
  '.gitignore': 'out/\n/private/**\n',
  'private/pom.xml': '',
  'sbom/product.cdx.json': '',
  'local/Cargo.lock': '',
}

test('finds what git would, at every level, and nothing below node_modules', async (t) => {
  const folder = folderWith(t, project)
  git(folder, 'init', '-q')
  writeFileSync(join(folder, '.git/info/exclude'), '/local/\n')
  const found = await pathsIn(folder)
  assert.deepEqual(found, [
    'package-lock.json',
    'sbom/product.cdx.json',
    'services/a/go.mod',
    'services/a/go.sum',
    'services/b/deep/fixtures/Gemfile.lock',
    'services/b/poetry.lock',
    'services/b/requirements-dev.txt',
  ])
  const listed = new Set(git(folder, 'ls-files', '-z', '--others', '--exclude-standard').split('\0'))
  assert.deepEqual(
    found.filter((path) => !listed.has(path)),
    [],
  )
})

test('a part of a checkout keeps its paths in the repository and the rules above it', async (t) => {
  const folder = folderWith(t, project)
  git(folder, 'init', '-q')
  assert.deepEqual(await pathsIn(join(folder, 'services/a')), ['services/a/go.mod', 'services/a/go.sum'])
})

test('outside of a checkout paths begin at the folder', async (t) => {
  const folder = folderWith(t, project)
  assert.deepEqual(await pathsIn(join(folder, 'services/a')), ['go.mod', 'go.sum', 'out/bom.json'])
})

test('in a worktree the excludes of its repository hold', async (t) => {
  const folder = folderWith(t, { 'main/go.sum': '', 'main/local/Cargo.lock': '' })
  const main = join(folder, 'main')
  git(main, 'init', '-q')
  git(main, 'add', '.')
  git(main, 'commit', '-q', '-m', 'x')
  git(main, 'worktree', 'add', '-q', '../other')
  writeFileSync(join(main, '.git/info/exclude'), 'local')
  assert.deepEqual(await pathsIn(join(folder, 'other')), ['go.sum'])
})

test('a .gatehouseignore leaves out more, and takes back what git ignores', async (t) => {
  const folder = folderWith(t, {
    ...project,
    '.gatehouseignore': 'sbom\nrequirements*.txt\n!/services/a/out/\n',
    'services/.gatehouseignore': 'go.mod\n!requirements-dev.txt\n',
  })
  assert.deepEqual(await pathsIn(folder), [
    'local/Cargo.lock',
    'package-lock.json',
    'services/a/go.sum',
    'services/a/out/bom.json',
    'services/b/deep/fixtures/Gemfile.lock',
    'services/b/poetry.lock',
    'services/b/requirements-dev.txt',
  ])
})

test('no symbolic link is followed, neither to files, folders nor rules', async (t) => {
  const outside = folderWith(t, { 'go.sum': '', rules: '*' })
  const folder = folderWith(t, { 'a/go.sum': '' })
  symlinkSync(outside, join(folder, 'b'))
  symlinkSync(join(outside, 'go.sum'), join(folder, 'yarn.lock'))
  symlinkSync(join(outside, 'rules'), join(folder, '.gitignore'))
  symlinkSync('..', join(folder, 'a', 'up'))
  assert.deepEqual(await pathsIn(folder), ['a/go.sum'])
})

test('a folder that is a link itself is looked into', async (t) => {
  const folder = folderWith(t, { 'real/go.sum': '' })
  symlinkSync('real', join(folder, 'link'))
  assert.deepEqual(await pathsIn(join(folder, 'link')), ['go.sum'])
})

test('what is not a folder is a problem', async (t) => {
  const folder = folderWith(t, { 'go.sum': '' })
  await assert.rejects(findFiles(join(folder, 'none')), /There is no folder/)
  await assert.rejects(findFiles(join(folder, 'go.sum')), /is a file; upload it/)
})

const asRoot = process.getuid?.() === 0 ? 'no folder is closed to root' : false
test('a closed folder is a problem, not an empty folder', { skip: asRoot }, async (t) => {
  const folder = folderWith(t, { 'go.sum': '', 'closed/go.sum': '' })
  chmodSync(join(folder, 'closed'), 0)
  await assert.rejects(findFiles(folder), /cannot be read \(EACCES\)/)
  chmodSync(join(folder, 'closed'), 0o700)
})

test('requirements files in a folder of that name, and what -r and -c name, are found', async (t) => {
  const folder = folderWith(t, {
    'requirements/base.txt': 'flask\n',
    'requirements/ci/lint.txt': 'ruff==0.1\n',
    'requirements/README.txt': 'How to pin things: read this first, please.\n',
    'requirements.txt': '-r requirements/base.txt\n-r deps/app.list\n--constraint=pins/all.lst\n',
    'deps/app.list': 'django\n-r ../deps/more.list\n-r ../../outside.txt\n-r /etc/passwd\n-r https://x.example/r.txt\n',
    'deps/more.list': '-r app.list\n-r missing.list\n-r ignored.list\n-r link.list\n-r sub\n-r ../vendor/x.list\n',
    'deps/ignored.list': 'a==1\n',
    'deps/sub/a.txt': '',
    'vendor/x.list': 'a==1\n',
    'pins/all.lst': 'django==4.2\n',
    '.gitignore': 'ignored.list\nvendor/\n',
    'unrelated.list': 'a==1\n',
  })
  symlinkSync(join(folder, 'unrelated.list'), join(folder, 'deps/link.list'))
  writeFileSync(join(folder, '..', 'outside.txt'), 'a==1\n')
  t.after(() => rmSync(join(folder, '..', 'outside.txt'), { force: true }))
  assert.deepEqual(await pathsIn(folder), [
    'deps/app.list',
    'deps/more.list',
    'pins/all.lst',
    'requirements.txt',
    'requirements/base.txt',
    'requirements/ci/lint.txt',
  ])
})

test('what a requirements file names is found outside of the folder that is scanned, but not of the checkout', async (t) => {
  const folder = folderWith(t, {
    'services/a/requirements.txt': '\ufeff-r ../../shared/base.list\n',
    'shared/base.list': 'a==1\n',
  })
  git(folder, 'init', '-q')
  writeFileSync(
    join(folder, 'services/a/requirements.txt'),
    Buffer.from('\ufeff-r ../../shared/base.list\r\n', 'utf16le'),
  )
  assert.deepEqual(await pathsIn(join(folder, 'services/a')), ['services/a/requirements.txt', 'shared/base.list'])
})
