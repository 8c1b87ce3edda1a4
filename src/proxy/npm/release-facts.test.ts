import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SignalName } from '../../capabilities/firewall/rules/release-facts.ts'
import { packumentFacts } from './release-facts.ts'

type Release = { at: string; manifest?: Record<string, unknown>; dist?: Record<string, unknown> }

const published = (releases: Record<string, Release>) =>
  packumentFacts({
    versions: Object.fromEntries(
      Object.entries(releases).map(([version, { manifest, dist }]) => [version, { ...manifest, dist: { ...dist } }]),
    ),
    time: Object.fromEntries(Object.entries(releases).map(([version, { at }]) => [version, at])),
  })

const day = (n: number, time = '12:00') => `2026-03-${String(n).padStart(2, '0')}T${time}:00Z`
const by = (name: string, more: object = {}) => ({ _npmUser: { name, ...more } })
const postinstall = { scripts: { postinstall: 'node x.js' } }
const trusted = by('GitHub Actions', { trustedPublisher: { id: 'github' } })
const attested = { attestations: { provenance: { predicateType: 'https://slsa.dev/provenance/v1' } } }
const size = (unpackedSize: number) => ({ unpackedSize })

const cases: [
  what: string,
  releases: Record<string, Release>,
  version: string,
  signals: SignalName[],
  said?: RegExp,
][] = [
  ['an ordinary release', { '1.0.0': { at: day(1) }, '1.0.1': { at: day(9) } }, '1.0.1', []],
  ['a first release with a script', { '1.0.0': { at: day(1), manifest: postinstall } }, '1.0.0', []],
  [
    'a script that is new',
    { '1.0.0': { at: day(1) }, '1.0.1': { at: day(2), manifest: postinstall } },
    '1.0.1',
    ['new_install_script'],
    /postinstall.*1\.0\.0 did not/,
  ],
  [
    'binding.gyp without a script',
    { '1.0.0': { at: day(1) }, '1.0.1': { at: day(2), manifest: { gypfile: true } } },
    '1.0.1',
    ['new_install_script'],
    /binding\.gyp/,
  ],
  [
    'a script that the branch always had, after a release of another branch without',
    {
      '1.0.0': { at: day(1), manifest: postinstall },
      '2.0.0': { at: day(2) },
      '1.0.1': { at: day(3), manifest: postinstall },
    },
    '1.0.1',
    [],
  ],
  [
    'a dependency on git',
    {
      '1.0.0': { at: day(1) },
      '1.0.1': { at: day(2), manifest: { optionalDependencies: { setup: 'github:a/b#0123' } } },
    },
    '1.0.1',
    ['new_exotic_dependency'],
    /setup@github:a\/b#0123/,
  ],
  [
    'a dependency on git that it had',
    {
      '1.0.0': { at: day(1), manifest: { dependencies: { x: 'git+https://git.example/x.git#1' } } },
      '1.0.1': { at: day(2), manifest: { dependencies: { x: 'git+https://git.example/x.git#2' } } },
    },
    '1.0.1',
    [],
  ],
  [
    'provenance lost',
    { '1.0.0': { at: day(1), dist: attested }, '1.0.1': { at: day(2) } },
    '1.0.1',
    ['trust_lost'],
    /without provenance, which 1\.0\.0 had/,
  ],
  [
    'a trusted publisher lost, though it has provenance',
    {
      '1.0.0': { at: day(1), manifest: trusted },
      '1.0.1': { at: day(2), manifest: by('GitHub Actions'), dist: attested },
    },
    '1.0.1',
    ['trust_lost'],
  ],
  ['provenance gained', { '1.0.0': { at: day(1) }, '1.0.1': { at: day(2), dist: attested } }, '1.0.1', []],
  [
    'somebody new',
    { '1.0.0': { at: day(1), manifest: by('ann') }, '1.0.1': { at: day(2), manifest: by('eve') } },
    '1.0.1',
    ['new_publisher'],
    /eve published it/,
  ],
  [
    'a move to a trusted publisher',
    { '1.0.0': { at: day(1), manifest: by('ann') }, '1.0.1': { at: day(2), manifest: trusted } },
    '1.0.1',
    [],
  ],
  ['after years', { '1.0.0': { at: '2020-01-01T00:00:00Z' }, '1.0.1': { at: day(1) } }, '1.0.1', ['long_silence']],
  [
    'suddenly large',
    { '1.0.0': { at: day(1), dist: size(20_000) }, '1.0.1': { at: day(2), dist: size(3_600_000) } },
    '1.0.1',
    ['sudden_size'],
    /3,516 KiB/,
  ],
  [
    'larger, but still small',
    { '1.0.0': { at: day(1), dist: size(2_000) }, '1.0.1': { at: day(2), dist: size(90_000) } },
    '1.0.1',
    [],
  ],
  [
    'two majors within the hour',
    {
      '1.0.0': { at: day(1) },
      '0.9.0': { at: day(1, '13:30') },
      '1.0.1': { at: day(2) },
      '0.9.1': { at: day(2, '12:39') },
    },
    '1.0.1',
    ['two_majors'],
  ],
  [
    'three within the hour',
    {
      '1.0.0': { at: day(1) },
      '1.0.1': { at: day(2) },
      '1.0.2': { at: day(2, '12:03') },
      '1.0.3': { at: day(2, '12:06') },
    },
    '1.0.3',
    ['burst'],
  ],
  [
    'a fix for three branches within the hour',
    {
      '1.0.0': { at: day(1) },
      '2.0.0': { at: day(2) },
      '3.0.0': { at: day(3) },
      '1.0.1': { at: day(20) },
      '2.0.1': { at: day(20, '12:03') },
      '3.0.1': { at: day(20, '12:06') },
    },
    '3.0.1',
    ['two_majors'],
  ],
  [
    'the second version of an attack, compared with what was out a week before',
    {
      '1.0.0': { at: day(1), manifest: by('ann'), dist: { ...attested, ...size(20_000) } },
      '1.0.1': { at: day(20), manifest: { ...postinstall, ...by('eve') }, dist: size(3_600_000) },
      '1.0.2': { at: day(20, '12:20'), manifest: { ...postinstall, ...by('eve') }, dist: size(3_600_000) },
    },
    '1.0.2',
    ['new_install_script', 'new_publisher', 'trust_lost', 'sudden_size'],
  ],
  [
    'a script that was new weeks ago',
    {
      '1.0.0': { at: day(1) },
      '1.0.1': { at: day(2), manifest: postinstall },
      '1.0.2': { at: day(20), manifest: postinstall },
    },
    '1.0.2',
    [],
  ],
  [
    'nightly builds within the hour',
    { '1.0.0': { at: day(1) }, '1.0.1-a': { at: day(2) }, '1.0.1-b': { at: day(2) }, '1.0.1-c': { at: day(2) } },
    '1.0.1-c',
    [],
  ],
]

for (const [what, releases, version, signals, said] of cases) {
  test(`${what}: ${signals.join(', ') || 'no signal'}`, () => {
    const found = published(releases).get(version)!.signals
    assert.deepEqual(
      found.map(({ signal }) => signal),
      signals,
    )
    if (said) assert.match(found[0]!.because, said)
  })
}

test('what a version says of itself', () => {
  const facts = published({
    '1.0.0': {
      at: day(1),
      manifest: { license: { type: 'MIT' }, deprecated: 'use 2', dependencies: { a: '^1.0.0', b: 'user/repository' } },
    },
    '1.1.0': { at: day(2), manifest: { dependencies: { a: '^1', c: '^2', d: 'npm:e@1.0.0', f: 'npm:@g/h@^1' } } },
  })
  assert.deepEqual(facts.get('1.0.0'), {
    signals: [],
    exoticDependency: 'b@user/repository',
    licence: 'MIT',
    deprecated: 'use 2',
    bornAt: Date.parse(day(1)),
  })
  assert.deepEqual(facts.get('1.1.0')!.gained, ['c', 'e', '@g/h'])
})

test('specifiers of a registry are no exotic ones', () => {
  const specs = ['^1.0.0', '1.x', 'latest', '', '*', '>=1 <2 || 3', 'npm:other@1', 'workspace:*', '1.0.0 - 2.0.0']
  const dependencies = Object.fromEntries(specs.map((spec, at) => [`d${at}`, spec]))
  assert.equal(
    published({ '1.0.0': { at: day(1), manifest: { dependencies } } }).get('1.0.0')!.exoticDependency,
    undefined,
  )
  for (const spec of ['git://a/b', 'git@github.com:a/b.git', 'https://x.example/a.tgz', 'file:../a', './a', 'a/b#main'])
    assert.ok(
      published({ '1.0.0': { at: day(1), manifest: { dependencies: { x: spec } } } }).get('1.0.0')!.exoticDependency,
      spec,
    )
})

test('a document of hostile shapes gives no signal and no error', () => {
  const odd = {
    scripts: 7,
    dependencies: ['x'],
    _npmUser: 'x',
    dist: null,
    license: 5,
    deprecated: {},
    optionalDependencies: { a: 1 },
  }
  const facts = packumentFacts({
    versions: { '1.0.0': odd, '1.0.1': odd } as never,
    time: { '1.0.0': 'x', '1.0.1': {} },
  })
  assert.deepEqual(facts.get('1.0.1'), { signals: [], deprecated: '' })
})
