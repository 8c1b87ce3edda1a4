import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const options: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
}

// Made short in the page: all that axe tells of a page takes this process longer to read than a server may stand still.
const look = `axe.run(${JSON.stringify(options)}).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.target.join(' ')).join(' | ')))`

/** What axe finds wrong, in a line each. It is brought in by the debugger, so the page's own policy stays as it is. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(source)
  return page.evaluate<string[]>(look)
}
