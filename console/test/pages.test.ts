import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { TestGatehouse } from '../../test/gatehouse.ts'
import { poll } from '../../test/servers/real-process.ts'
import { violationsInBoth } from './axe.ts'
import { atOnce, noBrowser, openBrowser, openWindows, settled, travel } from './browser.ts'
import { isHarmless, nameEverythingHostile } from './hostile-names.ts'
import { baseOf } from './signed-in.ts'
import { governPages, hostile, openWorld, pages } from './world.ts'

// What cannot be reached without moving something sideways. Tables of figures alone may be moved by themselves.
const parts = 'main, .list-head, [role=grid], .card, .table-wrap:has(> .stacks)'
const cutOff = `Math.max(...[document.documentElement, ...document.querySelectorAll('${parts}')]
  .map((one) => one.scrollWidth - one.clientWidth))`

describe('every page of the console', { skip: noBrowser ?? false }, () => {
  let gatehouse: TestGatehouse
  let browser: Browser
  let windows: Awaited<ReturnType<typeof openWindows>>
  let base: string
  let named: string[]

  before(async () => {
    ;[gatehouse, browser] = await Promise.all([openWorld(), openBrowser()])
    windows = await openWindows(browser, gatehouse.url, gatehouse.owner)
    base = baseOf(windows.visits[0]!.page)
    named = await nameEverythingHostile(gatehouse)
  })
  after(async () => {
    await browser?.close()
    await gatehouse?.close()
  })

  describe('light and dark, wide and narrow', { concurrency: atOnce }, () => {
    for (const path of pages) {
      test(`${path || 'overview'} can be used by everybody, and its policy is kept`, () =>
        windows.use(async ({ page, complaints }) => {
          await travel(page, `${base}/${path}`)
          assert.deepEqual(await violationsInBoth(page), [])
          await isHarmless(page, path)
          assert.deepEqual(complaints, [])
          assert.equal(await page.locator('h1').count(), 1)
          assert.deepEqual(await page.locator('.error-box').allTextContents(), [])
          await page.setViewportSize({ width: 360, height: 800 })
          await poll('it fits a telephone', async () => (await page.evaluate<number>(cutOff)) <= 0)
          await page.setViewportSize({ width: 1_280, height: 800 })
        }))
    }
  })

  test('a panel, a dialog, a menu and a filter that are open can be used by everybody', async () => {
    const { page, complaints } = windows.visits[0]!
    await page.goto(`${base}/findings`)
    await settled(page)
    await page
      .getByRole('button', { name: /^Severity/ })
      .first()
      .click()
    assert.deepEqual(await violationsInBoth(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Export the filtered list' }).click()
    assert.deepEqual(await violationsInBoth(page), [])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Search packages/ }).fill('shop')
    assert.deepEqual(await violationsInBoth(page), [])
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    assert.deepEqual(await violationsInBoth(page), [])
    await page.keyboard.press('Escape')
    assert.deepEqual(complaints, [])
  })

  test('hostile texts stay texts, and nothing in them is hidden', async () => {
    const { page, complaints } = windows.visits[0]!
    const found = await gatehouse.call('POST', '/api/findings/1/findings/search', {
      body: { filter: { repositories: ['evil/one'] } },
    })
    assert.equal(found.body.findings.length, hostile.length)
    await page.goto(`${base}/findings?repo=evil/one`)
    await settled(page)
    for (const { id } of found.body.findings as { id: string }[]) {
      await travel(page, `${base}/findings/${id}?repo=evil/one`)
      await page.getByRole('button', { name: 'Review', exact: true }).waitFor()
      const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.ok(wider <= 0, `${wider} px wider`)
    }
    await isHarmless(page)
    assert.deepEqual(complaints, [])
  })

  test('a wall of rows keeps few of them in the page', async () => {
    const { page } = windows.visits[0]!
    await page.goto(`${base}/findings`)
    await settled(page)
    const grid = page.getByRole('grid')
    assert.ok(Number(await grid.getAttribute('aria-rowcount')) > 230)
    for (const at of [2_000, 6_000, 0]) {
      await page.evaluate(`document.querySelector('[role=grid]').scrollTo(0, ${at})`)
      await settled(page)
      assert.ok((await grid.getByRole('row').count()) <= 60)
      assert.equal(await grid.locator('[role=row][tabindex="0"]').count(), 1)
    }
  })

  describe('hostile names that people give stay names', { concurrency: atOnce }, () => {
    test('on the page of each thing that is named so, and in its title', () =>
      windows.use(async ({ page, complaints }) => {
        assert.ok(named.length > 20)
        for (const path of named) {
          await travel(page, `${base}/${path}`)
          await isHarmless(page, path)
        }
        assert.deepEqual(complaints, [])
      }))
    for (const path of governPages) {
      test(`on ${path}`, () =>
        windows.use(async ({ page, complaints }) => {
          await travel(page, `${base}/${path}`)
          await isHarmless(page, path)
          assert.deepEqual(complaints, [])
        }))
    }
  })
})
