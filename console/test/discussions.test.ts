import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import sql from 'sql-template-tag'
import type { TestGatehouse } from '../../test/gatehouse.ts'
import { violations } from './axe.ts'
import { noBrowser, settled, type Visit } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'
import { hostile, openWorld } from './world.ts'

describe('who looks after what, and what people say', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let gatehouse: TestGatehouse
  let owner: Visit
  let base: string

  before(async () => {
    signedIn = await openSignedIn(openWorld())
    ;({ gatehouse, owner, base } = signedIn)
    await gatehouse.addPerson('member')
  })
  after(() => signedIn?.close())

  test('a comment is written, edited and deleted, and is text whatever it looks like', async () => {
    const { page } = owner
    await page.goto(`${base}/findings/1`)
    await settled(page)
    await page.getByLabel('Comment', { exact: true }).fill(hostile[0]!)
    await page.keyboard.press('Control+Enter')
    await page.locator('.comment').getByText('<img src=x').waitFor()
    assert.equal(await page.evaluate(`'pwned' in window`), false)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Edit the comment').fill('Reached from the login page.\nSecond line.')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Reached from the login page.').waitFor()
    await page.locator('.comment').getByText('· edited').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Delete…', exact: true }).click()
    // It cannot be brought back, so one press is not enough.
    await page.getByRole('dialog', { name: 'Delete a comment' }).getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Reached from the login page.').waitFor()
    await page.getByRole('button', { name: 'Delete…', exact: true }).click()
    await page.getByRole('button', { name: 'Delete the comment' }).click()
    await page.getByText('deleted a comment').waitFor()
    assert.equal(await page.getByText('Reached from the login page.').count(), 0)
  })

  test('a comment that was begun is there again after a look at another finding, until it is sent', async () => {
    const { page } = owner
    await page.goto(`${base}/findings/1`)
    await settled(page)
    const comment = page.getByLabel('Comment', { exact: true })
    await comment.fill('It is reached from')
    await page.getByRole('row').nth(3).click()
    await page.waitForURL(/findings\/(?!1$)\d+$/)
    await settled(page)
    assert.equal(await comment.inputValue(), '')
    await page.evaluate(`history.pushState({ key: 'again' }, '', ${JSON.stringify(`${base}/findings/1`)})
      dispatchEvent(new PopStateEvent('popstate'))`)
    await settled(page)
    assert.equal(await comment.inputValue(), 'It is reached from')
    await comment.press('Control+Enter')
    await page.locator('.comment').getByText('It is reached from').waitFor()
    assert.equal(await comment.inputValue(), '')
    await page.getByRole('button', { name: 'Delete…', exact: true }).click()
    await page.getByRole('button', { name: 'Delete the comment' }).click()
    await page.getByText('The comment is deleted.').waitFor()
  })

  test('a comment of somebody who has left says so', async () => {
    const leaving = await gatehouse.addPerson('member')
    const body = { findingId: '3', text: 'I am off.' }
    const comments = '/api/discussions/v1/deployments/1/comments'
    assert.equal((await gatehouse.call('POST', comments, { as: leaving.token, body })).status, 200)
    await gatehouse.call('DELETE', `/api/people/v1/deployments/1/people/${leaving.id}`)
    const { page } = owner
    await page.goto(`${base}/findings/3`)
    const comment = page.locator('.comment', { hasText: 'I am off.' })
    await comment.locator('strong', { hasText: /\S \(left\)$/ }).waitFor()
    // Somebody who is there is not called so, whatever account they have now.
    await gatehouse.db.identity((tx) =>
      tx.query(sql`update person set email = 'renamed@example.com' where id = ${leaving.id}`),
    )
    const back = await gatehouse.addPerson('member')
    await gatehouse.db.identity((tx) => tx.query(sql`update person set email = ${leaving.email} where id = ${back.id}`))
    await page.reload()
    await comment.locator('strong', { hasText: /\w$/ }).waitFor()
    await settled(page)
    assert.doesNotMatch(await comment.locator('strong').innerText(), /left/)
  })

  test('a finding is given to oneself in its panel, many at once by the bar, and "Mine" shows them', async () => {
    const { page } = owner
    await page.goto(`${base}/findings/2`)
    await settled(page)
    await page.getByRole('button', { name: 'Assignee: Nobody' }).click()
    await page.getByRole('option', { name: /\(me\)/ }).click()
    await page.getByText('assigned it to').waitFor()
    const mine = async () =>
      (
        await gatehouse.call('POST', '/api/findings/1/findings/counts', {
          as: gatehouse.owner.jwt,
          body: { filter: { assignees: ['me'] } },
        })
      ).body.total
    assert.equal(await mine(), 1)
    await page.goto(`${base}/findings?rule=weak-hash`)
    await settled(page)
    await page.keyboard.press('Control+a')
    await page.getByRole('button', { name: /^Select all/ }).click()
    await page.getByRole('button', { name: 'Assign to: Assign…' }).click()
    await page.getByRole('option', { name: /\(me\)/ }).click()
    await page.getByText(/findings have another assignee now/).waitFor()
    const all = await mine()
    assert.ok(all > 100)
    await page.getByRole('link', { name: 'Mine', exact: true }).click()
    await page.waitForURL(/assignee=me$/)
    await settled(page)
    assert.equal(await page.locator('h1 .total').textContent(), String(all))
    await page.goto(`${base}/findings?assignee=perhaps`)
    await settled(page)
    await page.getByText('not understood: assignee=perhaps').waitFor()
  })

  test('issues are talked about in the same way', async () => {
    const made = await gatehouse.call('POST', '/api/issues/1/issues', {
      body: { issues: [{ externalKey: 'talk', title: 'An issue', severity: 'SEVERITY_HIGH' }] },
    })
    const { page } = owner
    await page.goto(`${base}/issues/${made.body.results[0].issueId}`)
    await settled(page)
    await page.getByLabel('Comment', { exact: true }).fill('Seen.')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await page.locator('.comment').getByText('Seen.').waitFor()
    await page.getByRole('button', { name: 'Assignee: Nobody' }).click()
    await page.getByRole('option', { name: /\(me\)/ }).click()
    await page.getByText('assigned it to').waitFor()
    await page.goto(`${base}/issues?assignee=me`)
    await settled(page)
    await page.getByRole('row', { name: /An issue/ }).waitFor()
    assert.deepEqual(await violations(page), [])
  })
})
