import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pino from 'pino'
import type { Browser } from 'playwright-core'
import { type Demo, openDemo } from '../../src/demo/open-demo.ts'
import { deepOnly, isDeep } from '../../test/depth.ts'
import { parseSearch } from '../app/address/address.ts'
import { readFilter } from '../app/address/filter.ts'
import { readPeriod } from '../app/address/period.ts'
import { dependencyFilter, readQuestion } from '../dependencies/question.ts'
import { findingFields, reserved } from '../findings/filter.ts'
import { refusalFilter } from '../firewall/refusals/refusal-filter.ts'
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
  let refused: Response
  /** What stands on several pages, or in a chart and in its table, is followed once. */
  const seen = new Set<string>()

  before(async () => {
    const env = { ...process.env, PORT: '0', GATEHOUSE_REQUESTS_PER_MINUTE: '10000000' }
    const watcher = { size: 'small', say: () => {}, onProgress: () => {} } as const
    ;[demo, browser] = await Promise.all([openDemo(env, pino({ level: 'silent' }), watcher), openBrowser()])
    windows = await openWindows(browser, demo.url, demo.welcome)
    base = baseOf(windows.visits[0]!.page)
    // Before anything is counted, because tests run at once.
    const tarball = `${demo.url}/firewall/1/npm/meadow-charts/-/meadow-charts-3.1.0.tgz`
    refused = await fetch(tarball, { headers: { authorization: `Bearer ${demo.welcome.token}` } })
  })
  after(async () => {
    await browser?.close()
    await demo?.stop()
  })

  /**
   * Reads every one of them, and counts by the API what the list behind it would ask for. Of each shape of address, which is
   * what the list reads, the first is followed as a click does, and with GATEHOUSE_DEEP all of them.
   */
  async function follow(one: Visit, path: string): Promise<number> {
    const { page, complaints } = one
    await page.goto(`${base}/${path}`)
    await settled(page)
    const all = await page.evaluate<NumberLink[]>(`${links}.map(({ href, says }) => ({ href, says }))`)
    const fresh = all.filter(({ href, says }) => isFirst(`${href.replace(/T[^&]*Z/, '')} ${numberIn(says)}`))
    const wrong = (await Promise.all(fresh.map(compare))).filter((each) => each !== undefined)
    for (const link of fresh)
      if (isDeep || isFirst(shapeOf(link.href))) wrong.push(...(await click(one, all.indexOf(link))))
    assert.deepEqual([wrong, complaints], [[], []])
    return all.length
  }

  function isFirst(key: string): boolean {
    return !seen.has(key) && Boolean(seen.add(key))
  }

  /** What the number says against what the API counts for the filter that its address is read as. */
  async function compare({ href, says }: NumberLink): Promise<string | undefined> {
    const { filter, lost } = readFilter(findingFields, parseSearch(new URL(href, base).search), reserved)
    const answer = await fetch(`${demo.url}/api/findings/1/findings/counts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.welcome.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ filter }),
    })
    const { total } = (await answer.json()) as { total: number }
    if (total !== numberIn(says) || lost.length > 0) return `${says} at ${href}: ${total}, not understood: ${lost}`
    return undefined
  }

  async function click({ page }: Visit, at: number): Promise<string[]> {
    // Looked up again: what ends now ends a moment later in a page that was read again.
    const { href, says } = await page.evaluate<NumberLink>(`(({ href, says }) => ({ href, says }))(${links}[${at}])`)
    await page.evaluate(
      `${links}[${at}].link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))`,
    )
    await page.waitForURL((url) => url.pathname.endsWith('/findings'))
    await settled(page)
    const counted = Number((await page.locator('h1 .total').textContent())?.replaceAll(',', ''))
    await page.goBack()
    await settled(page)
    return counted === numberIn(says) ? [] : [`${says} at ${href}, followed: ${counted}`]
  }

  test('on the overview', () => windows.use(async (one) => assert.ok((await follow(one, '')) > 40)))

  for (const name of ['guardrails', 'funnel', 'activity', 'backlog', 'trends']) {
    test(`in the report ${name}`, () =>
      windows.use(async (one) => assert.ok((await follow(one, `reports/${name}`)) > 4)))

    // The links are made alike with and without a team; one report shows that the team is in them.
    test(`in the report ${name} of one team`, { skip: name !== 'funnel' && deepOnly('the same links again') }, () =>
      windows.use(async (one) => {
        await follow(one, `reports/${name}?team=payments`)
      }),
    )
  }

  test('dependencies of each licence, of another text and of none', () =>
    windows.use(async ({ page, complaints }) => {
      await page.goto(`${base}/licences`)
      await settled(page)
      const shown = page.locator('main a[href*="/dependencies?"][href*="view="]')
      const told = await shown.evaluateAll((all) =>
        all.map((link) => ({ href: link.getAttribute('href')!, says: link.textContent! })),
      )
      const counted = await Promise.all(told.map(({ href }) => countDependencies(href)))
      assert.deepEqual(
        counted,
        told.map(({ says }) => numberIn(says)),
      )
      assert.ok(told.length > 4)
      assert.equal(told.filter(({ href }) => /licence=(OTHER|NOASSERTION)/.test(href)).length, 2)
      assert.deepEqual(complaints, [])
    }))

  /** What the list of dependencies at an address has: occurrences, or repositories. */
  async function countDependencies(href: string): Promise<number> {
    const question = readQuestion(parseSearch(new URL(href, base).search))
    const answer = await fetch(`${demo.url}/api/sca/deployments/1/dependencies/counts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.welcome.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ dependencyFilter: dependencyFilter(question) }),
    })
    const counts = (await answer.json()) as { dependencyCount: number; repositoryCount: number }
    return question.view === 'repositories' ? counts.repositoryCount : counts.dependencyCount
  }

  test('refusals of the firewall, of the period that is looked at', () =>
    windows.use(async ({ page, complaints }) => {
      await page.goto(`${base}/firewall?period=90d`)
      await settled(page)
      const shown = page.locator('main td a[href*="/firewall/blocked?"]')
      const told = await shown.evaluateAll((all) =>
        all.map((link) => ({ href: link.getAttribute('href')!, says: link.textContent! })),
      )
      const counted = await Promise.all(told.map(({ href }) => countRefusals(href)))
      assert.deepEqual(
        counted,
        told.map(({ says }) => numberIn(says)),
      )
      assert.ok(told.length > 2)
      await page.getByRole('link', { name: /refused, for whatever reason/ }).click()
      await page.waitForURL((url) => url.pathname.endsWith('/blocked') && url.search === '?period=90d')
      assert.deepEqual(complaints, [])
    }))

  /** How often was refused what the record of refusals shows at an address. */
  async function countRefusals(href: string): Promise<number> {
    const pairs = parseSearch(new URL(href, base).search)
    const { filter } = refusalFilter(pairs, readPeriod(pairs, new Date()))
    const answer = await fetch(`${demo.url}/api/firewall/v1/deployments/1/events/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.welcome.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ filter, pageSize: 100 }),
    })
    const { events, hasMore } = (await answer.json()) as { events: { count: number }[]; hasMore: boolean }
    assert.equal(hasMore, false, 'one page has them all')
    return events.reduce((sum, { count }) => sum + count, 0)
  }

  test('a refusal of the firewall leads to the page that says why, who waits, and where to ask', () =>
    windows.use(async ({ page, complaints }) => {
      assert.equal(refused.status, 403)
      const { error } = (await refused.json()) as { error: string }
      assert.match(error, /gains an install script .*Ask in #platform-security\.$/)
      await page.goto(/https?:\S+/.exec(error)![0])
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

/** The names in an address: the list reads all addresses of one shape alike. */
function shapeOf(href: string): string {
  const pairs = parseSearch(new URL(href, 'http://localhost').search)
  return [...new Set(pairs.map(([name]) => name))].join('&')
}

/** `March 2026: 12 fixed`, `All findings: 93`, `43 code`: the first after the colon, else the first. */
function numberIn(says: string): number {
  const said = says.includes(': ') ? says.slice(says.lastIndexOf(': ') + 2) : says
  return Number(/\d[\d,]*/.exec(said)![0].replaceAll(',', ''))
}
