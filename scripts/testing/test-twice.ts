import { join } from 'node:path'
import { type FileResult, type RunOptions, runTestFiles } from './test-files.ts'

/** A machine that others hold up for minutes fails a dozen files of several hundred. More than this do not fail by chance. */
const mostFilesAgain = 25

/**
 * Runs test files, and those in which something failed once more, alone, one after another. What passes then counts as
 * passed and is named: it is unsteady, which is a defect, but none of the change that is being tested.
 */
export async function runTestFilesTwice(groups: string[][], options: RunOptions): Promise<FileResult[]> {
  const { root, print } = options
  const results = await runTestFiles(groups, options)
  const failed = results.filter((result) => result.failed.length > 0)
  if (failed.length === 0 || failed.length > mostFilesAgain) return results

  print(`\nonce more, alone: ${failed.map(({ file }) => file).join(', ')}\n`)
  const again = await runTestFiles(
    failed.map(({ file }) => [join(root, file)]),
    { ...options, atOnce: 1 },
  )
  return results.map((first) => {
    const second = again.find(({ file }) => file === first.file)
    return second ? judge(first, second, print) : first
  })
}

/** The second run counts, except that a failure it does not answer by a pass remains one. */
function judge(first: FileResult, second: FileResult, print: (text: string) => void): FileResult {
  const steadyFailures = new Set(second.failed)
  for (const name of new Set(first.failed)) {
    if (steadyFailures.has(name)) continue
    if (passedIn(second, name)) print(`unsteady: ${first.file}: ${name} — failed beside others, passed alone\n`)
    else steadyFailures.add(name)
  }
  return { ...second, failed: [...steadyFailures], seconds: first.seconds + second.seconds }
}

/** What failed under the name of the file, or of a suite by its hook, is answered by a run without any failure. */
function passedIn(second: FileResult, name: string): boolean {
  return second.passed.includes(name) || (second.failed.length === 0 && !skips(second, name))
}

function skips({ skipped, passed }: FileResult, name: string): boolean {
  return passed.length === 0 || skipped.some((one) => one.name === name)
}
