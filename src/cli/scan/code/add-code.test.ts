import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sentNames } from '../../../formats/sarif/identity/content.ts'
import { addCode } from './add-code.ts'
import { codeAt } from './code-at.ts'
import { createSources } from './source-lines.ts'

function checkout(t: TestContext, files: Record<string, string | Uint8Array>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-code-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

const result = (uri: string, startLine: number, more: object = {}) => ({
  ruleId: 'no-eval',
  message: { text: 'eval can be harmful.' },
  locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine } } }],
  ...more,
})
const log = (...results: object[]) => ({ version: '2.1.0', runs: [{ tool: { driver: { name: 'ESLint' } }, results }] })

/** The log as it is sent; undefined where it goes as it is. */
function sent(folder: string, written: string | Uint8Array, root = folder): string | undefined {
  const place = join(folder, 'eslint.sarif')
  writeFileSync(place, written)
  rmSync(`${place}.copy`, { force: true })
  const added = addCode(place, `${place}.copy`, { sources: createSources(folder), root })
  return added ? readFileSync(`${place}.copy`, 'utf8') : undefined
}

test('results that point at code get it; all else stays as it is, to the byte', (t) => {
  const folder = checkout(t, { 'src/a b.js': "start()\n  eval('1+1')\nstop()\n" })
  const own = `{ "ruleId":"r", "message":{"text":"é 1.0"}, "locations":[{"physicalLocation":{"artifactLocation":
    {"uri":"src/a%20b.js"},"region":{"startLine":2,"snippet":{"text":"eval('1+1')"}}}}] , "rank": 1.0 }`
  const plain = JSON.stringify(result(`file://${folder}/src/a%20b.js`, 2, { rank: 3 }))
  const written = `\ufeff{"version":"2.1.0", "runs":[ {"tool":{"driver":{"name":"ESLint"}},\n"results":[${own},\n${plain} ,${own}] } ]}\n`
  const added = sent(folder, written)!
  const [before, middle] = [written.slice(0, written.indexOf(plain)), added.slice(written.indexOf(plain))]
  assert.ok(added.startsWith(before))
  assert.ok(middle.endsWith(` ,${own}] } ]}\n`))
  const told = JSON.parse(added.slice(1)).runs[0].results[1]
  assert.equal(told.rank, 3)
  assert.match(told.partialFingerprints[sentNames.code], /^[\w-]{22}$/)
  assert.match(told.partialFingerprints[sentNames.around], /^[\w-]{22}$/)
  const { region, contextRegion } = told.locations[0].physicalLocation
  assert.deepEqual(region, { startLine: 2 })
  assert.deepEqual(contextRegion, { startLine: 2, endLine: 2, snippet: { text: "  eval('1+1')" } })
  assert.equal(sent(folder, added), undefined, 'a log that has all of it')
})

const key = 'AKIA1234567890ABCDEF'
const secretLine = `const key = '${key}'`

test('nothing is read outside of the checkout, nor what is not text, nor where credentials are', (t) => {
  const outside = checkout(t, { 'secret.js': 'eval(outside)' })
  const folder = checkout(t, {
    'in/a.js': 'eval(x)',
    'utf16.js': Buffer.from('\ufeffeval(x)', 'utf16le'),
    'binary.js': Uint8Array.of(101, 0, 1, 2),
    'large.js': Buffer.alloc(4 * 1024 * 1024 + 1, 'x'),
    '.git/config': 'token',
    'app/.env': 'PASSWORD=hunter2',
    '.env.local': 'PASSWORD=hunter2',
  })
  symlinkSync(join(outside, 'secret.js'), join(folder, 'link.js'))
  symlinkSync(outside, join(folder, 'folder'))
  symlinkSync(join(folder, '.git'), join(folder, 'git-link'))
  symlinkSync(join(folder, 'in/a.js'), join(folder, 'inner.js'))
  const sources = createSources(folder)
  for (const path of ['in/a.js', 'inner.js', 'utf16.js']) assert.deepEqual(sources.linesOf(path), ['eval(x)'], path)
  const up = `../${outside.split('/').at(-1)}/secret.js`
  const closed = [
    'link.js',
    'folder/secret.js',
    up,
    `in/../${up}`,
    '.git/config',
    'git-link/config',
    'app/.env',
    '.env.local',
  ]
  const odd = ['binary.js', 'large.js', 'in', 'none.js', '', '.', '/', 'a\0b', '/etc/passwd', `${outside}/secret.js`]
  for (const path of [...closed, ...odd]) assert.equal(sources.linesOf(path), undefined, path)
  const results = [up, 'link.js', `file://${outside}/secret.js`, '/etc/passwd'].map((uri) => result(uri, 1))
  assert.equal(sent(folder, JSON.stringify(log(...results))), undefined)
})

test('a result about a secret gets nothing, and what looks like a secret is masked in others', (t) => {
  const folder = checkout(t, { 'a.js': `${secretLine}\n` })
  const about = { ruleId: 'no-hardcoded-secret', message: { text: 'A secret.' } }
  assert.equal(sent(folder, JSON.stringify(log(result('a.js', 1, about)))), undefined)
  const added = sent(folder, JSON.stringify(log(result('a.js', 1))))!
  assert.ok(!added.includes(key))
  assert.ok(added.includes('const key = '))
})

test('logs that cannot be read, and files that are none, go as they are', (t) => {
  const folder = checkout(t, { 'a.js': 'eval(x)' })
  const whole = JSON.stringify(log(result('a.js', 1)))
  for (const written of ['', '{', whole.slice(0, -2), '{"lockfileVersion":3}', '[]', Uint8Array.of(0x1f, 0x8b, 8, 0)]) {
    assert.equal(sent(folder, written), undefined)
  }
  assert.equal(sent(folder, JSON.stringify(log(result('a.js', 7), result('a.js', 0)))), undefined, 'no such line')
})

test('code is known by its lines, and what is around it by a hundred characters on each side', () => {
  const far = Array.from({ length: 60 }, (_, at) => `line(${at})`)
  const place = (text: string, before = far, after = far) => codeAt([...before, text, ...after], before.length + 1, 0)!
  const first = place('eval(x)')
  assert.deepEqual(place('   eval( x )  ', ['new', ...far], [...far, 'new']).code, first.code)
  assert.deepEqual(place('eval(x)', ['new', ...far], [...far, 'new']).around, first.around)
  assert.notEqual(place('eval(y)').code, first.code)
  assert.notEqual(place('eval(x)', [...far, 'new']).around, first.around)
  assert.notEqual(place('eval(x)', far, ['new', ...far]).around, first.around)
  assert.equal(codeAt(['  '], 1, 1), undefined)
  assert.equal(codeAt(['a'], 2, 2), undefined)
  const minified = codeAt(['x'.repeat(3_000_000)], 1, 1)!
  assert.ok(minified.snippet.text.length <= 300)
})
