import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockfileFormats } from './lockfile-formats.ts'
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
  [/\/(?:pdm|pdmlock)\//, 'pdm-lock'],
  [/^pipfile\/|\/(?:pipenv|pipfilelock)\//, 'pipfile-lock'],
  [/^poetry\/|\/(?:poetry|poetrylock)\//, 'poetry-lock'],
  [/\/(?:pub|pubspec)\//, 'pubspec-lock'],
  [/^pylock\/|\/pylock\//, 'pylock'],
  [/^requirements\/|\/(?:pip|requirements)\//, 'requirements'],
  [/^uv\/|\/(?:uv|uvlock)\//, 'uv-lock'],
]

/** Files in which nothing shows whose they are: empty, broken on purpose, or with half of the format's marks missing. */
const unrecognisable =
  /empty-file|\/empty\.(?:lock|mod|txt|toml)$|\/not-|only-comments|names-outside-package-block|no_version\.txt|invalid\.txt|indirect-1\.23\.sum|poetry(?:lock)?\/source-legacy|invalid-syntax/

const root = realData()

test('each real lockfile is claimed by its own format and no other', { skip: root ? false : withoutRealData }, () => {
  const base = join(root!, 'lockfiles')
  let recognised = 0
  for (const entry of readdirSync(base, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const file = path.slice(base.length + 1)
    const head = readFileSync(path).subarray(0, 64 * 1024)
    const claimed = lockfileFormats.filter((format) => format.recognises(head, '')).map(({ id }) => id)
    const expected = folders.find(([pattern]) => pattern.test(file))?.[1]
    if (unrecognisable.test(file))
      assert.ok(
        claimed.every((id) => id === expected),
        `${file}: ${claimed}`,
      )
    else assert.deepEqual(claimed, expected ? [expected] : [], file)
    recognised += claimed.length
  }
  assert.ok(recognised > 150, `${recognised} are recognised`)
})

test('documents of other kinds are claimed by none', () => {
  const others = [
    '{"name": "x", "version": "1.0.0", "dependencies": {"a": "^1"}}',
    '{"lockfileVersion": 3, "packages": {}}',
    '{"bomFormat": "CycloneDX", "version": 1, "dependencies": []}',
    '[package]\nname = "a"\nversion = "1"\n[dependencies]\nserde = "1"\n',
    '[tool.poetry]\nname = "a"\n',
    '[project]\nname = "a"\nrequires-python = ">=3"\n',
    '<project name="build" default="all"><target name="all"/></project>',
    '<Project Sdk="Microsoft.NET.Sdk"></Project>',
    'packages:\n  - "apps/*"\n',
    'lockfileVersion: "9.0"\npackages:\n  a@1.0.0:\n    resolution: {integrity: x}\n',
    'source "https://rubygems.org"\ngem "rails"\n',
    '# yarn lockfile v1\n\na@^1:\n  version "1.0.0"\n',
    'Hello, this is a letter.\nIt has some lines.\n',
    'v1.0.0 < v1.1.0\n1.0 == 1.0.0\n2 > 1\n',
    '',
    '\u0000\u0001\u0002',
  ]
  for (const document of others) {
    const claimed = lockfileFormats.filter((format) => format.recognises(Buffer.from(document), '')).map(({ id }) => id)
    assert.deepEqual(claimed, [], document)
  }
})
