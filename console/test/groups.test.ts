import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TestGatehouse } from '../../test/gatehouse.ts'
import { violations } from './axe.ts'
import { noBrowser, settled, type Visit } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'
import { openWorld } from './world.ts'

describe('findings by what they have in common', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let gatehouse: TestGatehouse
  let owner: Visit
  let base: string

  before(async () => {
    signedIn = await openSignedIn(openWorld())
    ;({ gatehouse, owner, base } = signedIn)
  })
  after(() => signedIn?.close())

  const count = async (filter: object) =>
    (await gatehouse.call('POST', '/api/findings/1/findings/counts', { body: { filter } })).body

  test('every number of a group is a link to a list of exactly as many, whatever it is grouped by', async () => {
    const { page } = owner
    for (const by of ['rule', 'vulnerability', 'package', 'repository', 'path']) {
      await page.goto(`${base}/findings?repo=evil/one&repo=shop/web&group=${by}`)
      await settled(page)
      const links = page.getByRole('grid').getByRole('link')
      const some = Math.min(await links.count(), 4)
      for (let at = 0; at < some; at += 1) {
        const said = (await links.nth(at).textContent()) ?? ''
        await links.nth(at).click()
        await page.waitForURL((url) => !url.searchParams.has('group'))
        await settled(page)
        assert.equal(await page.locator('h1 .total').textContent(), said, `${by}: ${page.url()}`)
        assert.equal(await page.locator('.chip.lost').count(), 0, page.url())
        await page.goBack()
        await settled(page)
      }
    }
  })

  test('a group opens to its findings by keyboard, in the address, and a finding of it opens beside', async () => {
    const { page } = owner
    await page.goto(`${base}/findings`)
    await settled(page)
    await page.getByLabel('Group by').selectOption('rule')
    await page.waitForURL(/group=rule/)
    await settled(page)
    await page.getByRole('grid').getByText('weak-hash').first().waitFor()
    await page.goto(`${base}/findings?repo=shop/web&rule=weak-hash&group=rule`)
    await settled(page)
    await page.getByRole('row', { name: /weak-hash/ }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/in=weak-hash/)
    await settled(page)
    const total = (await count({ ruleIds: ['weak-hash'] })).total
    // The group, 100 of its findings, and the line that reads more; the head of the grid is a row too.
    assert.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), String(1 + 1 + 100 + 1))
    await page.keyboard.press('End')
    await page.getByText(`Show more: ${total - 100} findings left`).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Show more:').waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), String(1 + 1 + total))
    await page.reload()
    await settled(page)
    assert.equal(
      await page.getByRole('button', { name: 'Findings of weak-hash' }).getAttribute('aria-expanded'),
      'true',
    )
    assert.deepEqual(await violations(page), [])
    await page.getByRole('row').nth(3).click()
    await page.waitForURL(/findings\/\d+\?/)
    await settled(page)
    assert.deepEqual(await violations(page), [])
  })

  test('what is selected counts once, and a ticket that would leave some of it out is refused', async () => {
    const { page } = owner
    await page.goto(`${base}/findings?rule=weak-hash&group=rule&in=weak-hash`)
    await settled(page)
    const { total } = await count({ ruleIds: ['weak-hash'] })
    await page.keyboard.press('Control+a')
    await page.getByText(`${total} selected`, { exact: true }).waitFor()
    await page.keyboard.press('t')
    await page.getByText('No ticket: a ticket is about findings that are selected one by one.').waitFor()
    // The group without one of its findings is not the group.
    await page.getByRole('row').nth(2).getByRole('checkbox').uncheck()
    await page.getByText('99 selected', { exact: true }).waitFor()
    await page.goto(`${base}/findings?rule=weak-hash`)
    await settled(page)
    await page.keyboard.press('j')
    await page.keyboard.press('End')
    await settled(page)
    await page.keyboard.press('Control+a')
    await page.getByText(`${total} selected`, { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Ticket/ }).click()
    await page.getByText(`No ticket: ${total} findings are selected, and a ticket is about at most 100.`).waitFor()
  })

  test('a group of the former filter is not decided about while the answer to the next is awaited', async () => {
    const { page } = owner
    await page.goto(`${base}/findings?repo=shop/web&prs=none&rule=weak-hash&group=rule`)
    await settled(page)
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/findings/groups', (route) => held.then(() => route.continue()))
    await page.getByRole('button', { name: 'Clear Repository' }).click()
    await page.waitForURL(/findings\?prs=none/)
    await page.getByRole('row', { name: /weak-hash/ }).focus()
    await page.keyboard.press('r')
    assert.equal(await page.getByRole('dialog').count(), 0)
    answer()
    await settled(page)
    await page.unroute('**/findings/groups')
    await page.keyboard.press('r')
    await page
      .getByRole('dialog', { name: /^Review \d+ findings/ })
      .getByRole('button', { name: 'Cancel' })
      .click()
  })

  test('a group is decided as a whole: by its checkbox, or by a key that says the number first', async () => {
    const { page } = owner
    await page.goto(`${base}/findings?repo=shop/web&prs=none&group=rule`)
    await settled(page)
    const before = await count({ ruleIds: ['weak-hash'] })
    await page.getByRole('row', { name: /weak-hash/ }).focus()
    await page.keyboard.press('j')
    const current = page.locator('.grid-row.current')
    while (!((await current.textContent()) ?? '').includes('weak-hash')) await page.keyboard.press('k')
    await page.keyboard.press('r')
    const dialog = page.getByRole('dialog', { name: `Review ${before.total} findings` })
    await dialog.waitFor()
    assert.equal((await count({ ruleIds: ['weak-hash'] })).byTriageState.TRIAGE_STATE_REVIEWING, 0)
    await dialog.getByRole('button', { name: /^Review/ }).click()
    await page.getByText(`${before.total} findings are in review.`).waitFor()
    const after = await count({ ruleIds: ['weak-hash'] })
    assert.equal(after.byTriageState.TRIAGE_STATE_REVIEWING, before.total)
    await settled(page)
    await page
      .getByRole('row', { name: /sql-injection/ })
      .getByRole('checkbox')
      .check()
    const chosen = (await count({ ruleIds: ['sql-injection'], pullRequests: 'none' })).total
    await page.getByText(`${chosen} selected`).waitFor()
    await page
      .getByRole('region', { name: 'Selection' })
      .getByRole('button', { name: /^Fixing/ })
      .click()
    await page.getByText(`${chosen} findings are being fixed.`).waitFor()
    const fixing = await count({ ruleIds: ['sql-injection'] })
    assert.equal(fixing.byTriageState.TRIAGE_STATE_FIXING, chosen)
    // Nothing of the pull request, which the list did not show.
    assert.equal(fixing.byTriageState.TRIAGE_STATE_OPEN, fixing.total - chosen)
  })
})
