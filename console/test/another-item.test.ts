import { after, before, describe, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { sarifLog } from '../../src/capabilities/findings/test-log.ts'
import { upload } from '../../src/capabilities/scans/test-upload.ts'
import { openGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe('until a page has its data, it shows none of another', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let page: Page

  before(async () => {
    signedIn = await openSignedIn(openGatehouse({ console: buildConsole() }))
    page = signedIn.page
    for (const [number, name] of [
      [1, 'shop/web'],
      [2, 'shop/api'],
    ] as const) {
      const log = sarifLog({ results: [{ rule: 'weak-hash', path: `${name}.js`, code: 'md5(x)' }] })
      const scan = { repository: name, ref: `change-${number}`, kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: number }
      await upload(signedIn.gatehouse, { ...scan, baseRef: 'main' }, { 'log.sarif': log })
    }
  })
  after(() => signedIn?.close())

  /** From one address to another of the same page, as by going back, while answers are awaited. */
  async function turn(from: string, to: string, shown: string): Promise<void> {
    await signedIn.open(from)
    await page.getByText(shown).first().waitFor()
    let letGo = () => {}
    const gone = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const hold = async (route: Route) => {
      await gone
      // What a page that was left had asked for is of no use any more.
      await route.continue().catch(() => undefined)
    }
    await page.route(/\/api\/(scans|repositories|findings)\//, hold)
    try {
      await page.evaluate(`history.pushState({ key: 'other' }, '', ${JSON.stringify(`${signedIn.base}/${to}`)})
        dispatchEvent(new PopStateEvent('popstate'))`)
      await page.getByText(shown).first().waitFor({ state: 'hidden' })
    } finally {
      letGo()
      await page.unroute(/\/api\/(scans|repositories|findings)\//, hold)
    }
  }

  test('the receipt of a scan', () => turn('scans/1', 'scans/2', 'shop/web'))
  test('the verdict on a pull request', () =>
    turn('repositories/1/pull-requests/1', 'repositories/2/pull-requests/2', 'shop/web'))
  test('and what is not there has no role', async () => {
    await signedIn.open('settings/service-accounts/999')
    await page.getByText('There is no service account 999.').waitFor()
  })
})
