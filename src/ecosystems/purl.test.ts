import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../test/depth.ts'
import { realData, withoutRealData } from '../../test/real-data.ts'
import { formatPurl, type Purl, parsePurl } from './purl.ts'
import { ecosystems } from './registry.ts'

type PurlCase = {
  description: string
  test_type: 'parse' | 'build' | 'validate'
  input: unknown
  expected_output: unknown
  expected_failure: boolean
}

const data = realData()

for (const type of [...Object.values(ecosystems).map((ecosystem) => ecosystem.purlType), 'specification']) {
  test(`purl-spec's cases: ${type}`, { skip: data ? false : withoutRealData }, () => {
    const file = JSON.parse(readFileSync(join(data!, 'purl', 'purl-spec', `${type}-test.json`), 'utf8'))
    // We are lenient about the case of a qualifier's key, as the specification was before ECMA-427.
    const cases = (file.tests as PurlCase[]).filter(({ input }) => !/[?&](?:Arch|Distro)=/.test(String(input)))
    assert.ok(cases.length > 0)
    for (const { description, test_type, input, expected_output, expected_failure } of cases) {
      const expected = expected_failure ? undefined : expected_output
      assert.deepEqual(run(test_type, input), expected, `${description}: ${JSON.stringify(input)}`)
    }
  })
}

function run(kind: PurlCase['test_type'], input: unknown): unknown {
  if (kind === 'build') {
    const parts = Object.entries(input as object).map(([key, value]) => [key, value ?? undefined])
    return formatPurl({ type: '', name: '', ...withoutUndefined(parts) })
  }
  const purl = parsePurl(input as string)
  if (kind === 'validate') return purl && formatPurl(purl)
  return purl && written(purl)
}

function withoutUndefined(entries: unknown[][]): Partial<Purl> {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** As the cases write it: null for what is not there. */
function written(purl: Purl) {
  const { type, namespace = null, name, version = null, qualifiers = {}, subpath = null } = purl
  return { type, namespace, name, version, qualifiers: Object.keys(qualifiers).length > 0 ? qualifiers : null, subpath }
}

test('any text is read or refused, never thrown at, and what is read survives writing', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'binary' }).map((rest) => `pkg:${rest}`),
    fc.stringMatching(/^pkg:\/?[a-z@/.%:?#=&+]{0,40}$/),
  )
  fc.assert(
    fc.property(text, (candidate) => {
      const purl = parsePurl(candidate)
      const canonical = purl && formatPurl(purl)
      if (canonical) assert.equal(formatPurl(parsePurl(canonical)!), canonical)
    }),
    { numRuns: often(2000) },
  )
})

test('names of PyPI are written as PEP 503 has them, and names of Go and npm keep their case', () => {
  const canonical = (text: string) => formatPurl(parsePurl(text)!)
  assert.equal(canonical('pkg:pypi/Zope.Interface__x@5.4.0'), 'pkg:pypi/zope-interface-x@5.4.0')
  assert.equal(
    canonical('pkg:golang/github.com/BurntSushi/toml@v1.3.2'),
    'pkg:golang/github.com/BurntSushi/toml@v1.3.2',
  )
  assert.equal(canonical('pkg:npm/JSONStream@1.3.5'), 'pkg:npm/JSONStream@1.3.5')
})

test('a subpath cannot lead out of the package', () => {
  assert.equal(parsePurl('pkg:npm/a@1#../../etc/./passwd')?.subpath, 'etc/passwd')
})
