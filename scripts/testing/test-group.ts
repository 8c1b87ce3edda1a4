import { relative } from 'node:path'
import { describe, test } from 'node:test'
import { processorTimeOf } from '../processor-time.ts'

/** The test after each file of a process. It says what the processor did for the process up to now, and is not counted. */
export const betweenFiles = 'the files before have ended'

/**
 * The test files that are named, one after another in this process, each a suite of its own: loading the product costs more than
 * most files do. A file is loaded when the tests of those before it have ended, so it may open something while it is loaded.
 */
if (import.meta.main) {
  // Playwright catches this signal to close its browser, and a process that catches it does not end by it.
  process.on('SIGTERM', () => process.exit(143))
  // As a server does it: timers that keep no process open fire while others wait for what they do.
  const open = setInterval(() => {}, 60_000)
  for (const path of process.argv.slice(2)) {
    describe(relative(process.cwd(), path), async () => {
      await import(path)
    })
    // A suite does not say when it has ended, but the test that waits behind it does.
    await test(betweenFiles, (t) => t.diagnostic(String(processorMs())))
  }
  clearInterval(open)
}

function processorMs(): number {
  const own = processorTimeOf('self')
  return own ? own.ms + own.endedMs : 0
}
