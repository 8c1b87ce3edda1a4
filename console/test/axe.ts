import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What axe finds wrong, in a line each. It is brought in by the debugger, so the page's own policy stays as it is. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(source)
  const found = await page.evaluate<AxeResults>(`axe.run({ runOnly: ${JSON.stringify(tags)} })`)
  return found.violations.map(
    (each) =>
      `${each.id}: ${each.nodes
        .map((node) => node.target.join(' '))
        .slice(0, 3)
        .join(' | ')}`,
  )
}
