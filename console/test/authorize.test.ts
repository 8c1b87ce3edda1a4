import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { oauthClient } from '../../src/capabilities/oauth/test-oauth.ts'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { violations } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe('connecting a program, in a browser', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let gatehouse: TestGatehouse
  let page: Page
  let button: SignedIn['button']
  let client: ReturnType<typeof oauthClient>
  /** The program, which waits for its code on this computer. */
  const program = createServer((_request, response) => response.end('connected'))
  let callback: string

  before(async () => {
    const env = { GATEHOUSE_TRUST_PROXY: '127.0.0.1' }
    signedIn = await openSignedIn(openGatehouse({ console: buildConsole(), env }))
    ;({ gatehouse, page, button } = signedIn)
    client = oauthClient(gatehouse)
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve))
    callback = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`
  })
  after(async () => {
    program.closeAllConnections()
    program.close()
    await signedIn?.close()
  })

  async function addressOf(more: Record<string, string> = {}, redirectUri = callback) {
    const { request, verifier } = await client.begin({ scope: '', redirectUri })
    const asked = new URLSearchParams({
      response_type: 'code',
      client_id: (await client.register([redirectUri])).body.client_id,
      redirect_uri: redirectUri,
      code_challenge: request.codeChallenge,
      code_challenge_method: 'S256',
      scope: 'findings:read findings:triage',
      resource: client.resource,
      state: 'xyz',
      ...more,
    })
    return { address: `${gatehouse.url}/authorize?${asked}`, verifier, clientId: asked.get('client_id')! }
  }

  test('a person sees who asks, chooses and connects; the program has its code and is listed until it is ended', async () => {
    const { address, verifier, clientId } = await addressOf()
    await page.goto(address)
    await page.getByText('a program on this computer (127.0.0.1)').waitFor()
    await page.getByRole('definition').filter({ hasText: 'Agent' }).waitFor()
    assert.equal(await page.getByLabel('Read findings').isChecked(), true)
    assert.equal(await page.getByLabel(/^Decide about findings/).isChecked(), false)
    assert.equal(await button('Connect').getAttribute('aria-disabled'), 'true')
    await page.getByLabel('I am connecting this program just now.').check()
    assert.deepEqual(await violations(page), [])
    await button('Connect').click()
    await page.waitForURL((url) => url.href.startsWith(callback))
    const answer = new URL(page.url()).searchParams
    assert.deepEqual([answer.get('state'), answer.get('iss')], ['xyz', gatehouse.url])
    const given = await client.form('token', {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: answer.get('code')!,
      redirect_uri: callback,
      code_verifier: verifier,
    })
    assert.deepEqual([given.status, given.body.scope], [200, 'findings:read'])
    await page.goto(`${gatehouse.url}/me`)
    const table = page.getByRole('region', { name: /^Your connected programs/ })
    await table.getByText('Agent').waitFor()
    assert.deepEqual(await violations(page), [])
    await table.getByRole('button', { name: 'End' }).click()
    await button('End the connection of Agent').click()
    await page.getByText('The program is no longer connected.').waitFor()
    await table.waitFor({ state: 'detached' })
    assert.equal((await client.refresh(given.body.refresh_token, clientId)).status, 400)
  })

  test('a person says no, and the program is told', async () => {
    await page.goto((await addressOf()).address)
    await button('Do not connect').click()
    await page.waitForURL((url) => url.href.startsWith(callback))
    assert.equal(new URL(page.url()).searchParams.get('error'), 'access_denied')
  })

  test('a code that would leave the computer is warned of, and what is wrong leads nowhere by itself', async () => {
    const site = 'https://agent.example/callback'
    await page.goto((await addressOf({}, site)).address)
    await page.getByText('Its access goes to agent.example, and not to this computer.').waitFor()
    assert.deepEqual(await violations(page), [])
    const { address } = await addressOf({ code_challenge_method: 'plain' })
    await page.goto(address)
    await page.getByText('does not protect its code with PKCE').waitFor()
    await page.goto((await addressOf({ redirect_uri: 'https://evil.example/' })).address)
    await page.getByText('did not register the address').first().waitFor()
    assert.ok(page.url().startsWith(gatehouse.url))
  })

  test('who is not signed in comes back to it after the sign-in', async () => {
    const { address } = await addressOf()
    const context = await page.context().browser()!.newContext()
    const other = await context.newPage()
    await other.goto(address)
    await other.waitForURL(/\/sign-in\?next=/)
    const { email, password } = gatehouse.owner
    await other.getByLabel('E-mail').fill(email)
    await other.getByLabel('Password', { exact: true }).fill(password)
    await other.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.getByText('a program on this computer (127.0.0.1)').waitFor()
    await context.close()
  })
})
