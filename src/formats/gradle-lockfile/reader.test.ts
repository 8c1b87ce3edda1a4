import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, itemNamed, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { gradleLockfile } from './reader.ts'

const lock = `# This is a Gradle generated file for dependency locking.
com.example:lib:1.0=compileClasspath,testCompileClasspath
com.example:only-tests:2.0=testRuntimeClasspath,integrationTestCompileClasspath
com.example:tool:3.0=classpath
empty=annotationProcessor,testAnnotationProcessor
`

test('modules, tests, and lines that lock nothing', () => {
  const reading = readString(gradleLockfile, `${lock}  odd\ncom.example:short=x\n`)
  assert.deepEqual(parts(reading), ['com.example:lib@1.0', 'com.example:only-tests@2.0', 'com.example:tool@3.0'])
  assert.equal(itemNamed(reading, 'com.example:lib').development, false)
  assert.equal(itemNamed(reading, 'com.example:only-tests').development, true)
  assert.equal(itemNamed(reading, 'com.example:tool').line, 4)
  assert.deepEqual(
    reading.problems.map(({ code, line }) => [code, line]),
    [
      ['bad-line', 6],
      ['bad-line', 7],
    ],
  )
})

test('blanks around configurations, as people write them', () => {
  const text =
    'a:lib:1.0=compileClasspath, testCompileClasspath \na:tests:1.0 = testRuntimeClasspath , fooTestRuntime\nempty=\n'
  assert.equal(gradleLockfile.recognises(Buffer.from(text), ''), true)
  const reading = readString(gradleLockfile, text)
  assert.deepEqual(reading.problems, [])
  assert.deepEqual(
    reading.items.map(({ key, development }) => [key, development]),
    [
      ['a:lib@1.0', false],
      ['a:tests@1.0', true],
    ],
  )
})

test('the file of one configuration, as Gradle wrote them up to version 6', () => {
  const text = '# This is a Gradle generated file for dependency locking.\ncom.example:lib:1.0\n'
  const read = (name: string) => gradleLockfile.read([Buffer.from(text)], name)
  assert.equal(gradleLockfile.recognises(Buffer.from(text), ''), true)
  assert.deepEqual(parts(read('')), ['com.example:lib@1.0'])
  assert.deepEqual(read('').problems, [])
  assert.equal(read('runtimeClasspath.lockfile').items[0]?.development, false)
  assert.equal(read('gradle/dependency-locks/testRuntimeClasspath.lockfile').items[0]?.development, true)
})

test('a lock with nothing locked, and another format', () => {
  assert.deepEqual(readString(gradleLockfile, '# comment\nempty=classpath\n'), { items: [], problems: [] })
  assert.equal(readString(gradleLockfile, 'hello\n').problems[0]?.code, 'wrong-format')
})

// osv-scalibr passes over lines that are none without a word.
agreesWithOtherReaders(gradleLockfile, {
  scalibr: 'gradlelockfile',
  osvDetector: 'GradleLock',
  folder: 'gradle-lock',
  tolerated: ['bad-line'],
})
survivesMutation(gradleLockfile, lock)
