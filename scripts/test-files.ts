import { relative } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** What became of one test file. Failures that are not of a test, such as a time-out, go by the name of the file. */
export type FileResult = {
  file: string
  passed: string[]
  failed: string[]
  skipped: { name: string; why: string }[]
  seconds: number
  /** It had to be ended. */
  halted: boolean
}

type TestEvent = { type: string; data: unknown }
export type RunOptions = { root: string; atOnce: number; longestMs: number; print(text: string): void }

/**
 * Runs test files, each in a process of its own that ends after `longestMs` at the latest: Node's own limit ends a test, but
 * not a file that a failed test left open.
 */
export async function runTestFiles(
  files: string[],
  { root, atOnce, longestMs, print }: RunOptions,
): Promise<FileResult[]> {
  const results: FileResult[] = []
  const waiting = [...files]
  const report = new Readable({ objectMode: true, read() {} })
  const printed = printAll(report, print)

  async function takeTurns(): Promise<void> {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const { result, events } = await runFile(file, root, longestMs)
      results.push(result)
      for (const event of events) report.push(event)
      if (result.halted) print(`✖ ${result.file} had not ended after ${longestMs / 1000} s\n`)
    }
  }

  await Promise.all(Array.from({ length: atOnce }, takeTurns))
  report.push(null)
  await printed
  return results
}

async function runFile(path: string, root: string, longestMs: number) {
  const started = performance.now()
  const file = relative(root, path)
  const result: FileResult = { file, passed: [], failed: [], skipped: [], seconds: 0, halted: false }
  const events: TestEvent[] = []
  const ending = new AbortController()
  const limit = setTimeout(() => ending.abort(), longestMs)
  const stream = run({
    files: [path],
    cwd: root,
    timeout: longestMs,
    signal: ending.signal,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  stream.on('test:pass', ({ name, skip, details }) => {
    // A suite that is skipped says nothing of the tests in it.
    if (skip) result.skipped.push({ name, why: typeof skip === 'string' ? skip : 'no reason given' })
    else if (details.type !== 'suite') result.passed.push(name)
  })
  stream.on('test:fail', ({ name, details }) => {
    // A suite fails with the tests in it, which are counted already, or by a hook of its own.
    const failure = (details.error as { failureType?: string } | undefined)?.failureType
    if (details.type !== 'suite' || failure !== 'subtestsFailed') result.failed.push(name === path ? file : name)
  })
  for await (const event of stream) if (!isSum(event)) events.push(event)
  clearTimeout(limit)
  result.halted = ending.signal.aborted
  if (result.halted && !result.failed.includes(file)) result.failed.push(file)
  result.seconds = Math.round((performance.now() - started) / 1000)
  return { result, events }
}

/** The counts that Node adds at the end of each run. */
function isSum({ type, data }: TestEvent): boolean {
  const { nesting, file } = data as { nesting?: number; file?: string }
  return type === 'test:summary' || (type === 'test:diagnostic' && nesting === 0 && file === undefined)
}

async function printAll(report: Readable, print: (text: string) => void): Promise<void> {
  for await (const text of report.compose(spec)) print(String(text))
}
