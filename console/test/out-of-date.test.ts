import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { sarifLog } from '../../src/capabilities/findings/test-log.ts'
import { upload } from '../../src/capabilities/scans/test-upload.ts'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe('what could not be read again says so', { skip: noBrowser ?? false }, () => {
  let gatehouse: TestGatehouse
  let signedIn: SignedIn
  let page: Page
  let open: SignedIn['open']
  let button: SignedIn['button']
  const note = () => page.locator('.live-note', { hasText: 'What is on screen may be out of date' })

  before(async () => {
    signedIn = await openSignedIn(openGatehouse({ console: buildConsole() }))
    ;({ gatehouse, page, open, button } = signedIn)
    await scan('src/a.js')
  })
  after(() => signedIn?.close())

  async function scan(path: string): Promise<void> {
    const log = sarifLog({ results: [{ rule: 'weak-hash', path, code: `md5(${path})`, message: `Weak in ${path}` }] })
    assert.equal((await upload(gatehouse, { repository: 'shop/web' }, { 'log.sarif': log })).status, 200)
  }
  /** As somebody who comes back to the window after a while, while nothing answers. */
  async function comeBackToNothing(): Promise<void> {
    await page.context().setOffline(true)
    await page.evaluate(`Date.now = ((now) => () => now() + 60_000)(Date.now)
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    await note().waitFor()
  }

  test('numbers that were read before are not passed off as those of now', async () => {
    await open('')
    await comeBackToNothing()
    await page.getByText('Needs a decision').waitFor()
    await button('Try again').click()
    await note().waitFor()
    await page.context().setOffline(false)
    await button('Try again').click()
    await note().waitFor({ state: 'hidden' })
  })

  test('a list is read again, and not only said to be', async () => {
    await open('findings')
    await page.getByRole('row', { name: /src\/a\.js/ }).waitFor()
    await comeBackToNothing()
    await scan('src/b.js')
    await page.context().setOffline(false)
    await button('Try again').click()
    await page.getByRole('row', { name: /src\/b\.js/ }).waitFor()
    await note().waitFor({ state: 'hidden' })
  })

  test('a next page that does not come is asked for again', async () => {
    let fails = true
    const short = (route: Route) => {
      const url = route.request().url().replace('pageSize=50', 'pageSize=1')
      return fails && url.includes('cursor=') ? route.abort() : route.continue({ url })
    }
    await page.route('**/scans?*', short)
    try {
      await open('repositories/1/scans')
      await button('Older scans').click()
      await note().waitFor()
      fails = false
      await button('Try again').click()
      await page.getByRole('row').nth(2).waitFor()
      await note().waitFor({ state: 'hidden' })
    } finally {
      await page.unroute('**/scans?*', short)
    }
  })
})
