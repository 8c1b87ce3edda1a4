import { globSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, sep } from 'node:path'
import { proxiedEcosystemIds } from '../src/ecosystems/ecosystem.ts'
import { createDefaults, settingNames, type UpstreamSettings } from '../src/proxy/upstream/defaults.ts'
import { startTestCluster } from '../test/cluster.ts'
import { databaseFolder } from '../test/database-folder.ts'
import { often } from '../test/depth.ts'
import { check } from './check.ts'
import { processorTimeOf } from './processor-time.ts'
import { type FileResult, runTestFiles } from './testing/test-files.ts'
import { runTestFilesTwice } from './testing/test-twice.ts'

/**
 * `npm test`: the checks, then every test, on one throw-away PostgreSQL. Arguments narrow it down to files or folders.
 * A whole run gives a few failed files a second chance, alone. Ends with the line `N passed, N failed, N skipped`, and says
 * before it what took longest and why tests were skipped.
 */
const root = join(import.meta.dirname, '..')
const wanted = process.argv.slice(2)

const files = findTests(wanted)
const folder = databaseFolder()
// Beside each other: what is checked last keeps one processor busy, and so does the schema.
const [checksFailed, cluster, upstreams] = await Promise.all([
  wanted.length > 0 ? 0 : check(),
  startTestCluster(folder),
  upstreamsHere(),
])
process.env.GATEHOUSE_TEST_CLUSTER = JSON.stringify(cluster.connection)
// Each Gatehouse that is started would ask the clients of this machine, which takes them a second.
process.env.GATEHOUSE_TEST_UPSTREAMS = JSON.stringify(upstreams)
// Every few files are a process of their own, and most of them load most of the code.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'gatehouse')

/** A process that takes longer has come to a halt, and the others should not wait for it for ever. */
const longestMs = often(30 * 60_000)
/** How many files of a folder share a process, at most. What takes longest begins first, so that nobody waits for it at the end. */
const filesOfAGroup: Record<string, number> = { test: 8, console: 10, src: 32 }
/** Of fewer files, loading the product would be much of the work. */
const smallestGroup = 4
/** Two more than there are processors: a third of the time a test waits, for time-outs and for what it has started. */
const atOnce = Math.min(availableParallelism(), 3) + 2

/** Of the processor, for the database that files share. */
let sharedMs = 0
// Who names files is looking for a failure, and should see each.
const runAll = wanted.length > 0 ? runTestFiles : runTestFilesTwice
const results = await runAll(inGroups(files), {
  root,
  atOnce,
  longestMs,
  print: (text) => process.stdout.write(text),
}).finally(async () => {
  const before = processorTimeOf('self')?.endedMs ?? 0
  await cluster.stop()
  sharedMs = (processorTimeOf('self')?.endedMs ?? 0) - before
  rmSync(folder, { recursive: true, force: true })
})
const passed = results.flatMap((result) => result.passed).length
const failed = results.flatMap((result) => result.failed).length + checksFailed + (passed === 0 ? 1 : 0)
const skipped = results.flatMap((result) => result.skipped)
console.log(`slowest: ${most((result) => result.seconds)}`)
console.log(`most processor time: ${most((result) => result.processorSeconds)}`)
console.log(`took: ${minutes(performance.now() / 1000)}${processorTime()}`)
for (const [why, all] of Map.groupBy(skipped, (one) => one.why))
  console.log(`skipped: ${all.map(({ name }) => name).join(', ')}: ${why}`)
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`)
process.exit(failed > 0 ? 1 : 0)

function most(secondsOf: (result: FileResult) => number): string {
  const sorted = results.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, 20)
  return sorted.map((result) => `${result.file} ${secondsOf(result)} s`).join(', ')
}

function processorTime(): string {
  const own = processorTimeOf('self')
  if (!own) return ''
  const all = minutes((own.ms + own.endedMs) / 1000)
  return `, ${all} of processor time, of it ${minutes(sharedMs / 1000)} for the database that files share`
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** Where packages come from on this machine, as settings. */
async function upstreamsHere(): Promise<Record<string, string>> {
  const defaults = createDefaults({} as UpstreamSettings)
  const found = proxiedEcosystemIds.map(async (id) => [settingNames[id], (await defaults.get(id)).url])
  return Object.fromEntries(await Promise.all(found))
}

function findTests(only: string[]): string[] {
  const usual = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'console/**/*.test.ts'], { cwd: root })
  const deep = () => [...globSync('test/deep/*.deep.ts', { cwd: root }), ...usual.filter(goesDeeper)]
  const all = (process.env.GATEHOUSE_DEEP ? deep() : usual).sort()
  const chosen = only.length === 0 ? all : all.filter((file) => only.some((part) => file.includes(part)))
  return chosen.map((file) => join(root, file))
}

/** Loading the product costs more than most files do, so a few of them share a process. */
function inGroups(files: string[]): string[][] {
  const { shared = [], alone = [] } = Object.groupBy(files, (file) => (isAlone(file) ? 'alone' : 'shared'))
  const groups = alone.map((file) => [file])
  for (const [folder, size] of Object.entries(filesOfAGroup)) {
    const inside = shared.filter((file) => folderOf(file) === folder)
    for (let at = 0; at < inside.length; at += groups.at(-1)!.length) {
      // The last groups are small, so that all processors are busy until the end.
      const share = Math.ceil((inside.length - at) / (2 * atOnce))
      groups.push(inside.slice(at, at + Math.min(size, Math.max(share, smallestGroup))))
    }
  }
  return groups
}

function isAlone(file: string): boolean {
  return /^\/\/ Alone in its process:/m.test(readFileSync(file, 'utf8'))
}

function folderOf(file: string): string {
  return relative(root, file).split(sep)[0]!
}

function goesDeeper(file: string): boolean {
  return /\/(depth|lockfile-suite|hostile-documents)\.ts'/.test(readFileSync(join(root, file), 'utf8'))
}
