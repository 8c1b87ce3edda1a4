import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { often } from '../../test/depth.ts'
import { poll } from '../../test/servers/real-process.ts'

const asked = process.env.GATEHOUSE_BROWSER ?? ''
const required = asked === 'required'

/** A Chromium: where GATEHOUSE_BROWSER says, or on the path. */
function findBrowser(): string | undefined {
  if (asked && !required) return asked
  const folders = (process.env.PATH ?? '').split(delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file))
}

const browserFile = findBrowser()
/** Why browser tests are left out here, if they are. */
export const noBrowser =
  browserFile || required ? undefined : 'no Chromium was found: install one, or name it in GATEHOUSE_BROWSER'

export async function openBrowser(): Promise<Browser> {
  if (!browserFile)
    throw new Error('GATEHOUSE_BROWSER=required, and there is no chromium or google-chrome on the path.')
  // As root, as in most containers, Chromium has no sandbox of its own; what it loads here is ours alone.
  return chromium.launch({ executablePath: browserFile, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
}

export type Visit = { page: Page; context: BrowserContext; complaints: string[] }
type Options = { scheme?: 'light' | 'dark'; width?: number }

// Text, not functions: what runs in the page knows other globals than what runs here.
const reportViolations = `addEventListener('securitypolicyviolation', (event) =>
  complain('CSP: ' + event.violatedDirective + ' ' + event.blockedURI))`

/** A window of its own. What the page or its content security policy complains about is written down. */
export async function visit(browser: Browser, { scheme = 'light', width = 1_280 }: Options = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const complaints: string[] = []
  await context.exposeBinding('complain', (_, text: string) => complaints.push(text))
  await context.addInitScript(reportViolations)
  const page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    // A test that goes on elsewhere has no more use for what it typed.
    if (dialog.type() === 'beforeunload') return void dialog.accept()
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return { page, context, complaints }
}

export async function signIn({ page }: Visit, url: string, email: string, password: string): Promise<void> {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/d\//)
}

/** Windows in which somebody is signed in, so that several pages are looked at at once. */
export async function openWindows(browser: Browser, url: string, who: { email: string; password: string }) {
  const visits = await Promise.all(Array.from({ length: atOnce }, () => visit(browser)))
  for (const one of visits) {
    await signIn(one, url, who.email, who.password)
    await settled(one.page)
  }
  const free = [...visits]
  return {
    visits,
    /** In one of them that nobody else uses meanwhile; there are as many as tests that run at once. */
    async use(look: (one: Visit) => Promise<void>): Promise<void> {
      const one = free.pop()
      if (!one) throw new Error(`More than ${atOnce} tests at once.`)
      try {
        await look(one)
      } finally {
        free.push(one)
      }
    },
  }
}
/** The concurrency of tests that use such windows: a page waits for its server about half of its time. */
export const atOnce = 3

/**
 * Opens an address in a window that shows the console: as a link does, without loading everything again, which takes four
 * times as long. With GATEHOUSE_DEEP it is loaded as if it had been typed.
 */
export async function travel(page: Page, address: string): Promise<void> {
  if (deep) await page.goto(address)
  else {
    const key = JSON.stringify({ key: String(travels++) })
    await page.evaluate(
      `history.pushState(${key}, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate', { state: ${key} }))`,
    )
  }
  await settled(page)
}
const deep = often(0, 1) > 0
let travels = 0

/** As somebody who was in another tab for a while: what is on screen is read again, this among it. */
export async function comeBack(page: Page, read: string): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().includes(read))
  await page.evaluate(`Date.now = ((now) => () => now() + 60_000)(Date.now)
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
  await (await answered).finished()
  await settled(page)
}

/** Until the page has its data: nothing is loading any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  const loading = page.locator('[aria-busy=true], .busy-line')
  // Each look takes all of the browser's processes a few milliseconds, which the page then does not have.
  await poll('nothing is loading', async () => (await loading.count()) === 0, 240_000, 40)
}
