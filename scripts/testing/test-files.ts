import { join, relative, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { betweenFiles } from './test-group.ts'

/** What became of one test file. Failures that are not of a test, such as a time-out, go by the name of the file. */
export type FileResult = {
  file: string
  passed: string[]
  failed: string[]
  skipped: { name: string; why: string }[]
  seconds: number
  /** Of the processor, for its process and what that started; of a database that files share, nothing. */
  processorSeconds: number
  /** It had to be ended. */
  halted: boolean
}

type TestEvent = { type: string; data: unknown }
type EndOfTest = { nesting: number; name: string; details: { duration_ms: number } }
export type RunOptions = { root: string; atOnce: number; longestMs: number; print(text: string): void }

/** How long a process may take to end after its last test: what keeps it open was left so, most often by a failure. */
const mostOpenMs = 120_000

const groupScript = join(import.meta.dirname, 'test-group.ts')

/**
 * Runs test files by groups, each group in a process of its own that ends after `longestMs` at the latest: Node's own limit ends a
 * test, but not a file that a failed test left open. What a process that ended too early had not begun is run by another.
 */
export async function runTestFiles(
  groups: string[][],
  { root, atOnce, longestMs, print }: RunOptions,
): Promise<FileResult[]> {
  const results: FileResult[] = []
  const waiting = [...groups]
  const report = new Readable({ objectMode: true, read() {} })
  const printed = printAll(report, print)

  async function takeTurns(): Promise<void> {
    for (let group = waiting.shift(); group; group = waiting.shift()) {
      const { ended, events } = await runGroup(group, root, longestMs)
      results.push(...ended)
      if (ended.length < group.length) waiting.push(group.slice(ended.length))
      for (const event of events) report.push(event)
      if (ended.at(-1)!.halted)
        print(`✖ ${inProcess(ended)} stayed open, or had not ended after ${longestMs / 1000} s\n`)
    }
  }

  await Promise.all(Array.from({ length: atOnce }, takeTurns))
  report.push(null)
  await printed
  return results
}

async function runGroup(paths: string[], root: string, longestMs: number) {
  const ended: FileResult[] = []
  const events: TestEvent[] = []
  const files = paths.map((path) => relative(root, path))
  let running = newResult(files[0]!)
  const ending = new AbortController()
  const limit = setTimeout(() => ending.abort(), longestMs)
  let afterwards: NodeJS.Timeout | undefined
  const stream = run({
    files: [groupScript],
    argv: paths,
    cwd: root,
    timeout: longestMs,
    signal: ending.signal,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  /** Each file is a suite at the top, and they come one after another. */
  function endOfFile({ nesting, name, details }: EndOfTest): void {
    if (nesting > 0 || name !== running.file) return
    running.seconds = Math.round(details.duration_ms / 1000)
    ended.push(running)
    running = newResult(files[ended.length] ?? 'none')
  }
  stream.on('test:pass', (test) => {
    const { name, skip, details, nesting } = test
    if (nesting === 0 && name === betweenFiles) return
    // A suite that is skipped says nothing of the tests in it.
    if (skip) running.skipped.push({ name, why: typeof skip === 'string' ? skip : 'no reason given' })
    else if (details.type !== 'suite') running.passed.push(name)
    endOfFile(test)
  })
  let processorMs = 0
  stream.on('test:diagnostic', ({ nesting, file, message }) => {
    const last = ended.at(-1)
    if (nesting !== 0 || file !== groupScript || !last) return
    last.processorSeconds = Math.round((Number(message) - processorMs) / 1000)
    processorMs = Number(message)
    if (ended.length === files.length) afterwards = setTimeout(() => ending.abort(), Math.min(longestMs, mostOpenMs))
  })
  let crashed = false
  stream.on('test:fail', (test) => {
    const { name, details } = test
    // A suite fails with the tests in it, which are counted already, or by a hook of its own.
    const failure = (details.error as { failureType?: string } | undefined)?.failureType
    if (resolve(root, name) === groupScript) crashed = failure !== 'subtestsFailed'
    else if (details.type !== 'suite' || failure !== 'subtestsFailed') running.failed.push(name)
    endOfFile(test)
  })
  for await (const event of stream) if (!isSum(event) && !isBetween(event)) events.push(event)
  clearTimeout(limit)
  clearTimeout(afterwards)
  if (ended.length < files.length) ended.push(running)
  const last = ended.at(-1)!
  last.halted = ending.signal.aborted
  if (crashed || last.halted || last === running) last.failed.push(last.file)
  return { ended, events }
}

/** Any of the files that a process ran may have left something open. */
function inProcess(ended: FileResult[]): string {
  const last = ended.at(-1)!.file
  return ended.length === 1
    ? last
    : `${last}, or one that ran before it in its process: ${namesOf(ended.slice(0, -1))},`
}

function namesOf(results: FileResult[]): string {
  return results.map(({ file }) => file).join(', ')
}

function newResult(file: string): FileResult {
  return { file, passed: [], failed: [], skipped: [], seconds: 0, processorSeconds: 0, halted: false }
}

/** The counts that Node adds at the end of each run. */
function isSum({ type, data }: TestEvent): boolean {
  const { nesting, file } = data as { nesting?: number; file?: string }
  return type === 'test:summary' || (type === 'test:diagnostic' && nesting === 0 && file === undefined)
}

/** The test after each file, and what it says. */
function isBetween({ type, data }: TestEvent): boolean {
  const { nesting, name, file } = data as { nesting?: number; name?: string; file?: string }
  return nesting === 0 && (name === betweenFiles || (type === 'test:diagnostic' && file === groupScript))
}

async function printAll(report: Readable, print: (text: string) => void): Promise<void> {
  for await (const text of report.compose(spec)) print(String(text))
}
