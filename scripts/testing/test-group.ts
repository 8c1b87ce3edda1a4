import { relative } from 'node:path'
import { describe } from 'node:test'

/**
 * The test files that are named, one after another in this process, each a suite of its own: loading the product costs more than
 * most files do.
 */
for (const path of process.argv.slice(2)) {
  describe(relative(process.cwd(), path), async () => {
    await import(path)
  })
}
