import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { violations } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe('service accounts, CI trusts and claimed names in a browser', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let gatehouse: TestGatehouse
  let page: Page
  let open: SignedIn['open']
  let button: SignedIn['button']
  let usable: SignedIn['usable']

  before(async () => {
    signedIn = await openSignedIn(openGatehouse({ console: buildConsole() }))
    ;({ gatehouse, page, open, button, usable } = signedIn)
  })
  after(() => signedIn?.close())

  test('a service account is made and gets a token that expires soon, which the console says', async () => {
    await open('settings/service-accounts')
    await button('New service account').click()
    await page.getByLabel('Name', { exact: true }).fill('ci-shop')
    await button('Upload scans from CI').click()
    assert.deepEqual(await violations(page), [])
    await button('Make the account').click()
    await page.getByRole('link', { name: 'ci-shop' }).click()
    await button('New token').click()
    await page.getByLabel('Name', { exact: true }).fill('pipeline')
    await page.getByLabel('Expires after').selectOption('7')
    await page.getByText('All that the account may do').click()
    await button('Make the token').click()
    const shown = page.getByRole('dialog', { name: 'The new token' })
    const secret = (await shown.getByRole('region', { name: 'the token' }).innerText()).trim()
    const self = await gatehouse.call('GET', '/api/tokens/v1/self', { as: secret })
    assert.deepEqual(self.body.deployments[0].permissions.sort(), ['repositories:read', 'scans:read', 'scans:write'])
    await shown.getByLabel('I have it').check()
    await shown.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByRole('row', { name: /pipeline/ }).waitFor()
    await usable('service account')
    await open('settings/service-accounts')
    await page.getByRole('link', { name: '1 token expires soon' }).waitFor()
    await page.getByRole('row', { name: /ci-shop/ }).waitFor()
    await usable('service accounts')
  })

  test('a CI system is trusted, by an id and not by a name', async () => {
    await open('settings/ci-trusts')
    await button('New trust').click()
    await page.getByLabel('Name', { exact: true }).fill('Our organisation')
    const conditions = page.getByLabel('Conditions, one a line: claim = value, value')
    await conditions.fill('repository = shop/web')
    assert.deepEqual(await violations(page), [])
    await button('Trust it').click()
    await page
      .getByText(/names can be taken over/)
      .nth(1)
      .waitFor()
    await conditions.fill('repository_owner_id = 4711')
    await button('Trust it').click()
    await page.getByRole('row', { name: /repository_owner_id = 4711/ }).waitFor()
    await usable('CI trusts')
  })

  test('a team claims names, and new people are to see only their teams', async () => {
    await open('settings/teams')
    await page.getByRole('link', { name: 'Everyone' }).click()
    await button('Change names').click()
    await page.getByLabel('Names of repositories, one pattern a line').fill('payments/*\ninfra/**')
    await page.getByLabel('Members may bring new repositories of these names by uploading a scan').check()
    await button('Save').click()
    await page.getByText('payments/*').first().waitFor()
    await usable('team')
    await open('settings/system')
    await page.getByLabel('People who join from now on').selectOption('teams')
    await page.getByText('Saved.').waitFor()
    const about = `/api/deployments/v1/deployments/${gatehouse.owner.deploymentId}`
    assert.equal((await gatehouse.call('GET', about)).body.deployment.newPeopleSee, 'teams')
    await usable('system')
  })
})
