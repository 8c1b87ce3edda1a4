import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import sql from 'sql-template-tag'
import { systemActor } from '../../src/kernel/access/actor.ts'
import { noBrowser, settled } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'
import { openWorld } from './world.ts'

describe('how long findings may stand', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  before(async () => {
    signedIn = await openSignedIn(openWorld())
    await signedIn.gatehouse.db.transaction(systemActor(1, 'test'), (tx) =>
      tx.query(sql`with old as materialized (
          select f.id, f.raised_at - interval '240 hours' as at from finding f
          where f.deployment_id = 1 and f.pull_request = 0 and f.id % 2 = 0)
        update finding f set raised_at = old.at from old where f.deployment_id = 1 and f.id = old.id`),
    )
  })
  after(() => signedIn?.close())

  test('deadlines are set by severity, and the number of what is overdue leads to exactly those', async () => {
    const { open, page, button, usable } = signedIn
    await open('policies')
    const card = page.locator('.card').filter({ hasText: 'How long findings may stand' })
    await card.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog')
    for (const name of ['Critical', 'High', 'Medium', 'Low']) await dialog.getByLabel(name, { exact: true }).fill('7')
    await usable('the deadlines')
    await button('Save').click()
    await card.getByText('7 days').first().waitFor()
    assert.equal(await card.getByText('7 days').count(), 4)
    assert.equal(await card.getByText('no limit').count(), 1)

    await open('')
    await page.getByText('None of them is in a repository that is marked as publicly exposed').waitFor()
    const number = page.getByRole('link', { name: /overdue findings/ })
    const said = Number((await number.locator('.figure').textContent())!.replaceAll(',', ''))
    assert.ok(said > 10)
    await number.click()
    await page.waitForURL(/findings\?overdue=yes&archived=no$/)
    await settled(page)
    assert.equal(await page.locator('h1 .total').textContent(), said.toLocaleString('en'))
    await page.getByRole('row').nth(1).click()
    await page.getByRole('region', { name: 'Finding', exact: true }).getByText('overdue').waitFor()
  })
})
