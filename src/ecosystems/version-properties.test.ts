import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import semver from 'semver'
import { often } from '../../test/depth.ts'
import { type EcosystemId, ecosystemIds } from './ecosystem.ts'
import { ecosystems } from './registry.ts'

const number = fc.oneof(
  fc.constantFrom('0', '1', '2', '9', '10', '00', '01'),
  fc.nat().map(String),
  fc.stringMatching(/^[0-9]{17,30}$/),
)
const words: Record<EcosystemId, string[]> = {
  npm: ['alpha', 'beta', 'rc', 'x', 'canary', 'A'],
  pypi: ['a', 'b', 'rc', 'c', 'alpha', 'pre', 'post', 'r', 'dev', '!', 'v', 'ubuntu'],
  gomod: ['rc', 'pre', 'incompatible', 'v', 'go', '20210101000000-abcdef012345'],
  cargo: ['alpha', 'beta', 'rc', 'x'],
  maven: ['alpha', 'a', 'b', 'm', 'rc', 'cr', 'snapshot', 'ga', 'final', 'release', 'sp', 'jre', 'x'],
  gem: ['a', 'b', 'beta', 'pre', 'rc', 'Z'],
  composer: ['dev', 'alpha', 'a', 'beta', 'b', 'RC', 'rc', 'pl', 'p', 'patch', 'foo', '#'],
  nuget: ['alpha', 'BETA', 'beta', 'rc'],
  pub: ['dev', 'pre', 'nullsafety', 'Z'],
  swiftpm: ['alpha', 'beta', 'rc'],
  hex: ['rc', 'dev', 'pre'],
  cocoapods: ['alpha', 'beta', 'rc', 'Z'],
  deb: ['~', 'a', 'Z', '+dfsg', 'ubuntu', ':', '~rc', 'é'],
  apk: ['_alpha', '_rc', '_p', '_git', 'a', 'z', '-r', '~abc', '_odd'],
  rpm: ['~', '^', 'a', 'Z', 'el', 'git', ':', 'é'],
  generic: ['a', 'b', 'Z'],
}

/** Numbers, the ecosystem's words and separators in any row: some are versions as published, many are not. */
function versionsOf(id: EcosystemId): fc.Arbitrary<string> {
  const separator = fc.constantFrom('.', '.', '.', '-', '+', '_', '', ' ')
  const piece = fc.tuple(
    separator,
    fc.oneof(number, number, fc.constantFrom(...words[id]), fc.string({ maxLength: 3 })),
  )
  const row = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.map(([before, text]) => before + text).join(''))
  return fc.tuple(fc.constantFrom('', 'v', '1', '1.0', '0'), row).map(([start, rest]) => start + rest)
}

for (const id of ecosystemIds) {
  test(`${id}: the order is total, and the keys are it`, () => {
    const { compare, orderKey } = ecosystems[id]
    const version = versionsOf(id)
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        assert.equal(compare(a, a), 0)
        assert.equal(compare(a, b), -compare(b, a) + 0)
        assert.equal(compare(a, b), Buffer.compare(orderKey(a), orderKey(b)))
        const [least, middle, greatest] = [a, b, c].sort(compare) as [string, string, string]
        assert.ok(compare(least, middle) <= 0 && compare(middle, greatest) <= 0 && compare(least, greatest) <= 0)
      }),
      { numRuns: often(500) },
    )
  })
}

test('npm, cargo, hex, swiftpm and gomod order valid versions as node-semver does', () => {
  const part = fc.oneof(fc.nat(3), fc.nat()).map(String)
  const identifier = fc.oneof(part, fc.stringMatching(/^[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,3}$/))
  const dotted = fc.array(identifier, { minLength: 1, maxLength: 3 }).map((identifiers) => identifiers.join('.'))
  const version = fc
    .tuple(part, part, part, fc.option(dotted), fc.option(dotted))
    .map(
      ([x, y, z, pre, build]) => `${x}.${y}.${z}${pre === null ? '' : `-${pre}`}${build === null ? '' : `+${build}`}`,
    )
  fc.assert(
    fc.property(version, version, (a, b) => {
      for (const id of ['npm', 'cargo', 'hex', 'swiftpm', 'gomod'] as const) {
        assert.equal(ecosystems[id].compare(a, b), semver.compare(a, b), id)
      }
    }),
    { numRuns: often(5000) },
  )
})

test('gem orders as if every version went on with zeros', () => {
  const segment = fc.oneof(fc.nat(2), fc.constantFrom('a', 'b'))
  const version = fc.tuple(fc.nat(2), fc.array(segment, { maxLength: 5 })).map(([first, rest]) => [first, ...rest])
  fc.assert(
    fc.property(version, version, (a, b) => {
      assert.equal(ecosystems.gem.compare(a.join('.'), b.join('.')), compareGems(canonical(a), canonical(b)))
    }),
    { numRuns: often(5000) },
  )
})

type GemSegments = (number | string)[]

/** Gem::Version#canonical_segments: the zeros that end the numbers, and those that end the rest, do not count. */
function canonical(segments: GemSegments): GemSegments {
  const firstWord = segments.findIndex((segment) => typeof segment === 'string')
  const numbers = firstWord === -1 ? segments : segments.slice(0, firstWord)
  const last = numbers.findLastIndex((segment) => segment !== 0)
  return [...numbers.slice(0, last + 1), ...(firstWord === -1 ? [] : segments.slice(firstWord))]
}

function compareGems(a: GemSegments, b: GemSegments): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const left = a[i] ?? 0
    const right = b[i] ?? 0
    if (left === right) continue
    if (typeof left !== typeof right) return typeof left === 'string' ? -1 : 1
    return left < right ? -1 : 1
  }
  return 0
}

const release = fc.array(fc.oneof(fc.nat(3), fc.nat()), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'))

test('pypi: every release has its suffixes in the order of PEP 440', () => {
  const suffixes = [
    '.dev0',
    '.dev1',
    'a0.dev1',
    'a0',
    'a0.post1.dev0',
    'a0.post1',
    'a1',
    'b0',
    'rc0',
    '',
    '+a',
    '+1',
    '+1.0',
  ]
  const later = ['.post0.dev1', '.post0', '.post0+x', '.post1', '.0.0.1.dev1']
  fc.assert(
    fc.property(release, (base) =>
      assertAscending(
        'pypi',
        [...suffixes, ...later].map((it) => base + it),
      ),
    ),
  )
})

test('maven: every release has its qualifiers in order', () => {
  const suffixes = [
    '-alpha',
    '-a1',
    '-alpha-2',
    '.beta',
    '-b1',
    '-milestone',
    '-m3',
    '-rc',
    '-cr1',
    '-SNAPSHOT',
    '',
    '-ga.1',
  ]
  const later = ['-ga1', '-sp', '-sp1', '-abc', '-abc1', '-xyz', '-1', '-1.1', '-2']
  fc.assert(
    fc.property(release, (base) =>
      assertAscending(
        'maven',
        [...suffixes, ...later].map((it) => base + it),
      ),
    ),
  )
})

test('composer: every release has its suffixes in the order of version_compare', () => {
  const suffixes = ['-foo', '-dev', '-alpha', '-alpha1', '-b2', '-beta10', 'RC1', '-rc2', '', '.0', '.1', '-p1', 'pl2']
  fc.assert(
    fc.property(release, (base) =>
      assertAscending(
        'composer',
        suffixes.map((it) => base + it),
      ),
    ),
  )
})

function assertAscending(id: EcosystemId, versions: string[]): void {
  for (const [i, next] of versions.slice(1).entries()) {
    assert.equal(ecosystems[id].compare(versions[i]!, next), -1, `${versions[i]} < ${next}`)
  }
}

test('other spellings of a version are that version', () => {
  const table: [EcosystemId, (base: string) => string[]][] = [
    ['pypi', (base) => [`v${base}`, `${base}.0`, `0!${base}`, ` ${base}\n`, `0${base}`]],
    [
      'maven',
      (base) => [
        `${base}.0`,
        `${base}-ga`,
        `${base}.Final`,
        `${base}-RELEASE`,
        `${base}-0`,
        `${base}-`,
        `${base}.ga.0`,
      ],
    ],
    ['gem', (base) => [`${base}.0`, `${base}.0.0`, `${base}-x86_64-linux`, `${base}-java`]],
    ['nuget', (base) => [`${base}.0`, `${base}+build`, `0${base}`]],
    ['npm', (base) => [`v${base}`, `=${base}`, ` ${base} `, `${base}+build.1`]],
    ['cocoapods', (base) => [`${base}.0`, `${base}+96ef7ed`]],
    ['composer', (base) => [`v${base}`, `V${base}`, base.replaceAll('.', '-')]],
  ]
  for (const [id, spellings] of table) {
    fc.assert(
      fc.property(release, (base) => {
        for (const other of spellings(base))
          assert.equal(ecosystems[id].compare(base, other), 0, `${id} ${base} = ${other}`)
      }),
    )
  }
})
