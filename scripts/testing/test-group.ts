import { AsyncResource } from 'node:async_hooks'
import { relative } from 'node:path'
import { describe } from 'node:test'

/**
 * The test files that are named, one after another in this process, each a suite of its own: loading the product costs more than
 * most files do.
 */
let previous: Promise<void> | undefined
for (const path of process.argv.slice(2)) {
  describe(relative(process.cwd(), path), () => {
    // A test belongs to the suite in whose asynchronous context it is made.
    const loadHere = AsyncResource.bind(() => import(path))
    previous = loadAfter(previous, loadHere)
    return previous
  })
}

/** Not two at once: the tests of both would belong to the one that was the first to wait for a module that they share. */
async function loadAfter(before: Promise<void> | undefined, load: () => Promise<unknown>): Promise<void> {
  // What is wrong with the file before is that file's failure.
  await before?.catch(() => {})
  await load()
}
