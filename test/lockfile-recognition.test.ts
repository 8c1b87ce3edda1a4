import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { formats, headBytes } from '../src/formats/registry.ts'
import { realData, withoutRealData } from './real-data.ts'

/** The folders of the real data and what is in them; of a folder with two formats, the ending decides. */
const folders: readonly (readonly [path: RegExp, format: string])[] = [
  [/^cargo\/|\/(?:cargo|cargolock)\//, 'cargo-lock'],
  [/^composer-lock\/|\/(?:composer|composerlock)\//, 'composer-lock'],
  [/^gemfile-lock\/|\/(?:bundler|gemfilelock)\//, 'gemfile-lock'],
  [/^go\/.*\.sum$|\/gomod\/.*\.sum$/, 'go-sum'],
  [/^go\/|\/(?:go|gomod)\//, 'go-mod'],
  [/^gradle-lock\/|\/(?:gradle|gradlelockfile)\//, 'gradle-lockfile'],
  [/\/gradleverificationmetadataxml\//, 'gradle-verification'],
  [/^maven-pom\/|\/(?:maven|pomxml)\//, 'maven-pom'],
  [/\/(?:mix|mixlock)\//, 'mix-lock'],
  [/^nuget-lock\/|\/(?:nuget|packageslockjson)\//, 'nuget-lock'],
  [/\/packagesconfig\//, 'nuget-packages-config'],
  [/\/(?:pdm|pdmlock)\//, 'pdm-lock'],
  [/^pipfile\/|\/(?:pipenv|pipfilelock)\//, 'pipfile-lock'],
  [/^poetry\/|\/(?:poetry|poetrylock)\//, 'poetry-lock'],
  [/\/(?:pub|pubspec)\//, 'pubspec-lock'],
  [/^pylock\/|\/pylock\//, 'pylock'],
  [/^requirements\/|\/(?:pip|requirements)\//, 'requirements'],
  [/^uv\/|\/(?:uv|uvlock)\//, 'uv-lock'],
  [/^npm-package-lock\/|\/(?:npm|packagelockjson)\//, 'package-lock'],
  [/^yarn-v1\/|\/(?:yarn|yarnlock)\/.*\.v1\./, 'yarn-v1'],
  [/^yarn-berry\/|\/(?:yarn|yarnlock)\//, 'yarn-berry'],
  [/^pnpm-lock\/|\/(?:pnpm|pnpmlock)\//, 'pnpm-lock'],
  [/\/(?:bun|bunlock)\//, 'bun-lock'],
]

/** Files in which nothing shows whose they are: empty, broken on purpose, or with half of the format's marks missing. */
const unrecognisable =
  /empty-file|\/empty\.(?:lock|mod|txt|toml|yaml|json5)$|\/not-|only-comments|names-outside-package-block|no_version\.txt|invalid\.txt|indirect-1\.23\.sum|poetry(?:lock)?\/source-legacy|invalid-syntax/

const root = realData()
const skip = root ? false : withoutRealData

test('each real lockfile is claimed by its own format and no other', { skip }, () => {
  let recognised = 0
  for (const [file, claimed] of claims('lockfiles')) {
    const expected = folders.find(([pattern]) => pattern.test(file))?.[1]
    if (unrecognisable.test(file))
      assert.ok(
        claimed.every((id) => id === expected),
        `${file}: ${claimed}`,
      )
    else assert.deepEqual(claimed, expected ? [expected] : [], file)
    recognised += claimed.length
  }
  assert.ok(recognised > 300, `${recognised} are recognised`)
})

test('logs of findings and advisories are claimed by no reader of dependencies', { skip }, () => {
  for (const [file, claimed] of [...claims('sarif'), ...claims('malicious')]) assert.deepEqual(claimed, [], file)
})

function* claims(folder: string): Generator<[file: string, formats: string[]]> {
  const base = join(root!, folder)
  for (const entry of readdirSync(base, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    yield [path.slice(base.length + 1), claimants(readFileSync(path).subarray(0, headBytes))]
  }
}

function claimants(head: Uint8Array): string[] {
  return formats.filter((format) => format.recognises(head, '')).map(({ id }) => id)
}

test('documents of other kinds are claimed by none', () => {
  const others = [
    '{"name": "x", "version": "1.0.0", "dependencies": {"a": "^1"}}',
    '[package]\nname = "a"\nversion = "1"\n[dependencies]\nserde = "1"\n',
    '[tool.poetry]\nname = "a"\n',
    '[project]\nname = "a"\nrequires-python = ">=3"\n',
    '<project name="build" default="all"><target name="all"/></project>',
    '<Project Sdk="Microsoft.NET.Sdk"></Project>',
    'packages:\n  - "apps/*"\n',
    'source "https://rubygems.org"\ngem "rails"\n',
    'Hello, this is a letter.\nIt has some lines.\n',
    'v1.0.0 < v1.1.0\n1.0 == 1.0.0\n2 > 1\n',
    '',
    '\u0000\u0001\u0002',
  ]
  for (const document of others) assert.deepEqual(claimants(Buffer.from(document)), [], document)
})
