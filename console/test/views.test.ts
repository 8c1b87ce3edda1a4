import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { TestGatehouse } from '../../test/gatehouse.ts'
import { violations } from './axe.ts'
import { noBrowser, settled, signIn, type Visit, visit } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'
import { openWorld } from './world.ts'

describe('saved views and preferences', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let gatehouse: TestGatehouse
  let browser: Browser
  let owner: Visit
  let base: string

  before(async () => {
    signedIn = await openSignedIn(openWorld())
    ;({ gatehouse, browser, owner, base } = signedIn)
  })
  after(() => signedIn?.close())

  test('a view is saved, opened again by its link, and saved over only knowingly', async () => {
    const { page } = owner
    await page.goto(`${base}/findings?sev=high&group=rule`)
    await settled(page)
    await page.getByRole('button', { name: 'Saved views' }).click()
    await page.getByRole('button', { name: 'Save this view…' }).click()
    await page.getByLabel('Name').fill('High by rule')
    await page.getByRole('button', { name: 'Save the view' }).click()
    await page.getByText('The view High by rule is saved.').waitFor()
    await page.goto(`${base}/findings`)
    await settled(page)
    await page.getByRole('button', { name: 'Saved views' }).click()
    assert.deepEqual(await violations(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'High by rule' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Saved views' }).click()
    await page.getByRole('link', { name: 'High by rule' }).click()
    await page.waitForURL(/sev=high&group=rule$/)
    await settled(page)
    await page.getByRole('button', { name: 'High by rule' }).click()
    await page.getByRole('button', { name: 'Edit High by rule' }).click()
    await page.getByLabel('Name').fill('Mine')
    const views = '/api/views/v1/deployments/1/views'
    const [view] = (await gatehouse.call('GET', views, { as: gatehouse.owner.jwt })).body.views
    const { name: _, page: __, ...rest } = { ...view, name: '', page: '' }
    const theirs = { name: 'Theirs', search: rest.search, shared: rest.shared }
    await gatehouse.call('PUT', `${views}/${view.id}`, { as: gatehouse.owner.jwt, body: theirs })
    await page.getByRole('button', { name: 'Save the view' }).click()
    await page.getByText('Somebody else changed this meanwhile.').waitFor()
    await page.getByRole('cell', { name: 'Theirs' }).waitFor()
    await page.getByRole('cell', { name: 'Mine' }).waitFor()
    assert.deepEqual(await violations(page), [])
    assert.equal(
      (await gatehouse.call('GET', `${views}/${view.id}`, { as: gatehouse.owner.jwt })).body.view.name,
      'Theirs',
    )
    await page.getByRole('button', { name: 'Save mine over it' }).click()
    await page.getByText('The view Mine is saved.').waitFor()
    assert.equal(
      (await gatehouse.call('GET', `${views}/${view.id}`, { as: gatehouse.owner.jwt })).body.view.name,
      'Mine',
    )
    // There is no way back, so it is asked first, and says for whom it goes.
    const remove = async (answer: string) => {
      await page.getByRole('button', { name: 'Mine', exact: true }).click()
      await page.getByRole('button', { name: 'Delete Mine…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Delete the view Mine' })
      assert.equal(await dialog.getByText('Everybody in the deployment loses it.').count(), rest.shared ? 1 : 0)
      await dialog.getByRole('button', { name: answer }).click()
    }
    await remove('Cancel')
    await remove('Delete the view')
    await page.getByText('The view Mine is deleted.').waitFor()
    assert.deepEqual((await gatehouse.call('GET', views, { as: gatehouse.owner.jwt })).body.views, [])
  })

  test('the filtered list is streamed to disk by the browser itself', async () => {
    const { page } = owner
    await page.goto(`${base}/findings?repo=evil/one`)
    await settled(page)
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('e')])
    assert.match(download.suggestedFilename(), /^findings.*\.csv$/)
    const text = await readFile(await download.path(), 'utf8')
    assert.ok(text.startsWith('id,repository'))
    assert.ok(text.includes('evil/one'))
    assert.ok(!text.includes('shop/web'))
    assert.match(download.url(), /\/exports\/[A-Za-z0-9_-]{32}$/)
  })

  test('columns and appearance that were chosen in one browser hold in the next', async () => {
    const { page } = owner
    await page.goto(`${base}/findings`)
    await settled(page)
    await page.getByRole('columnheader', { name: 'Repository' }).waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('listbox', { name: 'Columns' }).getByRole('option', { name: 'Repository' }).click()
    await page.getByRole('columnheader', { name: 'Repository' }).waitFor({ state: 'detached' })
    assert.deepEqual(await violations(page), [])
    await page.keyboard.press('Escape')
    await page.goto(`${gatehouse.url}/me`)
    await page.getByLabel('Compact').check()
    await page.goto(`${base}/findings`)
    await settled(page)
    const other = await visit(browser)
    await signIn(other, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
    await other.page.goto(`${base}/findings`)
    await settled(other.page)
    await other.page.getByRole('columnheader', { name: 'Severity' }).waitFor()
    await other.page.getByRole('columnheader', { name: 'Repository' }).waitFor({ state: 'detached' })
    await other.page.locator('html[data-density=compact]').waitFor({ state: 'attached' })
    assert.deepEqual(other.complaints, [])
    await other.context.close()
  })
})
