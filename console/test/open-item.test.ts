import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sarifLog } from '../../src/capabilities/findings/test-log.ts'
import { upload } from '../../src/capabilities/scans/test-upload.ts'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { noBrowser, settled } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe('keys are about what one looks at', { skip: noBrowser ?? false }, () => {
  let gatehouse: TestGatehouse
  let signedIn: SignedIn
  let page: Page
  let open: SignedIn['open']
  const paths = ['a', 'b', 'c', 'd'].map((name) => `src/${name}.js`)
  const ids: string[] = []

  before(async () => {
    signedIn = await openSignedIn(openGatehouse({ console: buildConsole() }))
    ;({ gatehouse, page, open } = signedIn)
    const results = paths.map((path) => ({ rule: 'weak-hash', path, code: `md5(${path})`, message: `Weak in ${path}` }))
    await upload(gatehouse, { repository: 'shop/web' }, { 'log.sarif': sarifLog({ results }) })
    const found = await states()
    for (const path of paths) ids.push(found.find((each) => each.path === path)!.id)
  })
  after(() => signedIn?.close())

  async function states(): Promise<{ id: string; path: string; triageState: string }[]> {
    return (await gatehouse.call('POST', '/api/findings/1/findings/search', { body: {} })).body.findings
  }
  /** The files of findings that are no longer just open, with how each is now. */
  const decided = async () =>
    Object.fromEntries(
      (await states())
        .filter((each) => each.triageState !== 'TRIAGE_STATE_OPEN')
        .map((each) => [each.path, each.triageState.replace('TRIAGE_STATE_', '')]),
    )
  const said = (words: string) => page.locator('.toast', { hasText: words }).waitFor()
  const openAgain = async () => {
    const body = { findingIds: ids, triageState: 'TRIAGE_STATE_OPEN' }
    assert.equal((await gatehouse.call('POST', '/api/findings/1/findings/triage', { body })).status, 200)
  }

  test('who follows a link to a finding decides about that one, not about the first of the list', async () => {
    await open(`findings/${ids[2]}?sort=path-asc`)
    await page.getByRole('row', { name: /src\/a\.js/ }).waitFor()
    await page.keyboard.press('r')
    await said('1 finding is in review.')
    assert.deepEqual(await decided(), { 'src/c.js': 'REVIEWING' })
    // Somebody goes on in the list beside it: the row that they came to is meant.
    await page.keyboard.press('j')
    await page.keyboard.press('f')
    await said('1 finding is being fixed.')
    assert.deepEqual(await decided(), { 'src/b.js': 'FIXING', 'src/c.js': 'REVIEWING' })
    await openAgain()
  })

  test('in a narrow window, where it covers the list, keys reach no row behind it', async () => {
    await page.setViewportSize({ width: 900, height: 800 })
    try {
      await open(`findings?sort=path-asc`)
      for (const key of ['x', 'j', 'x', 'Enter']) await page.keyboard.press(key)
      await page.waitForURL(new RegExp(`/findings/${ids[1]}\\?`))
      await settled(page)
      await page.keyboard.press('j')
      await page.keyboard.press('i')
      await page.getByRole('heading', { name: 'Ignore 1 finding' }).waitFor()
      await page.keyboard.press('Enter')
      await said('1 finding is ignored.')
      assert.deepEqual(await decided(), { 'src/b.js': 'IGNORED' })
    } finally {
      await page.setViewportSize({ width: 1_280, height: 800 })
    }
  })
})
