import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openGatehouse } from '../../test/gatehouse.ts'
import { startOpenIdProvider, testClient } from '../../test/outside/openid-provider.ts'
import { buildConsole } from '../build.ts'
import { violations } from './axe.ts'
import { noBrowser, visit } from './browser.ts'
import { startFront } from './front.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe('signing in through a provider in a browser', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let company: Awaited<ReturnType<typeof startOpenIdProvider>>
  let front: Awaited<ReturnType<typeof startFront>>

  before(async () => {
    company = await startOpenIdProvider()
    front = await startFront()
    const env = { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1', GATEHOUSE_URL: front.url }
    const built = buildConsole()
    await built
    const opened = openGatehouse({ console: built, env }).then((gatehouse) => {
      front.lead(gatehouse.url)
      return gatehouse
    })
    signedIn = await openSignedIn(opened, front.url)
  })
  after(async () => {
    await signedIn?.close()
    await front?.close()
    await company?.close()
  })

  test('an owner adds and tries a provider, and somebody signs in through it', async () => {
    const { gatehouse, browser, page, open, button } = signedIn
    await open('settings/sign-in-providers')
    await button('New provider').click()
    await page.getByLabel('Name', { exact: true }).fill('Company')
    await page.getByLabel('Issuer').fill(`${company.url}/wrong`)
    await page.getByLabel('Client id').fill(testClient.clientId)
    await page.getByLabel('Client secret').fill(testClient.clientSecret)
    await page.getByLabel('Mail domains').fill('corp.example')
    await page.getByLabel('Scopes').fill('email profile groups')
    await page.getByLabel('Claim with the groups').fill('groups')
    await button('Add a group').click()
    await page.getByLabel('Group 1', { exact: true }).fill('admins')
    await page.getByLabel('Role of group 1').selectOption('admin')
    await page.getByLabel('Only single sign-on: passwords do not open this deployment any more').check()
    await page
      .getByRole('alert')
      .getByText(/only the break-glass owner comes in/)
      .waitFor()
    await page.getByLabel('Only single sign-on: passwords do not open this deployment any more').uncheck()
    assert.deepEqual(await violations(page), [])
    await button('Add it').click()
    await page.locator('.wrong').first().waitFor()
    await page.getByLabel('Issuer').fill(company.url)
    await button('Add it').click()
    const row = page.getByRole('row', { name: /Company/ })
    await row.waitFor()
    const [made] = (
      await gatehouse.call('GET', `/api/sign-in/v1/deployments/${gatehouse.owner.deploymentId}/providers`)
    ).body.providers
    company.register(made.redirectUri)
    await button('Try Company').click()
    await page.getByText('It knows the client with its secret.').waitFor()
    await page.getByText(made.redirectUri).waitFor()
    assert.deepEqual(await violations(page), [])

    company.people.set('ada', { email: 'ada@corp.example', email_verified: true, name: 'Ada', groups: ['admins'] })
    const guest = await visit(browser)
    await guest.page.goto(`${front.url}/me`)
    assert.deepEqual(await violations(guest.page), [])
    await guest.page.getByRole('button', { name: 'Sign in with Company' }).click()
    await guest.page.getByPlaceholder('Enter any login').fill('ada')
    await guest.page.getByPlaceholder('and password').fill('any')
    await guest.page.getByRole('button', { name: 'Sign-in' }).click()
    await guest.page.getByRole('button', { name: 'Continue' }).click()
    await guest.page.waitForURL(`${front.url}/me`)
    await guest.page.getByText('ada@corp.example').first().waitFor()
    // A refusal is a sentence, and the way back is there.
    await guest.page.goto(`${front.url}/sign-in/callback/${made.id}?code=stolen&state=stolen`)
    await guest.page.getByText(/was not begun in this browser/).waitFor()
    assert.equal(guest.page.url(), `${front.url}/sign-in/callback/${made.id}`)
    assert.deepEqual(await violations(guest.page), [])
    assert.deepEqual(guest.complaints, [])
  })
})
