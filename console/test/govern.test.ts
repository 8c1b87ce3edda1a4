import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startChatService } from '../../src/sandbox/chat-service.ts'
import { startCloudsecService } from '../../src/sandbox/cloudsec-service.ts'
import { startTrackerService } from '../../src/sandbox/tracker/tracker-service.ts'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { poll } from '../../test/servers/real-process.ts'
import { buildConsole } from '../build.ts'
import { violations, violationsInBoth } from './axe.ts'
import { atOnce, comeBack, noBrowser, openWindows, settled, signIn, travel, visit } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'
import { governPages } from './world.ts'

/** Where pictures go, for people to look at; without it none are made. */
const pictures = process.env.GATEHOUSE_PICTURES
describe('settings, policies, automations, memories and issues in a browser', { skip: noBrowser ?? false }, () => {
  let now = Date.now()
  const clock = { now: () => new Date(now) }
  let gatehouse: TestGatehouse
  let signedIn: SignedIn
  let browser: Browser
  let page: Page
  let base: string
  let open: SignedIn['open']
  let button: SignedIn['button']
  let deployment: number
  let tracker: Awaited<ReturnType<typeof startTrackerService>>
  let cloudsec: Awaited<ReturnType<typeof startCloudsecService>>
  let chat: Awaited<ReturnType<typeof startChatService>>

  before(async () => {
    ;[tracker, cloudsec, chat] = await Promise.all([
      startTrackerService({ clock }),
      startCloudsecService(),
      startChatService({ clock }),
    ])
    const opened = openGatehouse({
      clock,
      console: buildConsole(),
      env: {
        GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
        GATEHOUSE_CHAT_CLIENT_ID: chat.app.clientId,
        GATEHOUSE_CHAT_CLIENT_SECRET: chat.app.clientSecret,
        GATEHOUSE_CHAT_URL: chat.url,
      },
    })
    signedIn = await openSignedIn(opened)
    ;({ gatehouse, browser, page, base, open, button } = signedIn)
    deployment = gatehouse.owner.deploymentId
    await gatehouse.call('POST', `/api/repositories/v1/deployments/${deployment}/repositories`, {
      body: { name: 'shop/web' },
    })
    const issue = (key: string, severity: string) => ({ externalKey: key, title: `Issue ${key}`, severity })
    await gatehouse.call('POST', `/api/issues/${deployment}/issues`, {
      body: { issues: [issue('a', 'SEVERITY_HIGH'), issue('b', 'SEVERITY_LOW')] },
    })
  })
  after(async () => {
    await signedIn?.close()
    await Promise.all([tracker?.close(), cloudsec?.close(), chat?.close()])
  })

  describe('light and dark, wide and narrow', { concurrency: atOnce }, () => {
    let windows: Awaited<ReturnType<typeof openWindows>>
    before(async () => {
      windows = await openWindows(browser, gatehouse.url, gatehouse.owner)
    })
    after(() => Promise.all(windows.visits.map(({ context }) => context.close())))

    for (const path of [...governPages, '/me', '/sign-in', '/chat/callback']) {
      test(`${path} can be used by everybody, and its policy is kept`, () =>
        windows.use(async ({ page, complaints }) => {
          await travel(page, path.startsWith('/') ? gatehouse.url + path : `${base}/${path}`)
          await picture(page, path)
          assert.deepEqual(await violationsInBoth(page), [])
          await page.setViewportSize({ width: 360, height: 740 })
          const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
          assert.ok(wider <= 0, `${path} is ${wider} px wider than a narrow window`)
          await picture(page, `${path}-360`)
          await page.setViewportSize({ width: 1_280, height: 800 })
          assert.deepEqual(complaints, [])
        }))
    }
  })

  test('where there is nothing, no page tells of its age, its line or its feeds', async () => {
    await open('reports/backlog')
    await page.getByText('No rule has findings left in this period.').waitFor()
    assert.equal(await page.getByText('median age').count(), 0)
    await open('reports/activity')
    await page.getByText('Nothing in this period').first().waitFor()
    assert.equal(await page.locator('.net-dot').count(), 0)
    await open('vulnerabilities/CVE-2021-44228')
    await page.getByText('No advisories are loaded.').waitFor()
    assert.equal(await page.getByText('0 feeds').count(), 0)
    await open('findings')
    await page.getByText('Lockfiles and bills of materials are compared with advisories.').waitFor()
  })

  test('a token that changes things takes the password again and is shown once', async () => {
    now += 6 * 60_000
    await open('settings/tokens')
    await button('New token').click()
    await page.getByLabel('Name', { exact: true }).fill('ci-2')
    await button('Upload scans from CI').click()
    await picture(page, 'new-token')
    assert.deepEqual(await violations(page), [])
    await button('Make the token').click()
    const asked = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await asked.getByLabel('Password').fill('not this one')
    await asked.getByRole('button', { name: 'Confirm' }).click()
    await asked.getByRole('alert').waitFor()
    await asked.getByLabel('Password').fill(gatehouse.owner.password)
    await asked.getByRole('button', { name: 'Confirm' }).click()
    const shown = page.getByRole('dialog', { name: 'Your new token' })
    const secret = (await shown.getByRole('region', { name: 'the token' }).innerText()).trim()
    assert.match(secret, /^gth_/)
    const made = await gatehouse.call('GET', '/api/tokens/v1/self', { as: secret })
    assert.deepEqual(made.body.deployments[0].permissions.sort(), ['repositories:read', 'scans:read', 'scans:write'])
    // Neither Escape nor a press on the button closes it before somebody said that they have it.
    await page.keyboard.press('Escape')
    await shown.getByLabel('I have it').check()
    await shown.getByRole('button', { name: 'Close', exact: true }).click()
    assert.equal((await page.content()).includes(secret), false)
    await page.getByRole('row', { name: /ci-2/ }).getByRole('button', { name: 'Revoke' }).click()
    await button('Revoke token ci-2').click()
    await page.getByText('ci-2 is revoked.').waitFor()
    // A server may know a token for a moment after it was revoked.
    const statusOf = async () => (await gatehouse.call('GET', '/api/tokens/v1/self', { as: secret })).status
    await poll('the token is refused', async () => (await statusOf()) === 401, 30_000)
  })

  test('somebody is invited, put into a team, taken out and put back', async () => {
    await open('settings/people')
    await button('Invite').click()
    await page.getByLabel('E-mail', { exact: true }).fill('anna@example.com')
    await page.keyboard.press('Enter')
    const link = page.getByRole('region', { name: 'the link' })
    assert.match(await link.innerText(), /\/invitations#/)
    await page.getByLabel('I have it', { exact: true }).check()
    await button('Close').click()
    await page.getByRole('row', { name: /anna@example\.com/ }).waitFor()
    const member = await gatehouse.addPerson('member')
    await open('settings/teams')
    await button('New team').click()
    await page.getByLabel('Name', { exact: true }).fill('Web')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Web' }).waitFor()
    await button(/^Add a person/).click()
    await page.getByRole('combobox').fill(member.email)
    await page.keyboard.press('Enter')
    const row = page.getByRole('row', { name: new RegExp(member.email) })
    await row.getByRole('button', { name: /^Remove/ }).click()
    await row.waitFor({ state: 'detached' })
    await page.keyboard.press('z')
    await row.waitFor()
  })

  test('rules of a policy that somebody else changed meanwhile: both versions are shown, and one is chosen', async () => {
    const path = `/api/policies/v1/deployments/${deployment}/policies/1/rules`
    await open('policies/1')
    await page.getByLabel('Rule to add', { exact: true }).fill('mine.*')
    await page.keyboard.press('Enter')
    await gatehouse.call('PUT', path, { body: { rules: [{ rule: 'theirs.*', mode: 'block' }] } })
    await button('Save the rules').click()
    await page.getByText('Somebody else changed this meanwhile').waitFor()
    await picture(page, 'stale')
    assert.match(await page.getByRole('alert').innerText(), /mine\.\* comment[\s\S]*theirs\.\* block/)
    assert.deepEqual((await gatehouse.call('GET', path)).body.rules, [{ rule: 'theirs.*', mode: 'block' }])
    await button('Save mine over it').click()
    await page.getByText('The rules are saved.').waitFor()
    const saved = (await gatehouse.call('GET', path)).body.rules.map((each: { rule: string }) => each.rule)
    assert.deepEqual(saved.sort(), ['*', 'mine.*'])
  })

  test('where more rules have findings than were counted, a policy says at least, and not that there are none', async () => {
    const facets = '**/findings/facets'
    const facet = { field: 'ruleIds', values: [{ value: 'counted', label: 'counted', count: 7 }], hasMore: true }
    await page.route(facets, (route) => route.fulfill({ json: { facets: [facet] } }))
    await open('policies/1')
    await page.getByLabel('Rule to add', { exact: true }).fill('perhaps.*')
    await page.keyboard.press('Enter')
    const numberOf = (rule: string) =>
      page
        .getByRole('row')
        .filter({ has: page.getByLabel(`Mode of ${rule}`, { exact: true }) })
        .getByRole('cell')
        .nth(1)
        .textContent()
    assert.deepEqual([await numberOf('perhaps.*'), await numberOf('*')], ['', 'at least 7'])
    await page.unroute(facets)
  })

  test('an automation is built, tried and switched on', async () => {
    await open('automations/new')
    await page.getByText('There is no scan yet that it could be tried on.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Nothing critical')
    await button('Save and try it').click()
    await page.waitForURL(/\/trial$/)
    await page.getByText('There is no scan yet that it could be tried on.').waitFor()
    await picture(page, 'trial')
    assert.deepEqual(await violations(page), [])
    await button('Switch it on').click()
    await page.getByText('Nothing critical is switched on.').waitFor()
    const { body } = await gatehouse.call('GET', `/api/notifications/deployments/${deployment}/automations`)
    assert.deepEqual([body.automations[0].active, body.automations[0].actions[0].type], [true, 'ACTION_TYPE_BLOCK'])
  })

  test('a suggestion is replayed and promoted', async () => {
    await gatehouse.call('POST', `/api/ai/deployments/${deployment}/memories`, {
      body: { content: 'Only in tests.', pathPrefixes: ['test'], stage: 'AI_MEMORY_STAGE_SUGGESTED' },
    })
    await open('memories')
    await page.getByRole('link', { name: 'Only in tests.' }).click()
    await button('Replay').click()
    await button(/^Promote: ignore 0/).click()
    await page.getByText('It is live.').waitFor()
    await picture(page, 'memory')
  })

  test('an issue is ignored by keys alone, and that is undone', async () => {
    await open('issues')
    await page.getByRole('grid').getByRole('row').nth(1).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Issue', exact: true }).getByRole('heading', { level: 2 }).waitFor()
    await picture(page, 'issue')
    assert.deepEqual(await violations(page), [])
    await page.keyboard.press('i')
    await page.keyboard.press('2')
    await page.keyboard.press('Enter')
    await page.getByText('1 issue is ignored.').waitFor()
    await page.keyboard.press('z')
    await page.getByText('Undone: 1 issue is as it was.').waitFor()
    const { body } = await gatehouse.call('POST', `/api/issues/${deployment}/issues/counts`, { body: {} })
    assert.equal(body.byTriageState.TRIAGE_STATE_OPEN, 2)
  })

  test('issues of a repository are found behind pages of names that contain its name, and a failed look-up is told', async () => {
    const path = `/api/repositories/v1/deployments/${deployment}/repositories`
    await gatehouse.call('POST', path, { body: { name: 'shop/last-but-one' } })
    const last = (await gatehouse.call('POST', path, { body: { name: 'shop/last' } })).body.repository
    const reported = await gatehouse.call('POST', `/api/issues/${deployment}/issues`, {
      body: {
        issues: [{ externalKey: 'last', title: 'Issue last', severity: 'SEVERITY_LOW', projectIds: [String(last.id)] }],
      },
    })
    assert.equal(reported.status, 200, JSON.stringify(reported.body))
    const lists = /\/repositories\?/
    await page.route(lists, (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/pageSize=\d+/, 'pageSize=1'),
      }),
    )
    await open('issues?repo=shop/last')
    await page.getByRole('row', { name: /Issue last/ }).waitFor()
    await page.unroute(lists)
    await page.route(lists, (route) => route.fulfill({ status: 500, body: '{}' }))
    await page.reload()
    await settled(page)
    const alert = page.getByRole('alert')
    await alert.waitFor()
    assert.equal(await page.getByText('Nothing matches these filters').count(), 0)
    await page.unroute(lists)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('row', { name: /Issue last/ }).waitFor()
  })

  test('until it is known how many issues match another filter, they cannot all be selected', async () => {
    const counts = '**/issues/counts'
    await page.route(counts, async (route) => {
      const response = await route.fetch()
      return route.fulfill({ response, json: { ...(await response.json()), total: 500 } })
    })
    await open('issues')
    await page.unroute(counts)
    const held = Promise.withResolvers<void>()
    await page.route(counts, (route) => held.promise.then(() => route.continue()))
    await page.evaluate(`history.pushState({ key: 'low' }, '', '?sev=low')
      dispatchEvent(new PopStateEvent('popstate'))`)
    await page.getByRole('button', { name: 'Clear Severity' }).waitFor()
    await page.keyboard.press('Control+a')
    const selection = page.getByRole('region', { name: 'Selection' })
    await selection.waitFor()
    assert.equal(await selection.getByRole('button', { name: /^Select all/ }).count(), 0)
    held.resolve()
    await settled(page)
    await page.unroute(counts)
  })

  test('a tracker is connected, configured and checked', async () => {
    await open('settings/ticketing')
    await button('Connect a tracker').click()
    await page.getByLabel('Site', { exact: true }).fill(tracker.url)
    await page.getByLabel('E-mail of the account', { exact: true }).fill('robot@example.com')
    await page.getByLabel('API token', { exact: true }).fill(tracker.addAccount('robot@example.com'))
    await button('Connect').click()
    await page.getByLabel('Project', { exact: true }).selectOption('10100')
    await page.getByLabel('Issue type', { exact: true }).selectOption('10200')
    await button('Save').click()
    await page.getByText('Saved. Check it').waitFor()
    await picture(page, 'ticketing')
    await button('Check it now').click()
    await page.getByText('Everything is in order').waitFor()
    const token = tracker.addAccount('robot@example.com')
    await button('Check it now').click()
    // The note below says the same of what could not be read again.
    const refused = page.getByText(/refuses the credentials/)
    await page.locator('main').filter({ has: refused }).waitFor()
    await settled(page)
    // One, and no more.
    await page.locator('main .banner').waitFor()
    const secrets = page.getByLabel('Secrets', { exact: true })
    await secrets.check()
    await button('Change the connection').click()
    await page.getByLabel(/^API token/).fill(token)
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await poll('the tracker takes them', async () => (await refused.count()) === 0)
    // What was chosen outlives another connection of the same tracker, and is no conflict with it.
    assert.ok(await secrets.isChecked())
    const path = `/api/notifications/deployments/${deployment}/ticketing/v2`
    const [{ id }] = (await gatehouse.call('GET', path)).body.instances
    const chosen = async () => (await gatehouse.call('GET', `${path}/${id}`)).body.instance.automationStates
    await button('Save').click()
    await poll('it is saved', async () => (await chosen()).secrets)
    await settled(page)

    // A change of the same by somebody else is not overwritten, though the page has read it.
    await secrets.uncheck()
    await gatehouse.call('PATCH', `${path}/${id}`, { body: { automationStates: { sca: true } } })
    await comeBack(page, `ticketing/v2/${id}`)
    assert.equal(await secrets.isChecked(), false)
    await button('Save').click()
    await page.getByText('Somebody else changed this meanwhile').waitFor()
    assert.deepEqual([(await chosen()).secrets, (await chosen()).sca], [true, true])
    await button('Take what is there').click()
    await page.getByText('Somebody else changed this meanwhile').waitFor({ state: 'detached' })
    assert.ok(await secrets.isChecked())
    assert.ok(await page.getByLabel('Vulnerable dependencies', { exact: true }).isChecked())
    await open('settings/ticketing')
    await page.getByText('Tickets go to the project Security as Bug.').waitFor()
  })

  test('an issue gets a ticket, which leads to the tracker, and only one', async () => {
    await open('issues')
    await page.getByRole('row').nth(1).click()
    await button('Make ticket').click()
    await page.getByRole('link', { name: /^SEC-1/ }).waitFor()
    assert.equal(await button('Make ticket').getAttribute('aria-disabled'), 'true')
  })

  test('a cloud-security credential is added, tried and edited, also by whoever was in another tab meanwhile', async () => {
    await open('settings/cloud-security')
    await button('Add a credential').click()
    await page.getByLabel('Client id', { exact: true }).fill('gatehouse')
    await page.getByLabel('Client secret', { exact: true }).fill(cloudsec.addServiceAccount('gatehouse'))
    await page.getByLabel('Address of its API', { exact: true }).fill(cloudsec.apiUrl)
    await page.getByLabel('Address that gives tokens', { exact: true }).fill(cloudsec.tokenUrl)
    await button('Add').click()
    await button('Try it').click()
    await page.getByText('It works: the service gave a token.').waitFor()
    await button('Edit').click()
    const id = page.getByLabel('Client id', { exact: true })
    await id.fill('half-typed')
    // What disappears while it is read again is seen even if it is back a moment later.
    await id.evaluate((field) => field.setAttribute('data-same', 'yes'))
    await comeBack(page, 'cloudsec/')
    assert.equal(await id.inputValue(), 'half-typed')
    assert.equal(await id.getAttribute('data-same'), 'yes')
    await button('Cancel').click()
  })

  test('the chat app is installed by way of the chat service, and the code does not stay in the address', async () => {
    await open('settings/chat')
    const left = page.waitForRequest((request) => request.url().startsWith(`${chat.url}/oauth/v2/authorize`))
    // Where the sandbox sends it back to is the public address; here the server listens on another port.
    await page.route(`${chat.url}/oauth/**`, (route) => {
      const { state, code } = chat.approve(route.request().url())
      return route.fulfill({
        status: 302,
        headers: { location: `${gatehouse.url}/chat/callback?state=${state}&code=${code}` },
      })
    })
    await button('Install the chat app').click()
    await left
    await page.getByRole('heading', { name: 'Installed' }).waitFor()
    assert.equal(new URL(page.url()).search, '')
    await page.getByRole('link', { name: 'Choose what channels are told' }).click()
    await page.getByText('installed', { exact: true }).waitFor()
    await picture(page, 'chat')
  })

  test('a person who may only read sees which role it takes', async () => {
    const reader = await gatehouse.addPerson('readonly')
    const one = await visit(browser)
    await signIn(one, gatehouse.url, reader.email, reader.password)
    const openHere = async (path: string) => {
      await one.page.goto(`${base}/${path}`)
      await settled(one.page)
    }
    await openHere('settings/people')
    const invite = one.page.getByRole('button', { name: 'Invite' })
    assert.equal(await invite.getAttribute('aria-disabled'), 'true')
    assert.match((await invite.getAttribute('title')) ?? '', /takes the role admin/)
    await openHere('settings/audit')
    await one.page.getByText('This takes the role owner').waitFor()
    await openHere('automations/new')
    await one.page.getByText('This takes the role admin').waitFor()
    assert.deepEqual(await violations(one.page), [])
    await one.context.close()
  })
})

async function picture(page: Page, name: string): Promise<void> {
  if (!pictures) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name.replace(/\W+/g, '-')}.png`) })
}
