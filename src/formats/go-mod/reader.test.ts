import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, itemNamed, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { goMod } from './reader.ts'

const lock = `// a module
module example.com/app

go 1.22

toolchain go1.22.6

require github.com/single/one v1.0.0 // indirect

require (
	github.com/a/b v1.2.3
	"github.com/c/d" v0.0.0-20240101000000-abcdefabcdef // indirect; used by tests
	github.com/here/too v1.0.0
	github.com/x/all v1.0.0
	github.com/x/all/v2 v2.1.0+incompatible
)

exclude github.com/a/b v1.2.2
retract [v1.0.0, v1.1.0] // broken

replace (
	github.com/here/too => ../too
	github.com/x/all => github.com/fork/all v1.0.9
	github.com/x/all v1.0.0 => github.com/fork/exact v1.0.1
)
`

test('replacements, folders, indirect requirements and quotes', () => {
  const { items, problems } = readString(goMod, lock)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ key, transitivity, line }) => [key, transitivity, line]),
    [
      ['github.com/single/one@v1.0.0', 'TRANSITIVE', 8],
      ['github.com/a/b@v1.2.3', 'DIRECT', 11],
      ['github.com/c/d@v0.0.0-20240101000000-abcdefabcdef', 'TRANSITIVE', 12],
      ['github.com/fork/exact@v1.0.1', 'DIRECT', 14],
      ['github.com/x/all/v2@v2.1.0+incompatible', 'DIRECT', 15],
    ],
  )
})

test('a line that is none is a problem, the others are read', () => {
  const reading = readString(goMod, 'module a\nwhat is this\nrequire github.com/a/b\nrequire github.com/c/d v1.0.0\n')
  assert.deepEqual(parts(reading), ['github.com/c/d@v1.0.0'])
  assert.equal(itemNamed(reading, 'github.com/c/d').line, 4)
  assert.deepEqual(
    reading.problems.map(({ code, line }) => [code, line]),
    [
      ['bad-line', 2],
      ['bad-line', 3],
    ],
  )
})

// They drop the `v`, osv-scalibr adds the Go release as `stdlib`, and the reference readers do not replace.
agreesWithOtherReaders(goMod, {
  scalibr: 'gomod',
  osvDetector: 'GoLock',
  folder: 'go',
  only: /\.mod(?:\.txt)?$|not-go-mod/,
  adjust: (theirs) => {
    if (theirs.name === 'stdlib') return undefined
    const name = theirs.name === 'github.com/rogpeppe/go-internal' ? 'github.com/cli/go-internal' : theirs.name
    if (name !== theirs.name) return { ...theirs, name, version: 'v0.0.0-20241024130215-fa3c22e38b9b' }
    return { ...theirs, version: theirs.version.startsWith('v') ? theirs.version : `v${theirs.version}` }
  },
})
survivesMutation(goMod, lock)
