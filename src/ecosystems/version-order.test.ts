import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { realData, withoutRealData } from '../../test/real-data.ts'
import type { EcosystemId } from './ecosystem.ts'
import { unreadable } from './order-key.ts'
import { ecosystems } from './registry.ts'
import { checkVersionLines } from './version-lines.ts'

/*
 * The lists of public projects. Out of scope: lists of ecosystems Gatehouse does not have (CRAN, Hackage, Gentoo, Arch,
 * Conan, OpenSSL, nginx, dates), and cases about range notations (VERS, PEP 440 specifiers, npm and
 * Maven ranges), which nothing here reads.
 */
const data = realData()
const withData = { skip: data ? false : withoutRealData }
const lists: [file: string, ids: EcosystemId[]][] = [
  ['osv-scalibr/maven-versions.txt', ['maven']],
  ['osv-scalibr/maven-versions-generated.txt', ['maven']],
  ['apache-maven/comparableversion-order.txt', ['maven']],
  ['osv-scalibr/rubygems-versions.txt', ['gem']],
  ['osv-scalibr/rubygems-versions-generated.txt', ['gem']],
  ['osv-scalibr/packagist-versions.txt', ['composer']],
  ['osv-scalibr/packagist-versions-generated.txt', ['composer']],
  ['osv-scalibr/pub-versions.txt', ['pub']],
  ['osv-scalibr/pypi-versions.txt', ['pypi']],
  ['osv-scalibr/pypi-versions-generated.txt', ['pypi']],
  ['pypa-packaging/pep440-order.txt', ['pypi']],
  ['osv-scalibr/nuget-versions.txt', ['nuget']],
  ['osv-scalibr/semver-versions.txt', ['npm', 'cargo', 'hex', 'swiftpm', 'gomod']],
  ['node-semver/comparisons.txt', ['npm', 'cargo', 'hex', 'swiftpm']],
  ['golang-mod/semver-order.txt', ['gomod']],
  ['osv-scalibr/debian-versions.txt', ['deb']],
  ['osv-scalibr/debian-versions-generated.txt', ['deb']],
  ['osv-scalibr/alpine-versions.txt', ['apk']],
  ['osv-scalibr/alpine-versions-generated.txt', ['apk']],
  ['osv-scalibr/redhat-versions.txt', ['rpm']],
]

/** Lines that are wrong, each with its reason. */
const knownErrors = new Map([
  ['1.2.3.# = 1.2.3.1', 'the same list has 1.2.3.# = 1.2.3, and 1.2.3 < 1.2.3.1: no order can have all three'],
  ['2-1 < 2.0.a', 'the order before Maven 3.9: since MNG-7644, .a is -a and the zero before it does not count'],
  ['2-1 < 2.0.0.a', 'as above'],
  ['2.0.a < 2.0.0.a', 'as above; Maven 3.9 and 4 find them equal'],
])

for (const [file, ids] of lists) {
  for (const id of ids) {
    test(`${id} agrees with ${file}`, withData, () => {
      const contradicted = linesContradictedByReferenceTools(file)
      const { checked, disagreements, unreadable } = checkVersionLines(ecosystems[id], read(`version-order/${file}`))
      assert.ok(checked > 0)
      assert.deepEqual(unreadable, [])
      assert.deepEqual(
        disagreements.filter(({ text }) => !contradicted.has(text) && !knownErrors.has(text)),
        [],
      )
    })
  }
}

type VersCase = { test_type: string; input: { versions: [string, string] }; expected_output: unknown }

for (const [id, scheme] of [
  ['maven', 'maven'],
  ['nuget', 'nuget'],
  ['apk', 'alpine'],
] as const) {
  test(`${id} agrees with vers-spec`, withData, () => {
    const file = readJson(`version-order/vers-spec/${scheme}_version_cmp_test.json`)
    const lines = (file.tests as VersCase[]).flatMap(({ test_type, input, expected_output }) => {
      if (test_type === 'equality') return expected_output ? [input.versions.join(' = ')] : []
      return test_type === 'comparison' ? [(expected_output as string[]).join(' < ')] : []
    })
    const { checked, disagreements, unreadable } = checkVersionLines(ecosystems[id], lines.join('\n'))
    assert.ok(checked > 0)
    assert.deepEqual(unreadable, [])
    assert.deepEqual(
      disagreements.filter(({ text }) => !knownErrors.has(text)),
      [],
    )
  })
}

test("npm agrees with node-semver's fixtures, the loose ones too", withData, () => {
  const fixtures = readJson('version-order/node-semver/node-semver-fixtures.json')
  for (const [greater, lesser] of fixtures.comparisons as string[][]) {
    assert.ok(ecosystems.npm.compare(greater!, lesser!) > 0, `${greater} > ${lesser}`)
  }
  for (const [a, b] of fixtures.equality as string[][]) assert.equal(ecosystems.npm.compare(a!, b!), 0, `${a} = ${b}`)
})

test("PyPI's versions equal their normal form, and invalid ones are unreadable", withData, () => {
  const { normalised, invalid } = readJson('version-order/pypa-packaging/pep440-invalid-and-normalised.json')
  for (const [written, normal] of normalised as string[][]) {
    assert.equal(ecosystems.pypi.compare(written!, normal!), 0, `${written} = ${normal}`)
  }
  for (const version of invalid as string[]) assert.equal(ecosystems.pypi.orderKey(version)[0], unreadable, version)
})

test("Go's versions equal their canonical form, and invalid ones are unreadable", withData, () => {
  const cases = readJson('version-order/golang-mod/semver-canonical.json')
  for (const { in: version, canonical } of cases as { in: string; canonical: string | null }[]) {
    if (canonical === null) assert.equal(ecosystems.gomod.orderKey(version)[0], unreadable, version)
    else assert.equal(ecosystems.gomod.compare(version, canonical), 0, version)
  }
})

/** Some lines say what their ecosystem's own tool, run over them, does not: they are not counted either way. */
function linesContradictedByReferenceTools(file: string): Set<string> {
  const all = readJson('expected/version-order-oracle-disagreements.json') as { file: string; case: string }[]
  return new Set(all.filter((line) => line.file === file).map((line) => line.case))
}

function read(path: string): string {
  return readFileSync(join(data!, path), 'utf8')
}

function readJson(path: string) {
  return JSON.parse(read(path))
}
