import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { violations } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe('signing a program in, in a browser', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let gatehouse: TestGatehouse
  let page: Page
  let button: SignedIn['button']

  before(async () => {
    const env = { GATEHOUSE_TRUST_PROXY: '127.0.0.1' }
    signedIn = await openSignedIn(openGatehouse({ console: buildConsole(), env }))
    ;({ gatehouse, page, button } = signedIn)
  })
  after(() => signedIn?.close())

  async function ask(address: string) {
    const body = {
      client_id: 'gatehouse',
      scope: 'packages:read firewall:read',
      deployment_id: '1',
      host_name: 'laptop-7',
    }
    const headers = { 'x-forwarded-for': address }
    return (await gatehouse.call('POST', '/api/auth/device', { as: '', body, headers })).body
  }
  const outcome = async (deviceCode: string) => {
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    const body = { grant_type, device_code: deviceCode, client_id: 'gatehouse' }
    return (await gatehouse.call('POST', '/api/auth/device/token', { as: '', body })).body
  }

  test('a person types the code, sees what asks, confirms it and chooses what it gets', async () => {
    const asked = await ask('203.0.113.7')
    await page.goto(`${gatehouse.url}/device?deployment=1`)
    await page.getByLabel('Code', { exact: true }).fill(asked.user_code.toLowerCase())
    assert.deepEqual(await violations(page), [])
    await button('Show what asks').click()
    for (const shown of ['gatehouse', 'laptop-7', '203.0.113.7'])
      await page.getByRole('definition').filter({ hasText: shown }).first().waitFor()
    await page.getByText('It asks from another network than yours').waitFor()
    assert.equal(await button('Approve').getAttribute('aria-disabled'), 'true')
    await page.getByLabel('read what the firewall allows and refuses (firewall:read)').uncheck()
    await page.getByLabel('For', { exact: true }).selectOption('7')
    await page.getByLabel(/^I started this program just now/).check()
    assert.deepEqual(await violations(page), [])
    await button('Approve').click()
    await page.getByRole('heading', { name: 'Signed in' }).waitFor()
    const given = await outcome(asked.device_code)
    assert.deepEqual([given.scope, given.expires_in], ['packages:read', 7 * 86_400])
  })

  test('a link does not stand for typing: the code in an address is passed over', async () => {
    const asked = await ask('127.0.0.1')
    const code = asked.user_code.replace('-', '')
    for (const name of ['link', 'code', 'user_code']) {
      await page.goto(`${gatehouse.url}/device?deployment=1&${name}=${code}`)
      assert.equal(await page.getByLabel('Code', { exact: true }).inputValue(), '')
    }
  })

  test('a person denies what they did not start', async () => {
    const asked = await ask('127.0.0.1')
    await page.goto(`${gatehouse.url}/device?deployment=1`)
    await page.getByLabel('Code', { exact: true }).fill('BCDF-BCDF')
    await button('Show what asks').click()
    await page.getByText('No program waits with this code').first().waitFor()
    await page.getByLabel('Code', { exact: true }).fill(asked.user_code)
    await button('Show what asks').click()
    await button('Deny').click()
    await page.getByRole('heading', { name: 'Not signed in' }).waitFor()
    assert.equal((await outcome(asked.device_code)).error, 'access_denied')
    await page.goto(`${gatehouse.url}/device?deployment=987`)
    await page.getByText('There is no such deployment, or you are not in it').waitFor()
  })
})
