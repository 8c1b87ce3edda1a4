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

test('another format', () => {
  assert.equal(readString(goSum, 'module x\n').problems[0]?.fatal, true)
})

agreesWithOtherReaders(goSum, { folder: 'go', only: /go\.sum$/ })
survivesMutation(goSum, lock)
