import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { goSum } from './reader.ts'

const lock = `github.com/a/b v1.1.0/go.mod h1:J7Y8YcW2NihsgmVo/mv3lAwl/skON4iLHjSsI+c5H38=
github.com/a/b v1.1.1 h1:vj9j/u1bqnvCEfJOwUhtlOARqs3+rkHYY13jYWTU97c=
github.com/a/b v1.1.1/go.mod h1:J7Y8YcW2NihsgmVo/mv3lAwl/skON4iLHjSsI+c5H38=
`

test('only modules whose content was checked are in the build', () => {
  const reading = readString(goSum, `${lock}odd line\n`)
  assert.deepEqual(parts(reading), ['github.com/a/b@v1.1.1'])
  assert.equal(reading.items[0]?.line, 2)
  assert.deepEqual(
    reading.problems.map(({ code, line, fatal }) => [code, line, fatal]),
    [['bad-line', 4, false]],
  )
})

const goSumOf = (...modules: string[]) => modules.map((one) => `${one.replace('@', ' ')} h1:x=\n`).join('')
const sums = goSumOf(
  'a.org/a@v1.0.0',
  'a.org/a@v1.2.0',
  'b.org/b@v0.1.0',
  'b.org/b@v0.3.0',
  'c.org/c@v1.0.0',
  'f.org/f@v1.0.1',
)
const selections: [what: string, goMod: string, expected: string[]][] = [
  [
    'from Go 1.17 on, go.mod lists all',
    'module m\ngo 1.21\nrequire a.org/a v1.2.0\nrequire (\n b.org/b v0.1.0 // indirect\n)\n',
    ['a.org/a@v1.2.0 DIRECT', 'b.org/b@v0.1.0 TRANSITIVE'],
  ],
  [
    'before, the highest of each module is built',
    'module m\ngo 1.16\nrequire a.org/a v1.0.0\n',
    ['a.org/a@v1.2.0 UNKNOWN', 'b.org/b@v0.3.0 UNKNOWN', 'c.org/c@v1.0.0 UNKNOWN', 'f.org/f@v1.0.1 UNKNOWN'],
  ],
  [
    'and none below what go.mod asks for',
    'module m\nrequire c.org/c v1.1.0\n',
    ['a.org/a@v1.2.0 UNKNOWN', 'b.org/b@v0.3.0 UNKNOWN', 'f.org/f@v1.0.1 UNKNOWN'],
  ],
  [
    'a replacement is what is built',
    'module m\ngo 1.22.1\nrequire c.org/c v1.0.0\nrequire b.org/b v0.1.0\nreplace c.org/c => f.org/f v1.0.1\nreplace b.org/b => ../b\n',
    ['f.org/f@v1.0.1 DIRECT'],
  ],
  [
    'a go.mod that is none decides nothing',
    'what is this\n',
    parts(readString(goSum, sums)).map((key) => `${key} UNKNOWN`),
  ],
]
for (const [what, goMod, expected] of selections) {
  test(`beside a go.mod: ${what}`, () => {
    const { items, problems } = goSum.read([Buffer.from(sums)], 'go.sum', { goMod: [Buffer.from(goMod)] })
    assert.deepEqual(problems, [])
    assert.deepEqual(
      items.map(({ key, transitivity }) => `${key} ${transitivity}`),
      expected,
    )
  })
}

test('another format', () => {
  assert.equal(readString(goSum, 'module x\n').problems[0]?.fatal, true)
})

agreesWithOtherReaders(goSum, { folder: 'go', only: /go\.sum$/ })
survivesMutation(goSum, lock)
