import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, itemNamed, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { gemfileLock } from './reader.ts'

const lock = `GIT
  remote: https://user:pw@github.com/a/push.git
  revision: 9631ac
  specs:
    push (1.1.0)
      jwt (~> 2.0)

PATH
  remote: .
  specs:
    mine (0.1.0)
      rack (>= 3)

GEM
  remote: https://rubygems.org/
  specs:
    jwt (2.8.0)
      base64
    nokogiri (1.16.0-x86_64-linux)
      racc (~> 1.4)
    nokogiri (1.16.0-arm64-darwin)
    racc (1.7.3)
    rack (3.1.0)

PLATFORMS
  ruby
  x86_64-linux

DEPENDENCIES
  mine!
  nokogiri (~> 1.16)
  push!

CHECKSUMS
  jwt (2.8.0) sha256=abc

RUBY VERSION
   ruby 3.3.0p0

BUNDLED WITH
   2.5.4
`

test('sources, platforms, edges and what the Gemfile asks for', () => {
  const { items, problems } = readString(gemfileLock, lock)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ key, transitivity, dependsOn, resolved, line }) => [key, transitivity, dependsOn, resolved, line]),
    [
      ['push@1.1.0', 'DIRECT', ['jwt@2.8.0'], 'https://github.com/a/push.git', 5],
      ['mine@0.1.0', 'DIRECT', ['rack@3.1.0'], 'path:.', 11],
      ['jwt@2.8.0', 'TRANSITIVE', [], 'https://rubygems.org/', 17],
      ['nokogiri@1.16.0', 'DIRECT', ['racc@1.7.3'], 'https://rubygems.org/', 19],
      ['racc@1.7.3', 'TRANSITIVE', [], 'https://rubygems.org/', 22],
      ['rack@3.1.0', 'DIRECT', [], 'https://rubygems.org/', 23],
    ],
  )
})

test('merge conflicts are said, and the rest is read', () => {
  const reading = readString(gemfileLock, lock.replace('    racc (1.7.3)', '<<<<<<< HEAD\n    racc (1.7.3)'))
  assert.equal(itemNamed(reading, 'jwt').version, '2.8.0')
  assert.ok(reading.problems.some(({ code, line }) => code === 'bad-line' && line === 22))
})

test('another format', () => {
  const reading = readString(gemfileLock, 'source "https://rubygems.org"\n')
  assert.deepEqual(parts(reading), [])
  assert.equal(reading.problems[0]?.code, 'wrong-format')
})

test('a gem of a section with several sources is from nobody knows which', () => {
  const section = (remotes: string) => `GEM\n${remotes}  specs:\n    rake (13.0.6)\n\nDEPENDENCIES\n  rake\n`
  const resolved = (remotes: string) => readString(gemfileLock, section(remotes)).items[0]?.resolved
  assert.equal(resolved('  remote: https://one.example/\n'), 'https://one.example/')
  assert.equal(resolved('  remote: https://one.example/\n  remote: https://two.example/\n'), '')
})

// The reference readers keep the platform in the version; a gem without a version is passed over by osv-scalibr.
agreesWithOtherReaders(gemfileLock, {
  scalibr: 'gemfilelock',
  osvDetector: 'GemfileLock',
  folder: 'gemfile-lock',
  tolerated: ['bad-line'],
  adjust: (theirs) => ({ ...theirs, version: theirs.version.split('-', 1)[0]! }),
})
survivesMutation(gemfileLock, lock)
