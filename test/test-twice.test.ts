import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { FileResult } from '../scripts/testing/test-files.ts'

const passing = `test('passes', () => {})`
const failing = `test('fails', () => { throw new Error('as always') })`
const failsOnce = `test('fails once', () => { if (isFirst()) throw new Error('the first time') })`
const skipsThen = `test('is skipped then', (t) => { if (isFirst()) throw new Error('the first time'); t.skip('not now') })`
const hookFailsOnce = `suite('with a hook', () => {
  before(() => { if (isFirst()) throw new Error('the hook') })
  test('in it', () => {})
})`
const crashesOnce = `test('passes', () => {}); if (isFirst()) setImmediate(() => process.exit(7))`
const exitsOnce = `test('ends', () => { if (isFirst()) process.exit(7) })`
const skips = `test('is skipped', { skip: 'not here' }, () => {})`
const loadsSlowly = `import 'data:text/javascript,await new Promise((done) => setTimeout(done, 200))'
test('passes', () => {})`
const opensWhileLoaded = `globalThis.open = (globalThis.open ?? 0) + 1
await new Promise((done) => setTimeout(done, 50))
after(() => { globalThis.open-- })
test('is open', () => { if (globalThis.open !== 1) throw new Error(globalThis.open + ' are open') })`
const doesNotLoad = `import './nowhere.mjs'`
const staysOpenOnce = `test('passes', () => {})
process.on('SIGTERM', () => {})
if (isFirst()) { writeFileSync(import.meta.filename + '.pid', String(process.pid)); setInterval(() => {}, 1000) }`

test('what passes alone is named unsteady and counts as passed; what fails again has failed', async (t) => {
  const { results, output } = await runTwice(t, { passing, failing, failsOnce })
  assert.deepEqual(counts(results), { passed: 2, failed: 1 })
  assert.deepEqual(of(results, 'failing').failed, ['fails'])
  assert.match(
    output,
    /^once more, alone: failing\.test\.mjs, failsOnce\.test\.mjs$|^once more, alone: failsOnce.*failing/m,
  )
  assert.match(output, /^unsteady: failsOnce\.test\.mjs: fails once — failed beside others, passed alone$/m)
  assert.match(output, /Error: the first time/, 'the text of the first failure is kept')
  assert.doesNotMatch(output, /^unsteady: failing/m)
})

test('a failed hook and a file that crashed get a second run like a failed test', async (t) => {
  const { results, output } = await runTwice(t, { passing, hookFailsOnce, crashesOnce })
  assert.equal(counts(results).failed, 0)
  assert.match(output, /^unsteady: hookFailsOnce\.test\.mjs: with a hook — /m)
  assert.match(output, /^unsteady: crashesOnce\.test\.mjs: crashesOnce\.test\.mjs — /m)
})

test('a file that stays open is ended, and gets a second run', async (t) => {
  const { root, results, output } = await runTwice(t, { staysOpenOnce }, { longestMs: 10_000 })
  assert.deepEqual(counts(results), { passed: 1, failed: 0 })
  const pid = Number(readFileSync(join(root, 'staysOpenOnce.test.mjs.pid'), 'utf8'))
  assert.throws(() => process.kill(pid, 0), /ESRCH/, 'it is gone, though it catches SIGTERM')
  assert.match(output, /staysOpenOnce\.test\.mjs stayed open, or had not ended after 10 s/)
  assert.match(output, /^unsteady: staysOpenOnce\.test\.mjs: staysOpenOnce\.test\.mjs — /m)
})

test('a failure that the second run skips remains one', async (t) => {
  const { results, output } = await runTwice(t, { passing, skipsThen })
  assert.deepEqual(of(results, 'skipsThen').failed, ['is skipped then'])
  assert.doesNotMatch(output, /unsteady/)
})

test('files that share a process are told apart', async (t) => {
  const { results, output } = await runTwice(t, { passing, failsOnce, failing, skips }, { together: true })
  assert.deepEqual(counts(results), { passed: 2, failed: 1 })
  assert.deepEqual(of(results, 'failing').failed, ['fails'])
  assert.deepEqual(of(results, 'skips').skipped, [{ name: 'is skipped', why: 'not here' }])
  assert.match(output, /^unsteady: failsOnce\.test\.mjs: fails once — /m)
})

test('files that wait for the same module have their own tests, also behind one that cannot be loaded', async (t) => {
  const files = { first: loadsSlowly, doesNotLoad, second: loadsSlowly, third: loadsSlowly }
  const { results } = await runTwice(t, files, { together: true })
  assert.deepEqual(
    ['first', 'second', 'third'].map((name) => of(results, name).passed),
    [['passes'], ['passes'], ['passes']],
  )
  assert.ok(of(results, 'doesNotLoad').failed.length > 0)
})

test('a file that opens something while it is loaded is loaded when those before it have closed theirs', async (t) => {
  const { results } = await runTwice(t, { first: opensWhileLoaded, second: opensWhileLoaded }, { together: true })
  assert.deepEqual(
    results.map(({ passed, failed }) => [passed, failed]),
    [
      [['is open'], []],
      [['is open'], []],
    ],
  )
})

test('what a process that crashed had not begun is run by another', async (t) => {
  const { results, output } = await runTwice(t, { exitsOnce, passing, failing }, { together: true })
  assert.deepEqual(counts(results), { passed: 2, failed: 1 })
  assert.match(output, /^unsteady: exitsOnce\.test\.mjs: exitsOnce\.test\.mjs — /m)
})

test('more failed files than 25 are not run again', async (t) => {
  const files = Object.fromEntries(Array.from({ length: 26 }, (_, index) => [`once${index}`, failsOnce]))
  const { results, output } = await runTwice(t, { passing, ...files }, { together: true })
  assert.deepEqual(counts(results), { passed: 1, failed: 26 })
  assert.doesNotMatch(output, /once more|unsteady/)
})

/** In a process of its own, because Node runs no tests from within a test. */
async function runTwice(
  t: TestContext,
  sources: Record<string, string>,
  { longestMs = 60_000, together = false } = {},
) {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(root, `${name}.test.mjs`), preamble + source)
  const script = pathToFileURL(join(import.meta.dirname, '../scripts/testing/test-twice.ts')).href
  const files = Object.keys(sources).map((name) => join(root, `${name}.test.mjs`))
  const groups = together ? [files] : files.map((file) => [file])
  const code = `const { runTestFilesTwice } = await import(${JSON.stringify(script)})
    let output = ''
    const options = { root: ${JSON.stringify(root)}, atOnce: 2, longestMs: ${longestMs}, print: (text) => (output += text) }
    const results = await runTestFilesTwice(${JSON.stringify(groups)}, options)
    process.stdout.write(JSON.stringify({ results, output }))`
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const entry = join(root, 'entry.mjs')
  writeFileSync(entry, code)
  const { stdout } = await promisify(execFile)(process.execPath, [entry], { env, cwd: root, timeout: 120_000 })
  return { root, ...(JSON.parse(stdout) as { results: FileResult[]; output: string }) }
}

const preamble = `import { existsSync, writeFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
function isFirst() {
  const marker = import.meta.filename + '.ran'
  if (existsSync(marker)) return false
  writeFileSync(marker, '')
  return true
}
`

function counts(results: FileResult[]): { passed: number; failed: number } {
  return {
    passed: results.flatMap(({ passed }) => passed).length,
    failed: results.flatMap(({ failed }) => failed).length,
  }
}

function of(results: FileResult[], name: string): FileResult {
  return results.find(({ file }) => file === `${name}.test.mjs`)!
}
