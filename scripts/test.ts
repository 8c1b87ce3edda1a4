import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { startTestCluster } from '../test/cluster.ts'
import { often } from '../test/depth.ts'
import { check } from './check.ts'
import { processorTimeOf } from './processor-time.ts'
import { runTestFiles } from './testing/test-files.ts'
import { runTestFilesTwice } from './testing/test-twice.ts'

/**
 * `npm test`: the checks, then every test, on one throw-away PostgreSQL. Arguments narrow it down to files or folders.
 * A whole run gives a few failed files a second chance, alone. Ends with the line `N passed, N failed, N skipped`, and says
 * before it what took longest and why tests were skipped.
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
const longestMs = often(15 * 60_000)
/** How many files of a folder share a process; those of the console take longer, a browser each. */
const filesOfAGroup: Record<string, number> = { src: 12, console: 6 }
/** One more than there are processors: tests also wait, for time-outs and for what they have started. */
const atOnce = Math.min(availableParallelism(), 3) + 1

const started = performance.now()
// Who names files is looking for a failure, and should see each.
const runAll = wanted.length > 0 ? runTestFiles : runTestFilesTwice
const results = await runAll(inGroups(files), {
  root,
  atOnce,
  longestMs,
  print: (text) => process.stdout.write(text),
}).finally(async () => {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
})
const passed = results.flatMap((result) => result.passed).length
const failed = results.flatMap((result) => result.failed).length + checksFailed + (passed === 0 ? 1 : 0)
const skipped = results.flatMap((result) => result.skipped)
const slowest = results.sort((a, b) => b.seconds - a.seconds).slice(0, 20)
console.log(`slowest: ${slowest.map(({ file, seconds }) => `${file} ${seconds} s`).join(', ')}`)
console.log(`took: ${minutes((performance.now() - started) / 1000)}${processorTime()}`)
for (const [why, all] of Map.groupBy(skipped, (one) => one.why))
  console.log(`skipped: ${all.map(({ name }) => name).join(', ')}: ${why}`)
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`)
process.exit(failed > 0 ? 1 : 0)

function processorTime(): string {
  const own = processorTimeOf('self')
  return own ? `, ${minutes((own.ms + own.endedMs) / 1000)} of processor time` : ''
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

function findTests(only: string[]): string[] {
  const usual = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts'], { cwd: root })
  const deep = () => [...globSync('test/deep/*.deep.ts', { cwd: root }), ...usual.filter(goesDeeper)]
  const all = (process.env.GATEHOUSE_DEEP ? deep() : usual).sort()
  const chosen = only.length === 0 ? all : all.filter((file) => only.some((part) => file.includes(part)))
  return chosen.map((file) => join(root, file))
}

/** Tests of parts of the source and of the console share a process, a few files at a time; those of the whole have one each. */
function inGroups(files: string[]): string[][] {
  const { shared = [], alone = [] } = Object.groupBy(files, (file) => (sharesProcess(file) ? 'shared' : 'alone'))
  const groups = alone.map((file) => [file])
  for (const [folder, inside] of Map.groupBy(shared, folderOf)) {
    const size = filesOfAGroup[folder]!
    for (let at = 0; at < inside.length; at += size) groups.push(inside.slice(at, at + size))
  }
  return groups
}

/** All files of a process are loaded before the first test of it is run: what opens something then would open it for all. */
function sharesProcess(file: string): boolean {
  const source = readFileSync(file, 'utf8')
  return folderOf(file) in filesOfAGroup && !/^(const|let) .*\bawait |^\/\/ Alone in its process:/m.test(source)
}

function folderOf(file: string): string {
  return relative(root, file).split(sep)[0]!
}

function goesDeeper(file: string): boolean {
  return /\/(depth|lockfile-suite|hostile-documents)\.ts'/.test(readFileSync(join(root, file), 'utf8'))
}
