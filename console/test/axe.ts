import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { often } from '../../test/depth.ts'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
// No rule of these reads stylesheets, and there are no frames.
const common: RunOptions = { resultTypes: ['violations'], preload: false, iframes: false }
const everything: RunOptions = {
  ...common,
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}
const colours: RunOptions = { ...common, runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }

// Rows of one list are drawn alike, and a page is mostly rows: the first ones speak for all.
const first = often(7, 100_000)
const looked = JSON.stringify({
  exclude: ['[role=row]', 'tbody tr'].map((row) => [`${row}:nth-child(n + ${first + 1})`]),
})

// Made short in the page: all that axe tells of a page takes this process longer to read than a server may stand still.
const look = (options: RunOptions) => `axe.run(${looked}, ${JSON.stringify(options)}).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.target.join(' ')).join(' | ')))`

/** What axe finds wrong, in a line each. It is brought in by the debugger, so the page's own policy stays as it is. */
export async function violations(page: Page): Promise<string[]> {
  await bringAxe(page)
  return page.evaluate<string[]>(look(everything))
}

/** In a light window: all of it in light, and in dark what a scheme changes, which is colours and nothing else. */
export async function violationsInBoth(page: Page): Promise<string[]> {
  const light = await violations(page)
  const surface = `getComputedStyle(document.documentElement).backgroundColor`
  const lightSurface = await page.evaluate<string>(surface)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await page.evaluate<string[]>(look(colours))
  if ((await page.evaluate<string>(surface)) === lightSurface) dark.push('the page does not follow the scheme')
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark.map((each) => `dark: ${each}`)]
}

async function bringAxe(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(source)
}
