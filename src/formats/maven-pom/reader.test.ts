import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreesWithOtherReaders, itemNamed, parts, readString, survivesMutation } from '../../../test/lockfile-suite.ts'
import { mavenPom } from './reader.ts'

function pom(dependencies: string, rest = ''): string {
  return `<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
<parent><groupId>org.parent</groupId><artifactId>up</artifactId><version>7</version></parent>
<artifactId>app</artifactId>
<dependencies>${dependencies}</dependencies>${rest}</project>`
}

function dependency(version: string, more = '', group = 'g', artifact = 'a'): string {
  const written = version && `<version>${version}</version>`
  return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId>${written}${more}</dependency>`
}

const properties = `<properties><one>1.0</one><two>\${one}.2</two><loop>\${pool}</loop><pool>\${loop}</pool></properties>`
const versions: [written: string, version: string, problems: string[]][] = [
  ['1.0', '1.0', []],
  [`\${one}`, '1.0', []],
  [`\${two}-x`, '1.0.2-x', []],
  [`\${project.version}`, '7', []],
  [`\${project.parent.version}`, '7', []],
  [`\${parent.version}`, '7', []],
  ['[1.0]', '1.0', []],
  ['[1.0,2.0)', '1.0', []],
  ['(,2.0]', '', ['missing-version']],
  ['LATEST', '', ['missing-version']],
  [`\${loop}`, '', ['missing-version']],
  [`\${elsewhere}`, '', ['missing-version']],
  ['', '', ['missing-version']],
]
for (const [written, version, problems] of versions) {
  test(`version ${written || 'left out'}`, () => {
    const reading = readString(mavenPom, pom(dependency(written), properties))
    assert.deepEqual(parts(reading), [`g:a@${version}`])
    assert.deepEqual(
      reading.problems.map(({ code }) => code),
      problems,
    )
  })
}

test('dependencyManagement gives versions, and no dependencies', () => {
  const managed = `<dependencyManagement><dependencies>${dependency('2.0')}${dependency('3.0', '', 'g', 'unused')}</dependencies></dependencyManagement>`
  assert.deepEqual(parts(readString(mavenPom, pom(dependency(''), managed))), ['g:a@2.0'])
})

test('dependencyManagement gives the scope that a dependency does not state itself', () => {
  const managed = `<dependencyManagement><dependencies>${dependency('2.0', '<scope>test</scope>')}</dependencies></dependencyManagement>`
  const development = (more: string) => readString(mavenPom, pom(dependency('', more), managed)).items[0]?.development
  assert.equal(development(''), true)
  assert.equal(development('<scope>runtime</scope>'), false)
})

test('the encoding that the declaration states is used', () => {
  const text = pom(dependency('1.0'), '<developers><name>J\u00f6rg</name></developers>')
  const latin = text.replace('version="1.0"?>', 'version="1.0" encoding="ISO-8859-1"?>')
  assert.deepEqual(parts(mavenPom.read([Buffer.from(latin, 'latin1')], '')), ['g:a@1.0'])
  assert.equal(mavenPom.read([Buffer.from(text, 'latin1')], '').problems[0]?.code, 'not-utf8')
})

test('scopes, profiles, names from properties and missing names', () => {
  const inProfile = (active: string, artifact: string) =>
    `<profile><activation><activeByDefault>${active}</activeByDefault></activation><dependencies>${dependency('1', '', 'p', artifact)}</dependencies></profile>`
  const profiles = `<profiles>${inProfile('true', 'on')}${inProfile('false', 'off')}</profiles>`
  const list = [
    dependency('1', '<scope>test</scope>', 'g', 't'),
    dependency('1', '', `\${project.groupId}`, 'own'),
    dependency('1', '', '', 'nameless'),
    dependency('1', '', `\${unknown}`, 'nameless'),
  ]
  const reading = readString(mavenPom, pom(list.join('\n'), profiles))
  assert.deepEqual(parts(reading), ['g:t@1', 'org.parent:own@1', 'p:on@1'])
  assert.deepEqual(
    reading.items.map(({ development }) => development),
    [true, false, false],
  )
  assert.deepEqual(
    reading.problems.map(({ code, line }) => [code, line]),
    [
      ['missing-name', 7],
      ['missing-name', 8],
    ],
  )
  assert.equal(itemNamed(reading, 'g:t').line, 5)
})

test('properties that hold each other many times do not grow without end', () => {
  const laughs = Array.from({ length: 40 }, (_, at) => `<p${at}>${`\${p${at + 1}}`.repeat(20)}</p${at}>`).join('')
  const reading = readString(mavenPom, pom(dependency(`\${p0}`), `<properties>${laughs}<p40>x</p40></properties>`))
  assert.deepEqual(parts(reading), ['g:a@'])
})

test('a document type is refused, other roots are another format', () => {
  assert.equal(readString(mavenPom, '<!DOCTYPE project><project></project>').problems[0]?.code, 'doctype')
  assert.equal(readString(mavenPom, '<beans></beans>').problems[0]?.code, 'wrong-format')
})

// osv-scalibr reads the parent beside the file; osv-detector lists what is only managed, and '0' for no version.
agreesWithOtherReaders(mavenPom, {
  scalibr: 'pomxml',
  osvDetector: 'MavenLock',
  folder: 'maven-pom',
  tolerated: ['missing-version', 'missing-name'],
  adjust: (theirs, file) => {
    if (theirs.name === 'org.dave:dave') return undefined
    const onlyManaged = ['com.google.code.findbugs:jsr305', 'org.mine:ranged-package']
    if (file.includes('osv-detector') && onlyManaged.includes(theirs.name)) return undefined
    return theirs.version === '0' ? { ...theirs, version: '' } : theirs
  },
})
survivesMutation(mavenPom, pom(dependency(`\${two}`, '<scope>test</scope>'), properties))
