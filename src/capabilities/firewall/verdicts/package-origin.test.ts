import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { foreignOrigin } from './package-origin.ts'

const own = ['gatehouse.example', 'mirror.example:8443']
const cases: [EcosystemId, string, string | undefined][] = [
  ['npm', '', undefined],
  ['npm', 'https://registry.npmjs.org/a/-/a-1.0.0.tgz', undefined],
  ['npm', 'https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#0123', undefined],
  ['npm', 'https://gatehouse.example/firewall/1/npm/a/-/a-1.0.0.tgz', undefined],
  ['npm', 'http://10.1.2.3:8080/firewall/1/npm/a/-/a-1.0.0.tgz', undefined],
  ['npm', 'https://mirror.example:8443/a/-/a-1.0.0.tgz', undefined],
  ['npm', 'https://mirror.example/a/-/a-1.0.0.tgz', 'another host'],
  ['npm', 'https://registry.npmjs.org.evil.example/a/-/a-1.0.0.tgz', 'another host'],
  ['npm', 'https://npm.pkg.github.com/download/a/1.0.0/0123', 'a git address'],
  ['npm', 'git+ssh://git@github.com/duosecurity/duo_web_sdk.git#0123', 'a git address'],
  ['npm', 'git+https://git.example/a.git#0123', 'a git address'],
  ['npm', 'git://git.example/a#0123', 'a git address'],
  ['npm', 'github:user/a#0123', 'a git address'],
  ['npm', 'https://codeload.github.com/user/a/tar.gz/0123', 'a git address'],
  ['npm', 'git.example:user/a.git', 'a git address'],
  ['npm', 'file:../a', 'a file or folder'],
  ['npm', 'file:vendor/a-1.0.0.tgz', 'a file or folder'],
  ['npm', '../a', 'a file or folder'],
  ['npm', 'some words', undefined],
  ['pypi', 'https://files.pythonhosted.org/packages/a/a-1.0.tar.gz', undefined],
  ['pypi', 'https://pypi.org/simple', undefined],
  ['pypi', 'https://download.pytorch.org/whl/cpu', 'another host'],
  ['pypi', 'https://github.com/psf/requests', 'a git address'],
  ['cargo', 'https://github.com/rust-lang/crates.io-index', undefined],
  ['cargo', 'https://index.crates.io/', undefined],
  ['cargo', 'https://github.com/someone/crates.io-index', 'a git address'],
  ['gem', 'https://rubygems.org/', undefined],
  ['gem', 'path:engines/a', 'a file or folder'],
  // Their packages are repositories: an address says nothing about it.
  ['composer', 'https://api.github.com/repos/a/b/zipball/0123', undefined],
  ['gomod', 'https://github.com/a/b', undefined],
  ['swiftpm', 'https://github.com/a/b.git', undefined],
]

for (const [ecosystem, resolved, expected] of cases) {
  test(`${ecosystem} from '${resolved}' is ${expected ? `from ${expected}` : 'the public one'}`, () => {
    const origin = foreignOrigin(ecosystem, resolved, own)
    if (expected === undefined) assert.equal(origin, undefined)
    else assert.ok(origin?.startsWith(expected), origin)
  })
}

test('a very long address is cut', () => {
  assert.ok(foreignOrigin('npm', `git+https://git.example/${'a'.repeat(1_900)}`, [])!.length < 300)
})
