import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { caller, openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { violations } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe('provisioning and the push of the audit log in a browser', { skip: noBrowser ?? false }, () => {
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

  test('a directory is connected with a token that is shown once, and what it does is shown', async () => {
    await open('settings/provisioning')
    await usable('provisioning that is off')
    await button('Turn on').click()
    await page.getByText('/scim/v2').first().waitFor()
    await button('New token').click()
    const shown = page.getByRole('dialog', { name: 'The token of the directory' })
    const secret = (await shown.getByRole('region', { name: 'the token' }).innerText()).trim()
    await shown.getByLabel('I have it').check()
    await shown.getByRole('button', { name: 'Close', exact: true }).click()
    const scim = caller(gatehouse.url, secret)
    const made = await scim('POST', '/scim/v2/Users', { body: { userName: 'ada@example.com', active: true } })
    assert.equal(made.status, 201)
    await scim('POST', '/scim/v2/Groups', { body: { displayName: 'Engineers', members: [{ value: made.body.id }] } })
    await scim('POST', '/scim/v2/Users', { body: { userName: 'ada@example.com' } })

    await open('settings/provisioning')
    await page.getByRole('row', { name: /ada@example\.com.*active/ }).waitFor()
    await page.getByRole('row', { name: /Engineers/ }).waitFor()
    await page.getByRole('row', { name: /POST \/Users.*409/ }).waitFor()
    await button('Change roles and teams').click()
    const rules = page.getByLabel('What groups give, one a line: group = role, team name')
    await rules.fill('Engineers = emperor')
    await button('Save').click()
    await page.getByText(/neither a role/).waitFor()
    assert.deepEqual(await violations(page), [])
    await rules.fill('Engineers = readonly, team Everyone')
    await button('Save').click()
    await page.getByText(/Roles and teams of provisioned people follow/).waitFor()
    await page.locator('pre').getByText('Engineers = readonly, team Everyone').waitFor()
    await usable('provisioning')
    const people = await gatehouse.call('GET', `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`)
    assert.equal(
      people.body.people.find((each: { email: string }) => each.email === 'ada@example.com').role,
      'readonly',
    )

    const off = { Operations: [{ op: 'replace', value: { active: false } }] }
    await scim('PATCH', `/scim/v2/Users/${made.body.id}`, { body: off })
    await open('settings/people')
    await page.getByRole('row', { name: /suspended.*ada@example\.com|ada@example\.com.*suspended/ }).waitFor()
  })

  test('audit events are pushed to a webhook, which is put off and removed', async () => {
    await open('settings/audit')
    await button('Set up a webhook').click()
    await page.getByLabel('Address', { exact: true }).fill('http://siem.example.com/')
    await button('Save').click()
    await page.getByText('must begin with https://').first().waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByLabel('Address', { exact: true }).fill('https://siem.invalid/gatehouse')
    await button('Save').click()
    const shown = page.getByRole('dialog', { name: 'The signing key' })
    assert.match(await shown.getByRole('region', { name: 'the signing key' }).innerText(), /^whsec_/)
    await shown.getByLabel('I have it').check()
    await shown.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByText('https://siem.invalid').first().waitFor()
    await button('Put off').click()
    await button('Go on').waitFor()
    await usable('audit log with a webhook')
    await button('Remove the webhook').click()
    await button('Push no more').click()
    await button('Set up a webhook').waitFor()
  })
})
