import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../../../test/clients/command-line.ts'
import { referencesPast } from '../../formats/registry-references/registry-references.ts'
import { usesFirewall } from './registry-references.ts'

const firewall = 'https://g.example/firewall/'
const cases: [what: string, path: string, text: string, hosts: string[]][] = [
  [
    'npm replaces its own host',
    'package-lock.json',
    '    "resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz",',
    [],
  ],
  ['npm and another registry', 'web/package-lock.json', '  "resolved": "https://npm.example/a.tgz",', ['npm.example']],
  ['npm through us', 'package-lock.json', '  "resolved": "https://g.example/firewall/1/npm/a/-/a-1.0.0.tgz"', []],
  [
    'npm and a host that begins like ours',
    'package-lock.json',
    '"resolved": "https://g.example.evil/firewall/1/npm/a"',
    ['g.example.evil'],
  ],
  [
    'Yarn 1',
    'yarn.lock',
    'a@^1:\n  version "1.0.0"\n  resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#12"',
    ['registry.yarnpkg.com'],
  ],
  ['Yarn 1 through us', 'yarn.lock', '  resolved "https://g.example/firewall/1/npm/a/-/a-1.0.0.tgz#12"', []],
  ['Yarn 4', 'yarn.lock', '  resolution: "a@npm:1.0.0"', []],
  [
    'pnpm',
    'pnpm-lock.yaml',
    '    resolution: {integrity: sha512-x, tarball: https://npm.example/a.tgz}',
    ['npm.example'],
  ],
  ['bun', 'bun.lock', '    "a": ["a@1.0.0", "https://npm.example/a.tgz", {}, "sha512-x"],', ['npm.example']],
  [
    'Deno, files and packages of JSR',
    'deno.lock',
    `{"version": "5", "jsr": {"@std/assert@1.0.0": {}}, "remote": {"https://deno.example/x.ts": "0"},
"npm": {"a@1.0.0": {"tarball": "https://npm.example/a.tgz"}, "b@1.0.0": {"tarball": "https://g.example/firewall/1/npm/b.tgz"}}}`,
    ['npm.example', 'deno.example', 'jsr.io'],
  ],
  ['Deno 1, packages of JSR', 'deno.lock', '{"version": "3", "packages": {"jsr": {"@s/a@1.0.0": {}}}}', ['jsr.io']],
  [
    'uv',
    'uv.lock',
    'source = { registry = "https://pypi.org/simple" }\nsdist = { url = "https://files.pythonhosted.org/a.tar.gz" }',
    ['pypi.org', 'files.pythonhosted.org'],
  ],
  ['uv through us', 'uv.lock', 'source = { registry = "https://g.example/firewall/1/pypi/simple/" }', []],
  ['poetry', 'poetry.lock', '[package.source]\ntype = "legacy"\nurl = "https://pypi.example/simple"', ['pypi.example']],
  ['Pipenv', 'Pipfile.lock', '            {\n                "url": "https://pypi.org/simple",', ['pypi.org']],
  [
    'Pipenv through us, with the place of the token',
    'Pipfile.lock',
    '"url": "https://__token__:${GATEHOUSE_TOKEN}@g.example/firewall/1/pypi/simple/"',
    [],
  ],
  [
    'an extra index',
    'requirements.txt',
    '--extra-index-url https://user:secret@pypi.example/simple\nsix==1.16',
    ['pypi.example'],
  ],
  ['an address in place of a version', 'requirements.txt', 'six @ https://files.example/six.whl', ['files.example']],
  [
    'Cargo replaces crates.io',
    'Cargo.lock',
    'source = "registry+https://github.com/rust-lang/crates.io-index"\nsource = "sparse+https://index.crates.io/"',
    [],
  ],
  [
    'Cargo and another registry, and git',
    'Cargo.lock',
    'source = "sparse+https://cargo.example/index/"\nsource = "git+https://github.com/a/b?rev=1#12"\nsource = "registry+https://github.com/rust-lang/crates.io-index2"',
    ['cargo.example', 'github.com'],
  ],
  [
    'npm on one line',
    'package-lock.json',
    '{"packages":{"node_modules/a":{"version":"1.0.0","resolved":"https://npm.example/a.tgz","funding":"https://fund.example"}}}',
    ['npm.example'],
  ],
  [
    'npm with escapes and odd spaces',
    'npm-shrinkwrap.json',
    String.raw`{"dependencies":{"a":{"resolved" :
      "https:\/\/npm.example\/a.tgz"},"b":{"res\u006flved":"\u0068ttps://b.example/b.tgz"}}}`,
    ['npm.example', 'b.example'],
  ],
  [
    'npm with a merge conflict',
    'package-lock.json',
    '<<<<<<< a\n{"resolved":"https://npm.example/a.tgz"}',
    ['npm.example'],
  ],
  [
    'npm with an address for a version',
    'package-lock.json',
    '{"dependencies":{"a":{"version":"https://npm.example/a.tgz"}}}',
    ['npm.example'],
  ],
  [
    'npm on a long line',
    'package-lock.json',
    `{"x":"${'y'.repeat(30_000)}","a":{"resolved":"https://npm.example/a.tgz"}}`,
    ['npm.example'],
  ],
  [
    'Yarn 1, quoted, with a colon, escaped and continued',
    'yarn.lock',
    String.raw`a@1:
  "resolved" "https:\/\/a.example/a.tgz"
b@1:
  resolved: https://b.example/b.tgz
c@1:
    resolved   "https://\
    c.example/c.tgz"`,
    ['a.example', 'b.example', 'c.example'],
  ],
  [
    'Yarn 4 and another registry',
    'yarn.lock',
    '"a@npm:1":\n  resolution: "a@npm:1.0.0::__archiveUrl=https%3A%2F%2Fnpm.example%2Fa.tgz"\n"b@https://b.example/b":\n  resolution: "b@https://b.example/b"',
    ['npm.example', 'b.example'],
  ],
  [
    'pnpm in other layouts',
    'pnpm-lock.yaml',
    String.raw`packages:
  a@1:
    resolution: {'tarball': 'https://a.example/a.tgz'}
  b@1: {resolution: {tarball: "https:\/\/b.example/b.tgz"}}
  c@1:
    deprecated: https://c.example
    resolution:
      tarball:
        https://d.example/d.tgz`,
    ['a.example', 'b.example', 'd.example'],
  ],
  [
    'pnpm with an alias',
    'pnpm-lock.yaml',
    'x: &a https://npm.example/a.tgz\npackages:\n  a@1: {resolution: {tarball: *a}}',
    ['npm.example'],
  ],
  [
    'bun on one line, with a comment and an address for a version',
    'bun.lock',
    String.raw`{"packages":{"a":["a@1.0.0","https://a.example/a.tgz",{}],/* b */"b":["b@https:\/\/b.example/b.tgz",{},],}}`,
    ['a.example', 'b.example'],
  ],
  [
    'uv, written otherwise',
    'uv.lock',
    String.raw`[[package]]
source={registry='https://a.example/simple'}
sdist.url="\u0068ttps://b.example/b.tar.gz"
wheels = [
  {"url" = '''https://c.example/c.whl'''},
]`,
    ['a.example', 'b.example', 'c.example'],
  ],
  [
    'Cargo, written otherwise',
    'Cargo.lock',
    "[[package]]\n  'source'='registry+https://cargo.example/index'",
    ['cargo.example'],
  ],
  [
    'Pipenv on one line, and a file',
    'Pipfile.lock',
    '{"_meta":{"sources":[{"url":"https://pypi.example/simple"}]},"default":{"a":{"file":"https://files.example/a.whl"}}}',
    ['pypi.example', 'files.example'],
  ],
  [
    'options that pip takes in other ways',
    'requirements.txt',
    String.raw`--extra-index "https://a.example/simple" -fhttps://b.example/
-i \
  https://c.example/simple
https://d.example/d.whl
six @ git+https://e.example/six # https://f.example`,
    ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'],
  ],
  ['text that is not requirements', 'notes.txt', 'See https://six.example for more.', []],
  ['a comment', 'requirements.txt', '# see https://six.example', []],
]
for (const [what, path, text, hosts] of cases) {
  test(`what points past the firewall: ${what}`, () => {
    const found = referencesPast(path, text, firewall)
    assert.deepEqual(
      found.map(({ host }) => host),
      hosts,
    )
    assert.ok(!JSON.stringify(found).includes('secret'))
  })
}

const hostile: [what: string, path: string, text: string][] = [
  ['lines that go on', 'yarn.lock', 'a\\\n'.repeat(300_000)],
  ['blanks', 'requirements.txt', `a${' '.repeat(300_000)}b`],
  ['comments', 'requirements.txt', `${' #'.repeat(300_000)}\u2028`],
  [
    'hosts',
    'package-lock.json',
    JSON.stringify(Array.from({ length: 50_000 }, (_, at) => ({ resolved: `https://h${at}/` }))),
  ],
]
for (const [what, path, text] of hostile) {
  test(`what points past the firewall is found in time that grows with the file: ${what}`, { timeout: 20_000 }, () => {
    const begun = process.cpuUsage()
    referencesPast(path, text, firewall)
    assert.ok(process.cpuUsage(begun).user < 5_000_000)
  })
}

test('firewall lockfile names each file, line and host, and ends with 1', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-past-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const run = (more: string[] = []) =>
    runCommand(['firewall', 'lockfile', ...more], { cwd: folder, env: { GATEHOUSE_URL: 'https://g.example' } })
  put('package-lock.json', '{}')
  assert.deepEqual([(await run()).code, usesFirewall(folder, [], firewall)], [0, false])
  put('.npmrc', `registry=${firewall}1/npm/`)
  assert.ok(usesFirewall(folder, [], firewall))
  const line = '  resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#12"'
  put('web/yarn.lock', `# yarn lockfile v1\n\na@1:\n${line}\nb@1:\n${line}\n`)
  const { code, stdout } = await run()
  assert.equal(code, 1)
  assert.match(stdout, /^ {2}web\/yarn\.lock:4: registry\.yarnpkg\.com, 2 times, for example https:/m)
  const [past] = JSON.parse((await run(['--json'])).stdout).past
  assert.deepEqual([past.path, past.line, past.count], ['web/yarn.lock', 4, 2])
  put('web/yarn.lock', '')
  const entries = ['a', 'b'].map((name) => [name, { resolved: `https://npm.example/${name}.tgz` }])
  put('package-lock.json', `{"lockfileVersion":3,\n"packages":${JSON.stringify(Object.fromEntries(entries))}}`)
  assert.match((await run()).stdout, /^ {2}package-lock\.json:2: npm\.example, 2 times, for example/m)
})
