import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { gradleVerification } from './reader.ts'

const lock = `<?xml version="1.0" encoding="UTF-8"?>
<verification-metadata xmlns="https://schema.gradle.org/dependency-verification">
  <configuration><verify-metadata>true</verify-metadata></configuration>
  <components>
    <component group="org.apache" name="a" version="2.0"><artifact name="a-2.0.jar"/></component>
    <component name="b" group="org.apache"/>
    <component name="c" version="1.0"/>
  </components>
</verification-metadata>
`

test('components, and what is missing in them', () => {
  const reading = readString(gradleVerification, lock)
  assert.deepEqual(parts(reading), ['org.apache:a@2.0', 'org.apache:b@'])
  assert.equal(reading.items[0]?.line, 5)
  assert.deepEqual(
    reading.problems.map(({ code, line }) => [code, line]),
    [
      ['missing-version', 6],
      ['missing-name', 7],
    ],
  )
})

test('a document type is refused', () => {
  assert.equal(readString(gradleVerification, `<!DOCTYPE x>${lock}`).problems[0]?.code, 'doctype')
})

// osv-scalibr lists components without a group or a name under the half that is there; we say that it is missing.
agreesWithOtherReaders(gradleVerification, {
  scalibr: 'gradleverificationmetadataxml',
  tolerated: ['missing-name', 'missing-version'],
  adjust: (theirs) => (/^:|:$/.test(theirs.name) ? undefined : theirs),
})
survivesMutation(gradleVerification, lock)
