import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { recogniseFormat } from '../registry.ts'
import { nugetPackagesConfig } from './reader.ts'

const lock = `<?xml version="1.0" encoding="utf-8"?>
<packages>
  <package id="Newtonsoft.Json" version="13.0.1" targetFramework="net48" />
  <package id="NUnit" version="3.13.2" targetFramework="net48" developmentDependency="true" />
  <package id="jQuery" version="3.1.1" allowedVersions="[3,4)" />
</packages>
`

test('packages, what is for development, and lines', () => {
  const { items, problems } = readString(nugetPackagesConfig, lock)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ key, ecosystem, transitivity, development, line }) => [
      key,
      ecosystem,
      transitivity,
      development,
      line,
    ]),
    [
      ['Newtonsoft.Json@13.0.1', 'nuget', 'UNKNOWN', false, 3],
      ['NUnit@3.13.2', 'nuget', 'UNKNOWN', true, 4],
      ['jQuery@3.1.1', 'nuget', 'UNKNOWN', false, 5],
    ],
  )
})

test('it is known by its content, in UTF-16 too', () => {
  const utf16 = Buffer.from(`\ufeff${lock.replace('utf-8', 'utf-16')}`, 'utf16le')
  for (const bytes of [Buffer.from(lock), utf16, utf16.swap16(), Buffer.from('<packages />')]) {
    assert.equal(recogniseFormat(bytes, '')?.id, 'nuget-packages-config')
  }
  assert.equal(nugetPackagesConfig.recognises(Buffer.from('<packages><a/></packages>'), ''), false)
  assert.deepEqual(parts(nugetPackagesConfig.read([Buffer.from(`\ufeff${lock}`, 'utf16le')], '')).length, 3)
})

test('packages without an id or a version, and another document', () => {
  const { items, problems } = readString(nugetPackagesConfig, '<packages><package/><package id="a"/></packages>')
  assert.deepEqual(
    [items.map(({ key }) => key), problems.map(({ code }) => code)],
    [['a@'], ['missing-name', 'missing-version']],
  )
  assert.equal(readString(nugetPackagesConfig, '<configuration/>').problems[0]?.code, 'wrong-format')
})

agreesWithOtherReaders(nugetPackagesConfig, {
  scalibr: 'packagesconfig',
  // osv-scalibr leaves out what has no version without a word.
  extra: (ours) => ours.version === '',
  tolerated: ['missing-version', 'missing-name'],
})
survivesMutation(nugetPackagesConfig, lock)
