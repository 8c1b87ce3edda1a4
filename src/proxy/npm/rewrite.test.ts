import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePackument, type RawPackument } from './packument.ts'
import { abbreviate, rewritePackument } from './rewrite.ts'

function packument(versions: string[], tags: Record<string, string>, deprecated: string[] = []): RawPackument {
  const manifests = versions.map((version) => {
    const manifest = { name: 'left', version, dist: { tarball: `https://elsewhere.example/${version}` } }
    return [version, deprecated.includes(version) ? { ...manifest, deprecated: 'old' } : manifest]
  })
  const time = Object.fromEntries(versions.map((version) => [version, '2020-01-01T00:00:00Z']))
  return { name: 'left', versions: Object.fromEntries(manifests), 'dist-tags': { ...tags }, time }
}

const cases: [what: string, versions: string[], tags: Record<string, string>, refused: string[], becomes: object][] = [
  ['stays where it is allowed', ['1.0.0', '2.0.0'], { latest: '1.0.0' }, ['2.0.0'], { latest: '1.0.0' }],
  [
    'goes to the newest before it',
    ['1.0.0', '1.9.0', '1.10.0', '2.0.0'],
    { latest: '2.0.0' },
    ['2.0.0'],
    { latest: '1.10.0' },
  ],
  ['does not run ahead', ['1.0.0', '1.1.0', '2.0.0'], { latest: '1.1.0' }, ['1.1.0'], { latest: '1.0.0' }],
  ['runs ahead where it must', ['1.0.0', '2.0.0'], { latest: '1.0.0' }, ['1.0.0'], { latest: '2.0.0' }],
  ['passes pre-releases over', ['1.0.0', '2.0.0-rc.1', '2.0.0'], { latest: '2.0.0' }, ['2.0.0'], { latest: '1.0.0' }],
  ['takes a pre-release if need be', ['2.0.0-rc.1', '2.0.0'], { latest: '2.0.0' }, ['2.0.0'], { latest: '2.0.0-rc.1' }],
  [
    'other tags go with their version',
    ['1.0.0', '2.0.0'],
    { latest: '1.0.0', next: '2.0.0' },
    ['2.0.0'],
    { latest: '1.0.0' },
  ],
]

for (const [what, versions, tags, refused, becomes] of cases) {
  test(`latest ${what}`, () => {
    const out = rewritePackument(packument(versions, tags), new Set(refused), () => 'ours')
    assert.deepEqual(out['dist-tags'], becomes)
    assert.deepEqual(
      Object.keys(out.versions),
      versions.filter((version) => !refused.includes(version)),
    )
    assert.deepEqual(Object.keys(out.time ?? {}), Object.keys(out.versions))
  })
}

test('latest prefers what is not deprecated', () => {
  const raw = packument(['1.0.0', '1.1.0', '2.0.0'], { latest: '2.0.0' }, ['1.1.0'])
  assert.deepEqual(rewritePackument(raw, new Set(['2.0.0']), () => 'ours')['dist-tags'], { latest: '1.0.0' })
})

test('every tarball leads through us', () => {
  const out = rewritePackument(packument(['1.0.0', '2.0.0'], {}), new Set(), (version) => `ours/${version}`)
  assert.deepEqual(
    Object.values(out.versions).map(({ dist }) => dist?.tarball),
    ['ours/1.0.0', 'ours/2.0.0'],
  )
})

test('the short form keeps what installers read and says whether there are install scripts', () => {
  const raw = packument(['1.0.0', '2.0.0'], { latest: '1.0.0' })
  Object.assign(raw.versions['1.0.0']!, { readme: 'long', scripts: { postinstall: 'x' }, bin: { left: 'x.js' } })
  const short = abbreviate(raw)
  assert.deepEqual(Object.keys(short).sort(), ['dist-tags', 'name', 'versions'])
  assert.deepEqual(Object.keys(short.versions['1.0.0']!).sort(), ['bin', 'dist', 'hasInstallScript', 'name', 'version'])
  assert.ok(!('hasInstallScript' in short.versions['2.0.0']!))
})

test('a packument whose parts are something else than they should be is that of a broken registry', () => {
  const body = (dist: unknown) => Buffer.from(JSON.stringify({ name: 'left', versions: { '1.0.0': { dist } } }))
  for (const dist of ['x', 1, true, []]) {
    assert.throws(() => parsePackument(body(dist), 'left'), { code: 'bad_upstream' }, JSON.stringify(dist))
  }
  for (const dist of [undefined, null, {}]) {
    assert.ok(rewritePackument(parsePackument(body(dist), 'left'), new Set(), () => 'https://here.example/left'))
  }
})
