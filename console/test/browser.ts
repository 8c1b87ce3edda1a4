import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { poll } from '../../test/real-process.ts'

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

/** Until the page has its data: nothing is loading any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  const loading = page.locator('[aria-busy=true], .busy-line')
  await poll('nothing is loading', async () => (await loading.count()) === 0)
}
