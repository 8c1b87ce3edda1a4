import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pino from 'pino'
import type { Browser } from 'playwright-core'
import { type Demo, openDemo } from '../../src/demo/open-demo.ts'
import { deepOnly, isDeep } from '../../test/depth.ts'
import { poll } from '../../test/servers/real-process.ts'
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
    await denyChartsOnce()
    refused = await fetchCharts()
    await watchCharts()
  })
  after(async () => {
    await browser?.close()
    await demo?.stop()
  })

  function fetchCharts(): Promise<Response> {
    const tarball = `${demo.url}/firewall/1/npm/meadow-charts/-/meadow-charts-3.1.0.tgz`
    return fetch(tarball, { headers: { authorization: `Bearer ${demo.welcome.token}` } })
  }

  /** What a rule holds back was denied as well for a while. */
  async function denyChartsOnce(): Promise<void> {
    const headers = { authorization: `Bearer ${demo.welcome.token}`, 'content-type': 'application/json' }
    const path = `${demo.url}/api/firewall/v1/deployments/1/overrides`
    const deny = { ecosystem: 'npm', name: 'meadow-charts', version: '3.1.0', effect: 'deny', reason: 'Not ours' }
    const made = await fetch(path, { method: 'POST', headers, body: JSON.stringify(deny) })
    const { override } = (await made.json()) as { override: { id: number } }
    const isDenied = async () => (await (await fetchCharts()).text()).includes('Not ours')
    await poll('it is denied', isDenied)
    assert.equal((await fetch(`${path}/${override.id}`, { method: 'DELETE', headers })).status, 200)
    await poll('it is denied no longer', async () => !(await isDenied()))
  }

  /** What a rule that only watches lets in is on record beside what is refused. */
  async function watchCharts(): Promise<void> {
    const headers = { authorization: `Bearer ${demo.welcome.token}`, 'content-type': 'application/json' }
    const path = `${demo.url}/api/firewall/v1/deployments/1/rules`
    const { mode, rules } = (await (await fetch(path, { headers })).json()) as { mode: string; rules: object[] }
    const kept = rules.map(({ sentence: _, ...rule }: { sentence?: string }) => rule)
    const always = { ecosystems: ['npm'], names: ['meadow-charts'], condition: 'always', effect: 'refuse' }
    const body = JSON.stringify({ mode, rules: [{ ...always, mode: 'monitor', note: '' }, ...kept] })
    assert.equal((await fetch(path, { method: 'PUT', headers, body })).status, 200)
    // The rule is in force within a second, and what it watched on record in another.
    await poll('the rule watches', async () => {
      const tarball = `${demo.url}/firewall/1/npm/meadow-charts/-/meadow-charts-3.0.2.tgz`
      assert.equal((await fetch(tarball, { headers })).status, 200)
      const filter = JSON.stringify({ filter: { watched: true } })
      const found = await fetch(`${demo.url}/api/firewall/v1/deployments/1/events/search`, {
        method: 'POST',
        headers,
        body: filter,
      })
      return ((await found.json()) as { events: object[] }).events.length > 0
    })
  }

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
      const shown = page.locator(
        'main :is(td a, a.stat:not(:has-text("different versions")))[href*="/firewall/blocked?"]',
      )
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
      await page.waitForURL((url) => url.pathname.endsWith('/blocked') && url.search === '?outcome=refused&period=90d')
      assert.deepEqual(complaints, [])
    }))

  test('refusals of each package and by each advisory, beside what was refused of it for another reason', () =>
    windows.use(async ({ page, complaints }) => {
      await page.goto(`${base}/firewall/blocked?period=90d`)
      await settled(page)
      const told = await page
        .locator('main .cards td.num a[href*="/firewall/blocked?"]')
        .evaluateAll((all) => all.map((link) => ({ href: link.getAttribute('href')!, says: link.textContent! })))
      const counted = await Promise.all(told.map(({ href }) => countRefusals(href)))
      assert.deepEqual(
        counted,
        told.map(({ says }) => numberIn(says)),
      )
      assert.ok(told.some(({ href }) => href.includes('package=meadow-charts')))
      assert.deepEqual(complaints, [])
    }))

  test('what is only watched is told from what was refused, and can be left out', () =>
    windows.use(async ({ page, complaints }) => {
      await page.goto(`${base}/firewall/blocked?package=meadow-charts`)
      await settled(page)
      const rows = page.getByRole('region', { name: 'Refusals' }).locator('tbody tr')
      const watched = rows.filter({ hasText: 'meadow-charts@3.0.2' })
      const said = await watched.first().innerText()
      assert.match(said, /Would have been refused/)
      assert.doesNotMatch(said, /Refused by a rule/)
      await page.getByLabel('Outcome').selectOption('refused')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.waitForURL(/outcome=refused/)
      // The rows of before stay until the others are there.
      await watched.first().waitFor({ state: 'detached' })
      await rows.first().waitFor()
      assert.equal(await watched.count(), 0)
      assert.deepEqual(complaints, [])
    }))

  test('where the list is narrowed to a person, it names them, and the panels beside it say that they are of all', () =>
    windows.use(async ({ page, complaints }) => {
      await page.goto(`${base}/firewall/blocked`)
      await settled(page)
      const who = page.getByRole('region', { name: 'Who was refused' }).locator('a').first()
      const name = await who.innerText()
      await who.click()
      await page.waitForURL(/person=\d+/)
      await settled(page)
      const text = await page.locator('main').innerText()
      assert.ok(text.includes(`Also by person ${name}`), text)
      assert.match(text, /By package, of all requests/)
      assert.match(text, /By advisory, of all requests/)
      const [href] = await page
        .locator('main .cards td a[href*="/firewall/blocked?"]')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href')!))
      assert.doesNotMatch(href!, /person=/)
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
