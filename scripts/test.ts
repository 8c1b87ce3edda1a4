import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { startTestCluster } from '../test/cluster.ts'
import { often } from '../test/depth.ts'
import { check } from './check.ts'

/**
 * `npm test`: the checks, then every test, on one throw-away PostgreSQL. Arguments narrow it down to files or folders.
 * Ends with the line `N passed, N failed, N skipped`, and says before it what took longest and why tests were skipped.
 */
const root = join(import.meta.dirname, '..')
const wanted = process.argv.slice(2)

const checksFailed = wanted.length > 0 ? 0 : await check()
const files = findTests(wanted)
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'))
const cluster = await startTestCluster(folder)
process.env.GATEHOUSE_TEST_CLUSTER = JSON.stringify(cluster.connection)
// Every file is a process of its own, and most of them load most of the code.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'gatehouse')

/** A file that takes longer has come to a halt, and the others should not wait for it for ever. */
const longestFileMs = often(15 * 60_000)

let passed = 0
let failed = 0
const skipped: { name: string; why: string }[] = []
const times: { file: string; seconds: number }[] = []
try {
  const events = run({
    files,
    concurrency: Math.min(Math.max(availableParallelism(), 2), 4),
    timeout: longestFileMs,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  events.on('test:pass', (event) => {
    // A suite that is skipped says nothing of the tests in it.
    if (event.skip)
      skipped.push({ name: event.name, why: typeof event.skip === 'string' ? event.skip : 'no reason given' })
    else if (event.details.type !== 'suite') passed++
  })
  events.on('test:fail', (event) => {
    // A suite fails with the tests in it, which are counted already, or by a hook of its own.
    const failure = (event.details.error as { failureType?: string } | undefined)?.failureType
    if (event.details.type !== 'suite' || failure !== 'subtestsFailed') failed++
  })
  events.on('test:summary', ({ file, duration_ms }) => {
    if (file) times.push({ file: relative(root, file), seconds: Math.round(duration_ms / 1000) })
  })
  for await (const text of events.compose(spec)) process.stdout.write(text)
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
if (passed === 0) failed++
const slowest = times.sort((a, b) => b.seconds - a.seconds).slice(0, 20)
console.log(`slowest: ${slowest.map(({ file, seconds }) => `${file} ${seconds} s`).join(', ')}`)
for (const [why, all] of Map.groupBy(skipped, (one) => one.why))
  console.log(`skipped: ${all.map(({ name }) => name).join(', ')}: ${why}`)
console.log(`${passed} passed, ${failed + checksFailed} failed, ${skipped.length} skipped`)
process.exit(failed + checksFailed > 0 ? 1 : 0)

function findTests(only: string[]): string[] {
  const usual = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts'], { cwd: root })
  const deep = () => [...globSync('test/deep/*.deep.ts', { cwd: root }), ...usual.filter(goesDeeper)]
  const all = (process.env.GATEHOUSE_DEEP ? deep() : usual).sort()
  const chosen = only.length === 0 ? all : all.filter((file) => only.some((part) => file.includes(part)))
  return chosen.map((file) => join(root, file))
}

function goesDeeper(file: string): boolean {
  return /\/(depth|lockfile-suite|hostile-documents)\.ts'/.test(readFileSync(join(root, file), 'utf8'))
}
