import assert from 'node:assert/strict'
import { connect, createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { startOpenIdProvider, testClient } from '../../test/openid-provider.ts'
import { buildConsole } from '../build.ts'
import { violations } from './axe.ts'
import { noBrowser, openBrowser, signIn, visit } from './browser.ts'

describe('signing in through a provider in a browser', { skip: noBrowser ?? false }, () => {
  let gatehouse: TestGatehouse
  let browser: Browser
  let company: Awaited<ReturnType<typeof startOpenIdProvider>>
  // What stands in front of Gatehouse: its address is known before Gatehouse is there.
  let front: Awaited<ReturnType<typeof startFront>>

  before(async () => {
    company = await startOpenIdProvider()
    front = await startFront()
    const env = { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1', GATEHOUSE_URL: front.url }
    const built = buildConsole()
    await built
    gatehouse = await openGatehouse({ console: built, env })
    front.lead(gatehouse.url)
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await front?.close()
    await gatehouse?.close()
    await company?.close()
  })

  test('an owner adds and tries a provider, and somebody signs in through it', async () => {
    const owner = await visit(browser)
    const { page } = owner
    const button = (name: string) => page.getByRole('button', { name, exact: true }).first()
    await signIn(owner, front.url, gatehouse.owner.email, gatehouse.owner.password)
    await page.goto(`${/^.*\/d\/[^/]+/.exec(page.url())![0]}/settings/sign-in-providers`)
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
    assert.deepEqual([owner.complaints, guest.complaints], [[], []])
  })
})

/** Passes connections on, as a load balancer does. */
async function startFront() {
  let target: URL | undefined
  const server = createServer((incoming) => {
    const outgoing = connect(Number(target!.port), target!.hostname)
    incoming.pipe(outgoing).pipe(incoming)
    for (const socket of [incoming, outgoing])
      socket.on('error', () => [incoming, outgoing].map((each) => each.destroy()))
    incoming.on('close', () => outgoing.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    lead: (url: string) => {
      target = new URL(url)
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
