import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { TestGatehouse } from '../../test/gatehouse.ts'
import { poll } from '../../test/real-process.ts'
import { violations } from './axe.ts'
import { noBrowser, openBrowser, settled, signIn, type Visit, visit } from './browser.ts'
import { isHarmless, nameEverythingHostile } from './hostile-names.ts'
import { governPages, hostile, openWorld, pages } from './world.ts'

// What cannot be reached without moving the page sideways. Tables may be moved by themselves.
const cutOff = `Math.max(...[document.documentElement, ...document.querySelectorAll('main, .list-head, [role=grid]')]
  .map((one) => one.scrollWidth - one.clientWidth))`

describe('every page of the console', { skip: noBrowser ?? false }, () => {
  let gatehouse: TestGatehouse
  let browser: Browser
  const visits = new Map<'light' | 'dark', Visit>()
  let base: string

  before(async () => {
    gatehouse = await openWorld()
    browser = await openBrowser()
    for (const scheme of ['light', 'dark'] as const) {
      const one = await visit(browser, { scheme })
      visits.set(scheme, one)
      await signIn(one, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
      base = /^.*\/d\/[^/]+/.exec(one.page.url())![0]
    }
  })
  after(async () => {
    await browser?.close()
    await gatehouse?.close()
  })

  for (const path of pages) {
    test(`${path || 'overview'} can be used by everybody, and its policy is kept`, async () => {
      for (const { page, complaints } of visits.values()) {
        await page.goto(`${base}/${path}`)
        await settled(page)
        assert.deepEqual(await violations(page), [])
        assert.deepEqual(complaints, [])
        assert.equal(await page.locator('h1').count(), 1)
        assert.deepEqual(await page.locator('.error-box').allTextContents(), [])
        const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        assert.ok(wider <= 0, `the page is ${wider} px wider than the window`)
      }
      const { page } = visits.get('light')!
      await page.setViewportSize({ width: 360, height: 800 })
      await poll('it fits a telephone', async () => (await page.evaluate<number>(cutOff)) <= 0)
      await page.setViewportSize({ width: 1_280, height: 800 })
    })
  }

  test('a panel, a dialog, a menu and a filter that are open can be used by everybody', async () => {
    for (const { page, complaints } of visits.values()) {
      await page.goto(`${base}/findings`)
      await settled(page)
      await page
        .getByRole('button', { name: /^Severity/ })
        .first()
        .click()
      assert.deepEqual(await violations(page), [])
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Export the filtered list' }).click()
      assert.deepEqual(await violations(page), [])
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Search packages/ }).fill('shop')
      assert.deepEqual(await violations(page), [])
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      assert.deepEqual(await violations(page), [])
      await page.keyboard.press('Escape')
      assert.deepEqual(complaints, [])
    }
  })

  test('hostile texts stay texts, and nothing in them is hidden', async () => {
    const { page, complaints } = visits.get('light')!
    const found = await gatehouse.call('POST', '/api/findings/1/findings/search', {
      body: { filter: { repositories: ['evil/one'] } },
    })
    assert.equal(found.body.findings.length, hostile.length)
    await page.goto(`${base}/findings?repo=evil/one`)
    await settled(page)
    for (const { id } of found.body.findings as { id: string }[]) {
      await page.goto(`${base}/findings/${id}?repo=evil/one`)
      await settled(page)
      await page.getByRole('button', { name: 'Review', exact: true }).waitFor()
      const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.ok(wider <= 0, `${wider} px wider`)
    }
    await isHarmless(page)
    assert.deepEqual(complaints, [])
  })

  test('a wall of rows keeps few of them in the page', async () => {
    const { page } = visits.get('light')!
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

  test('hostile names that people give stay names on every page', async () => {
    const { page, complaints } = visits.get('light')!
    await nameEverythingHostile(gatehouse)
    for (const path of [...pages, ...governPages]) {
      await page.goto(`${base}/${path}`)
      await settled(page)
      await isHarmless(page, path)
      assert.deepEqual([path, complaints], [path, []])
    }
  })
})
