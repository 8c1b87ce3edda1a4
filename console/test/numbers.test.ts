import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pino from 'pino'
import type { Browser } from 'playwright-core'
import { type Demo, openDemo } from '../../src/demo/open-demo.ts'
import { atOnce, noBrowser, openBrowser, openWindows, settled, type Visit } from './browser.ts'
import { baseOf } from './signed-in.ts'

type NumberLink = { href: string; says: string }

// Every link in the page that leads to findings and says a number; what a screen reader hears counts.
const links = `[...document.querySelectorAll('main a[href*="/findings?"]')]
  .map((link) => ({ link, href: link.getAttribute('href'), says: link.getAttribute('aria-label') ?? link.textContent }))
  .filter(({ says }) => /(^|: )\\d/.test(says))`

describe('in the demo every number is a link to what it counts, and a refusal has one to its page', {
  skip: noBrowser ?? false,
  concurrency: atOnce,
}, () => {
  let demo: Demo
  let browser: Browser
  let windows: Awaited<ReturnType<typeof openWindows>>
  let base: string
  /** What stands on several pages, or in a chart and in its table, is followed once. */
  const seen = new Set<string>()

  before(async () => {
    const env = { ...process.env, PORT: '0', GATEHOUSE_REQUESTS_PER_MINUTE: '10000000' }
    const watcher = { size: 'small', say: () => {}, onProgress: () => {} } as const
    ;[demo, browser] = await Promise.all([openDemo(env, pino({ level: 'silent' }), watcher), openBrowser()])
    windows = await openWindows(browser, demo.url, demo.welcome)
    base = baseOf(windows.visits[0]!.page)
  })
  after(async () => {
    await browser?.close()
    await demo?.stop()
  })

  /** Follows each of them within the page, as a click does, and counts the list behind it. */
  async function follow({ page, complaints }: Visit, path: string): Promise<number> {
    await page.goto(`${base}/${path}`)
    await settled(page)
    const wrong: string[] = []
    const count = await page.evaluate<number>(`${links}.length`)
    for (let at = 0; at < count; at++) {
      // Looked up again each time: what ends now ends a moment later in a page that was read again.
      const { href, says } = await page.evaluate<NumberLink>(`(({ href, says }) => ({ href, says }))(${links}[${at}])`)
      const key = `${href.replace(/T[^&]*Z/, '')} ${numberIn(says)}`
      if (seen.has(key)) continue
      seen.add(key)
      await page.evaluate(
        `${links}[${at}].link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))`,
      )
      await page.waitForURL((url) => url.pathname.endsWith('/findings'))
      await settled(page)
      const counted = Number((await page.locator('h1 .total').textContent())?.replaceAll(',', ''))
      if (counted !== numberIn(says)) wrong.push(`${says} at ${href}: ${counted}`)
      await page.goBack()
      await settled(page)
    }
    assert.deepEqual([wrong, complaints], [[], []])
    return count
  }

  test('on the overview', () => windows.use(async (one) => assert.ok((await follow(one, '')) > 40)))

  for (const name of ['guardrails', 'funnel', 'activity', 'backlog', 'trends']) {
    test(`in the report ${name}`, () =>
      windows.use(async (one) => assert.ok((await follow(one, `reports/${name}`)) > 4)))

    test(`in the report ${name} of one team`, () =>
      windows.use(async (one) => {
        await follow(one, `reports/${name}?team=payments`)
      }))
  }

  test('a refusal of the firewall leads to the page that says why, who waits, and where to ask', () =>
    windows.use(async ({ page, complaints }) => {
      const tarball = `${demo.url}/firewall/1/npm/meadow-charts/-/meadow-charts-3.1.0.tgz`
      const refused = await fetch(tarball, { headers: { authorization: `Bearer ${demo.welcome.token}` } })
      assert.equal(refused.status, 403)
      const { error } = (await refused.json()) as { error: string }
      assert.match(error, /gains an install script .*Ask in #platform-security\.$/)
      // The demo of a test listens wherever there is room, which its own address does not say.
      await page.goto(demo.url + new URL(/https?:\S+/.exec(error)![0]).href.replace(/^https?:\/\/[^/]+/, ''))
      await settled(page)
      const text = await page.locator('main').innerText()
      for (const said of [
        'meadow-charts',
        'gains an install script',
        '2 people wait for a decision',
        '#platform-security',
      ])
        assert.ok(text.includes(said), `${said} is missing in: ${text}`)
      await page.goto(`${base}/firewall/exceptions`)
      await settled(page)
      assert.match(await page.locator('main').innerText(), /meadow-charts/)
      assert.deepEqual(complaints, [])
    }))
})

/** `March 2026: 12 fixed`, `All open findings: 93`, `43 code`: the first after the colon, else the first. */
function numberIn(says: string): number {
  const said = says.includes(': ') ? says.slice(says.lastIndexOf(': ') + 2) : says
  return Number(/\d[\d,]*/.exec(said)![0].replaceAll(',', ''))
}
