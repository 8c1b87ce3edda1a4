import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { openBrowser, settled, signIn, visit } from './browser.ts'
import { type View, views } from './screenshot-views.ts'

/**
 * `npm run screenshots -- [views]`: pictures of the console, so that people can look. They are of a Gatehouse that runs, for
 * example `gatehouse demo`, or one that was just started, for the empty ones. GATEHOUSE_URL, GATEHOUSE_EMAIL and
 * GATEHOUSE_PASSWORD say which.
 */
const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    to: { type: 'string', default: 'screenshots' },
    width: { type: 'string', multiple: true, default: ['1440', '1000', '360'] },
    scheme: { type: 'string', multiple: true, default: ['light', 'dark'] },
  },
})
const { GATEHOUSE_URL: url, GATEHOUSE_EMAIL: email, GATEHOUSE_PASSWORD: password } = process.env
if (!url || !email || !password)
  throw new Error('Say whose pictures to take: GATEHOUSE_URL, GATEHOUSE_EMAIL and GATEHOUSE_PASSWORD.')
const unknown = wanted.filter((name) => !(name in views))
if (unknown.length > 0) throw new Error(`No view is called ${unknown}. There are: ${Object.keys(views).join(', ')}.`)
const chosen = Object.entries(views).filter(([name]) => wanted.length === 0 || wanted.includes(name))

/** Longer pages are cut here. */
const longestPx = 4_000

mkdirSync(options.to, { recursive: true })
const browser = await openBrowser()
try {
  for (const scheme of options.scheme as ('light' | 'dark')[])
    for (const width of options.width.map(Number)) await takeAll(scheme, width)
} finally {
  await browser.close()
}

async function takeAll(scheme: 'light' | 'dark', width: number): Promise<void> {
  const one = await visit(browser, { scheme, width })
  const { page } = one
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('E-mail').waitFor()
  await page.screenshot({ path: join(options.to, `sign-in-${width}-${scheme}.png`) })
  await signIn(one, url!, email!, password!)
  const base = /^.*\/d\/[^/]+/.exec(page.url())![0]
  for (const [name, view] of chosen) {
    try {
      await take(page, base, view, join(options.to, `${name}-${width}-${scheme}.png`), width)
    } catch (error) {
      console.error(`${name} at ${width} px, ${scheme}: ${(error as Error).message.split('\n')[0]}`)
    }
  }
  if (one.complaints.length > 0) console.error(one.complaints.join('\n'))
  await one.context.close()
}

/** The page as long as it is: what scrolls inside the window is made to fit. */
async function take(page: Page, base: string, { path, open }: View, file: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 })
  await page.goto(path.startsWith('/') ? new URL(path, base).href : `${base}/${path}`)
  await settled(page)
  await open?.(page)
  await settled(page)
  const hidden = await page.evaluate<number>(
    `Math.max(0, ...[document.documentElement, document.querySelector('main')].map((one) => one.scrollHeight - one.clientHeight))`,
  )
  if (hidden > 0) await page.setViewportSize({ width, height: Math.min(900 + hidden, longestPx) })
  await page.screenshot({ path: file })
}
