import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Request } from 'playwright-core'
import { searchAll, sendLog } from '../../src/capabilities/findings/test-findings.ts'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { poll } from '../../test/servers/real-process.ts'
import { noBrowser, openBrowser, settled, signIn, type Visit, visit } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'
import { openWorld } from './world.ts'

describe('a person at the console', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let gatehouse: TestGatehouse
  let browser: Browser
  let owner: Visit
  let base: string

  before(async () => {
    signedIn = await openSignedIn(openWorld())
    ;({ gatehouse, browser, owner, base } = signedIn)
  })
  after(() => signedIn?.close())

  const stateOf = async (id: string) => (await gatehouse.call('GET', `/api/findings/1/findings/${id}`)).body.data

  test('signs in with the wrong password and reads why, then comes to where the link led', async () => {
    const one = await visit(browser)
    await one.page.goto(`${base}/findings?sev=high`)
    await one.page.waitForURL(/\/sign-in\?next=/)
    await one.page.locator('[name=email]:focus').waitFor()
    await one.page.keyboard.type(gatehouse.owner.email)
    await one.page.keyboard.press('Tab')
    await one.page.keyboard.type('wrong')
    await one.page.keyboard.press('Enter')
    assert.match((await one.page.getByRole('alert').textContent()) ?? '', /password|credentials/i)
    await one.page.getByLabel('Password').fill(gatehouse.owner.password)
    await one.page.keyboard.press('Enter')
    await one.page.waitForURL(/\/findings\?sev=high$/)
    assert.deepEqual(await one.page.evaluate(`[document.cookie, JSON.stringify(localStorage).includes('gth_')]`), [
      '',
      false,
    ])
    assert.deepEqual(one.complaints, [])
    await one.context.close()
  })

  test('brings findings to a decision by keyboard alone, and takes one back', async () => {
    const { page } = owner
    await page.goto(`${base}/findings?rule=sql-injection&repo=shop/web&prs=none`)
    await settled(page)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/findings\/\d+\?/)
    const id = /findings\/(\d+)/.exec(page.url())![1]!
    await page.keyboard.press('i')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('2')
    await page.keyboard.press('n')
    await page.keyboard.type('Only reached by tests')
    await page.keyboard.press('Control+Enter')
    await page.getByText('1 finding is ignored.').waitFor()
    const ignored = await stateOf(id)
    assert.deepEqual(
      [ignored.triageState, ignored.triageReason],
      ['TRIAGE_STATE_IGNORED', 'TRIAGE_REASON_ACCEPTABLE_RISK'],
    )
    // The row has left the list; the one in its place has the focus.
    await page.locator('[role=row].current:focus').waitFor()
    await settled(page)
    const focused = () => page.locator('[role=row].current:focus').textContent()
    const next = await focused()
    await page.keyboard.press('z')
    await page.getByText('Undone: 1 finding is as it was.').waitFor()
    assert.equal((await stateOf(id)).triageState, 'TRIAGE_STATE_OPEN')
    // It is back above, and whoever goes on by keys is where they were.
    await settled(page)
    assert.equal(await focused(), next)
    await page.keyboard.press('k')
    assert.notEqual(await focused(), next)
    await page.keyboard.press('j')
    assert.equal(await focused(), next)
    await page.keyboard.press('z')
    await page.getByText('Nothing to undo').waitFor()
  })

  test('goes on by keys where the rows were that a button of the selection decided about', async () => {
    const { page } = owner
    await page.goto(`${base}/findings?rule=sql-injection&repo=shop/web&prs=none&state=open`)
    await settled(page)
    for (const key of ['j', 'j', 'x', 'j', 'x', 'j']) await page.keyboard.press(key)
    const focused = () => page.locator('[role=row].current:focus').textContent()
    const next = await focused()
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Review' }).click()
    await page.getByText('2 findings are in review.').waitFor()
    await settled(page)
    assert.equal(await focused(), next)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone: 2 findings are as they were.').waitFor()
    await settled(page)
    assert.equal(await focused(), next)
  })

  test('z undoes the last change whatever was said since, and nothing past one that has no undo', async () => {
    const { page } = owner
    await page.goto(`${base}/findings?rule=sql-injection&repo=shop/web&prs=none&state=open`)
    await settled(page)
    for (const key of ['j', 'f']) await page.keyboard.press(key)
    await page.getByText('1 finding is being fixed.').waitFor()
    await settled(page)
    for (let said = 0; said < 3; said++) await page.keyboard.press('y')
    await page.getByText('1 finding is being fixed.').waitFor({ state: 'detached' })
    await page.keyboard.press('z')
    await page.getByText('Undone: 1 finding is as it was.').waitFor()
    await settled(page)

    await page.keyboard.press('f')
    await page.getByText('1 finding is being fixed.').waitFor()
    await settled(page)
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'Assign to: Assign…' }).click()
    await page.getByRole('option', { name: /\(me\)/ }).click()
    await page.getByText('1 finding has another assignee now.').first().waitFor()
    await page.keyboard.press('z')
    await page.getByText('The last change cannot be undone: 1 finding has another assignee now.').waitFor()
    // Its own button is there all the same, for whoever means just that.
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone: 1 finding is as it was.').waitFor()
  })

  test('one key alone never ignores', async () => {
    const { page } = owner
    await page.goto(`${base}/findings`)
    await settled(page)
    const before = await gatehouse.call('POST', '/api/findings/1/findings/counts', { body: {} })
    await page.keyboard.press('i')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const now = await gatehouse.call('POST', '/api/findings/1/findings/counts', { body: {} })
    assert.deepEqual(now.body, before.body)
  })

  test('decides about all that match, not only about what is loaded', async () => {
    const { page } = owner
    await page.goto(`${base}/findings?rule=weak-hash`)
    await settled(page)
    const total = (
      await gatehouse.call('POST', '/api/findings/1/findings/counts', { body: { filter: { ruleIds: ['weak-hash'] } } })
    ).body.total
    assert.ok(total > 100)
    await page.keyboard.press('Control+a')
    await page.getByRole('button', { name: `Select all ${total} that match` }).click()
    await page.keyboard.press('f')
    await page.getByText(`${total} findings are being fixed.`).waitFor()
    const after = await gatehouse.call('POST', '/api/findings/1/findings/counts', {
      body: { filter: { ruleIds: ['weak-hash'] } },
    })
    assert.equal(after.body.byTriageState.TRIAGE_STATE_FIXING, total)
  })

  test('all that match are selected under one filter, and nothing is under the next', async () => {
    const { page } = owner
    const triages = '**/findings/triage'
    const sent: { filter?: { ruleIds: string[] }; findingIds?: string[] }[] = []
    await page.route(triages, (route) => {
      sent.push(route.request().postDataJSON())
      return route.fulfill({ json: { changedFindingIds: [] } })
    })
    const selection = page.getByRole('region', { name: 'Selection' })
    const selectAll = async () => {
      await page.keyboard.press('Control+a')
      await selection.getByRole('button', { name: /^Select all \d+ that match/ }).click()
    }
    const clearRule = () => page.getByRole('button', { name: 'Clear Rule' }).click()
    await page.goto(`${base}/findings?rule=weak-hash&state=any`)
    await settled(page)
    await selectAll()
    await clearRule()
    await page.waitForURL(/findings\?state=any$/)
    assert.equal(await selection.count(), 0)
    await settled(page)
    await page.keyboard.press('f')
    await page.getByText('1 finding is being fixed.').waitFor()
    assert.deepEqual([sent.length, sent[0]!.filter, sent[0]!.findingIds!.length], [1, undefined, 1])
    // Nor does it come back with the filter.
    await page.goBack()
    await page.waitForURL(/rule=weak-hash/)
    assert.equal(await selection.count(), 0)

    // A question that is open already keeps to what it was asked about.
    await settled(page)
    await selectAll()
    await page.keyboard.press('i')
    const dialog = page.getByRole('dialog', { name: /^Ignore \d+ findings/ })
    await dialog.waitFor()
    await page.goForward()
    await page.waitForURL(/findings\?state=any$/)
    await dialog.getByRole('button', { name: /^Ignore/ }).click()
    await page.getByText('0 findings are ignored.').waitFor()
    assert.deepEqual(sent[1]!.filter, { ruleIds: ['weak-hash'] })

    // Until the next answer is there, nobody knows how many match.
    await page.goto(`${base}/findings?rule=weak-hash&state=any`)
    await settled(page)
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/findings/counts', (route) => held.then(() => route.continue()))
    await clearRule()
    await page.keyboard.press('Control+a')
    await selection.waitFor()
    assert.equal(await selection.getByRole('button', { name: /^Select all/ }).count(), 0)
    answer()
    await settled(page)
    await page.unroute('**/findings/counts')
    await page.unroute(triages)
  })

  test('a filter is in the address, and reload, back and another window show the same', async () => {
    const { page, context } = owner
    await page.goto(`${base}/findings`)
    await settled(page)
    await page.locator('button.chip', { hasText: /^Repository/ }).click()
    // Where it opens one can type at once.
    await page.keyboard.type('evil')
    await page
      .getByRole('option', { name: /evil\/one/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/repo=evil\/one/)
    await page.keyboard.press('Escape')
    const count = () => page.locator('h1 .total').textContent()
    await page.locator('h1 .total', { hasText: '7' }).waitFor()
    await page.reload()
    await settled(page)
    assert.equal(await count(), '7')
    const other = await context.newPage()
    await other.goto(page.url())
    await settled(other)
    assert.equal(await other.locator('h1 .total').textContent(), '7')
    await other.close()
    // A link in the panel closes it, and reading goes on at the heading.
    await page.getByRole('row').nth(1).click()
    await page.locator('.panel-body a', { hasText: 'evil/one' }).first().click()
    await page.locator('h1:focus').waitFor()
    await page.getByRole('link', { name: 'Repositories' }).click()
    await page.waitForURL(/repositories$/)
    await page.goBack()
    await settled(page)
    assert.equal(await count(), '7')
  })

  test('back leads through the filters of a list as they were chosen, also while one still types', async () => {
    const { page } = owner
    await page.goto(`${base}/findings`)
    await settled(page)
    const all = await page.locator('h1 .total').textContent()
    const total = (text: string) => page.locator('h1 .total', { hasText: new RegExp(`^${text}$`) }).waitFor()
    await page.locator('button.chip', { hasText: /^Severity/ }).click()
    for (const name of [/High/, /Medium/]) await page.getByRole('option', { name }).click()
    await page.keyboard.press('Escape')
    await page.waitForURL(/\?sev=high&sev=medium$/)
    await page.locator('button.chip', { hasText: /^Repository/ }).click()
    await page.getByRole('option', { name: /evil\/one/ }).click()
    await page.keyboard.press('Escape')
    await page.waitForURL(/repo=evil\/one/)
    const search = page.getByLabel('Search titles and messages')
    await search.fill('nothing has this')
    await page.waitForURL(/text=/)
    await total('0')
    await page.goBack()
    await page.waitForURL(/\?sev=high&sev=medium&repo=evil\/one$/)
    await settled(page)
    assert.equal(await search.inputValue(), '')
    await page.goBack()
    await page.waitForURL(/\?sev=high&sev=medium$/)
    await page.goBack()
    await page.waitForURL(/findings$/)
    await total(all!)
    for (const address of [/medium$/, /evil\/one$/, /text=/]) {
      await page.goForward()
      await page.waitForURL(address)
    }
    await total('0')
    assert.equal(await search.inputValue(), 'nothing has this')
  })

  test('another order is read from its beginning, and back leads to where the list was', async () => {
    const { page } = owner
    await page.goto(`${base}/findings?state=any`)
    await settled(page)
    const grid = page.getByRole('grid')
    // Not by waitForFunction, which the policy of the page keeps from looking a second time.
    const holds = (expression: string) => poll(expression, () => page.evaluate<boolean>(expression))
    const isAt = (top: number) => holds(`document.querySelector('[role=grid]').scrollTop === ${top}`)
    const stored = `Object.entries(sessionStorage).some(([name, at]) => name.startsWith('scroll:') && at === '1500')`
    await page.evaluate(`document.querySelector('[role=grid]').scrollTop = 1500`)
    await holds(stored)
    // A finding that is opened beside the list does not move it.
    const row = grid.locator('[data-index="50"]')
    await row.click()
    await page.waitForURL(/findings\/\d+/)
    await settled(page)
    await isAt(1500)
    await page.goBack()
    await page.waitForURL(/findings\?/)
    await page.getByRole('columnheader', { name: 'Repository' }).getByRole('button').click()
    await page.waitForURL(/sort=repository-asc/)
    await settled(page)
    await isAt(0)
    await page.goBack()
    await page.waitForURL(/findings\?state=any$/)
    await settled(page)
    await isAt(1500)
    // Whoever types on stays in the same place of the history, and asks for something else.
    const search = page.getByLabel('Search titles and messages')
    await search.fill('Input')
    await page.waitForURL(/text=Input$/)
    await settled(page)
    await page.evaluate(`document.querySelector('[role=grid]').scrollTop = 900`)
    await holds(stored.replace('1500', '900'))
    await search.fill('Input reaches')
    await page.waitForURL(/text=Input.+reaches$/)
    await settled(page)
    await isAt(0)
  })

  test('a period stays from tab to tab of the firewall', async () => {
    const { page } = owner
    await page.goto(`${base}/firewall?period=90d`)
    await settled(page)
    for (const [tab, address] of [
      ['Rules', /firewall\/rules\?period=90d$/],
      ['Blocked', /firewall\/blocked\?period=90d$/],
    ] as const) {
      await page.getByRole('navigation', { name: 'Parts of the firewall' }).getByRole('link', { name: tab }).click()
      await page.waitForURL(address)
    }
  })

  test('a period that is not understood is named, and can be taken out of the address', async () => {
    const { page } = owner
    await page.goto(`${base}/reports/funnel?period=45d`)
    await page.getByRole('button', { name: 'not understood: period=45d' }).click()
    await page.waitForURL(/\/reports\/funnel$/)
  })

  test('an address that leads nowhere says so, also where only its end is wrong', async () => {
    const { page } = owner
    for (const path of ['nowhere', 'firewall/rulez', 'reports/toString', 'repositories/1/branchez']) {
      await page.goto(`${base}/${path}`)
      await page.getByText('This address leads nowhere').waitFor()
    }
  })

  test('what is neither fixed nor ignored is called left, in every table that counts it', async () => {
    const { page } = owner
    const cards = page.locator('section.card')
    for (const [path, title] of [
      ['', 'Repositories with most findings left'],
      ['', 'Rules with most findings left'],
      ['reports/trends', 'Repository'],
    ] as const) {
      await page.goto(`${base}/${path}`)
      const card =
        title === 'Repository'
          ? page.getByRole('region', { name: title, exact: true })
          : cards.filter({ hasText: title })
      await card.getByRole('columnheader', { name: 'Left', exact: true }).waitFor()
      assert.equal(await card.getByRole('columnheader', { name: 'Open' }).count(), 0)
    }
  })

  test('a row of the trends leads to its own trends, of the same period', async () => {
    const { page } = owner
    await page.goto(`${base}/reports/trends?period=90d`)
    await settled(page)
    const table = page.getByRole('region', { name: 'Repository', exact: true })
    await table.getByRole('link', { name: 'evil/one' }).waitFor()
    await table.getByRole('link', { name: 'shop/web', exact: true }).click()
    await page.waitForURL(({ searchParams: asked }) => asked.get('repo') === 'shop/web')
    assert.equal(new URL(page.url()).searchParams.get('period'), '90d')
    await table.getByRole('link', { name: 'evil/one' }).waitFor({ state: 'detached' })
    assert.equal(await table.getByRole('row').count(), 2)
  })

  test('asks which repositories have a package below a version, by mouse', async () => {
    const { page } = owner
    await page.getByRole('link', { name: 'Dependencies' }).click()
    await page.getByLabel('Package', { exact: true }).fill('lodash')
    await page.getByLabel('Below version').fill('4.17.21')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText('2 repositories have lodash below 4.17.21, 2 directly.').waitFor()
  })

  test('who may only read sees disabled buttons that say which role it takes', async () => {
    const reader = await gatehouse.addPerson('readonly')
    const teams = '/api/permissions/v2/deployments/1/teams'
    const team = await gatehouse.call('POST', teams, { body: { team: { name: 'Readers' } } })
    const members = { repositories: [{ repositoryId: '1' }], users: [{ userId: reader.id }] }
    const joined = await gatehouse.call('PATCH', `${teams}/${team.body.team?.id}`, { body: { team: members } })
    assert.equal(joined.status, 200, JSON.stringify([team.body, joined.body]))
    const one = await visit(browser)
    await signIn(one, gatehouse.url, reader.email, reader.password)
    await one.page.goto(`${base}/findings/1`)
    await settled(one.page)
    const button = one.page.getByRole('button', { name: 'Ignore…' })
    await button.waitFor()
    assert.equal(await button.getAttribute('aria-disabled'), 'true')
    assert.match((await button.getAttribute('title')) ?? '', /takes the role member\. Yours is readonly/)
    await one.page.keyboard.press('r')
    assert.notEqual((await stateOf('1')).triageState, 'TRIAGE_STATE_REVIEWING')
    assert.deepEqual(one.complaints, [])
    await one.context.close()
  })

  test('a list goes on past its first page, and a page that fails is asked for again only on request', async () => {
    const { page } = owner
    const path = '/api/repositories/v1/deployments/1/repositories'
    const names = Array.from({ length: 100 }, (_, index) => `many/${index}`)
    const made = await Promise.all(names.map((name) => gatehouse.call('POST', path, { body: { name } })))
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([200]))
    const lists = [
      { at: 'repositories', rows: 103 },
      { at: 'findings', rows: 0 },
    ]
    const note = page.locator('.live-note')
    const isNext = (request: Request) => /"cursor":"[^"]/.test(request.postData() ?? '')
    for (const { at, rows } of lists) {
      let failures = 0
      await page.goto(`${base}/${at}`)
      await page.route(/\/api\//, (route) => {
        if (!isNext(route.request())) return route.continue()
        failures++
        return route.fulfill({ status: 500, body: '{}' })
      })
      await settled(page)
      await page.keyboard.press('j')
      await page.keyboard.press('End')
      await note.waitFor()
      for (const key of ['k', 'k', 'End']) await page.keyboard.press(key)
      await settled(page)
      assert.equal(failures, 1)
      await page.unroute(/\/api\//)
      const answer = page.waitForResponse((response) => isNext(response.request()))
      await note.getByRole('button', { name: 'Try again' }).click()
      assert.equal((await answer).status(), 200)
      await note.waitFor({ state: 'detached' })
      if (rows > 0) assert.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), String(rows + 1))
    }
  })

  test('a session that was ended asks for the password, and what was wanted goes on', async () => {
    const one = await visit(browser)
    await signIn(one, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
    await one.page.goto(`${base}/findings?rule=sql-injection`)
    await settled(one.page)
    await one.context.clearCookies()
    await one.page.getByRole('link', { name: 'Scans' }).click()
    const dialog = one.page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    // What a program would have to do is nothing for a person.
    assert.doesNotMatch(await dialog.innerText(), /token|Authorization/)
    await dialog.getByLabel('Password').fill(gatehouse.owner.password)
    await one.page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await one.page.getByRole('grid', { name: 'Scans' }).waitFor()
    await one.context.close()
  })

  test('who signs in in another tab is who all of them are of, and who signs out need not sign in for it', async () => {
    const other = await gatehouse.addPerson('admin')
    const one = await visit(browser)
    await signIn(one, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
    await one.page.goto(`${gatehouse.url}/me`)
    await one.page.getByText(gatehouse.owner.email).first().waitFor()
    const second = { ...one, page: await one.context.newPage() }
    await second.page.goto(base)
    await settled(second.page)
    const signOut = async () => {
      await second.page.getByRole('button', { name: 'Account and deployment' }).click()
      await second.page.getByRole('menuitem', { name: 'Sign out' }).click()
      await second.page.waitForURL(/\/sign-in/)
    }
    await signOut()
    await signIn(second, gatehouse.url, other.email, other.password)
    await one.page.getByText(other.email).first().waitFor()
    assert.equal(await one.page.getByText(gatehouse.owner.email).count(), 0)

    // Also one that heard nothing of it, when it is looked at again; what the first person had not saved asks nobody.
    await one.page.goto(`${base}/firewall/rules`)
    await one.page.getByLabel('What the firewall does').selectOption('monitor')
    const asked: string[] = []
    one.page.on('dialog', (dialog) => void asked.push(dialog.type()))
    const { email, password } = gatehouse.owner
    const headers = { origin: gatehouse.url }
    const session = `${gatehouse.url}/api/auth/session`
    assert.equal((await one.context.request.post(session, { data: { email, password }, headers })).status(), 200)
    await one.page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    await poll('it is as it was saved', async () => {
      const mode = one.page.getByLabel('What the firewall does')
      return (await mode.count()) === 1 && (await mode.inputValue()) === 'enforce'
    })
    assert.deepEqual(asked, [])

    await settled(second.page)
    await one.context.clearCookies()
    await signOut()
    await second.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.equal(await second.page.getByRole('dialog').count(), 0)
    assert.deepEqual(one.complaints, [])
    await one.context.close()
  })

  test('a change of what somebody else changed meanwhile is refused', async () => {
    const { page } = owner
    await page.goto(`${base}/repositories/2/settings`)
    await settled(page)
    await page.getByLabel('Tags').fill('mine')
    await gatehouse.call('PATCH', '/api/repositories/v1/deployments/1/repositories/2', { body: { tags: ['theirs'] } })
    await page.getByRole('button', { name: 'Save' }).click()
    const alert = page.getByRole('alert').filter({ hasText: 'Somebody else changed this meanwhile' })
    await alert.waitFor()
    assert.match((await alert.textContent())!, /Tags.*mine.*theirs/)
    const { body } = await gatehouse.call('GET', '/api/repositories/v1/deployments/1/repositories/2')
    assert.deepEqual(body.repository.tags, ['theirs'])
  })

  test('who has an older console open than the server has is offered the newer one', async () => {
    const one = await visit(browser)
    await signIn(one, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
    await one.page.goto(`${base}/settings/teams`)
    await settled(one.page)
    // As after an upgrade: the code of a page that was not opened yet is there no more.
    await one.page.route(/\/assets\/team-/, (route) => route.fulfill({ status: 404 }))
    await one.page.getByRole('link', { name: 'Everyone' }).click()
    await one.page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
    await one.page.unroute(/\/assets\/team-/)
    await one.page.getByRole('button', { name: 'Load the page again' }).click()
    await one.page.getByRole('heading', { level: 1, name: 'Everyone' }).waitFor()
    await one.context.close()
  })

  test('uploads a scan and reads its receipt', async () => {
    const { page } = owner
    await page.goto(`${base}/scans/upload`)
    await page.getByLabel('Repository').fill('shop/new')
    const lock = {
      name: 'package-lock.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"lockfileVersion":3,"packages":{"":{},"node_modules/a":{"version":"1.0.0"}}}'),
    }
    await page.getByLabel('Files').setInputFiles(lock)
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('made by this upload').waitFor()
    await page.getByRole('link', { name: 'shop/new' }).click()
    await page.getByRole('heading', { name: 'shop/new' }).waitFor()
  })

  test('is told what a decision counts for on other branches, and undoes all of it', async () => {
    const { page } = owner
    const repository = 'shop/branches'
    const results = [1, 2].map((line) => ({ code: `run(${line})`, line, rule: 'twin' }))
    for (const ref of ['main', 'next']) await sendLog(gatehouse, repository, results, { ref })
    const states = async () =>
      (await searchAll(gatehouse, { filter: { repositories: [repository] } }))
        .map((one) => `${one.message.slice(0, 6)} ${one.ref} ${one.triageState.replace('TRIAGE_STATE_', '')}`)
        .sort()
    const before = await states()
    const rows = page.locator('[role=row]', { hasText: 'is not safe' })
    await page.goto(`${base}/findings?repo=${repository}&state=open&once=yes`)
    await settled(page)
    assert.equal(await rows.count(), 2)
    await page.keyboard.press('j')
    await page.keyboard.press('f')
    await page.getByText('1 finding is being fixed, and 1 like it on other branches.').waitFor()
    await settled(page)
    assert.equal(await rows.count(), 1, 'none takes the place of what was decided about')
    await page.keyboard.press('z')
    await page.getByText('Undone: 2 findings are as they were.').waitFor()
    assert.deepEqual(await states(), before)

    await settled(page)
    await page.keyboard.press('Control+a')
    await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Review' }).click()
    await page.getByText('2 findings are in review, and 2 like them on other branches.').waitFor()

    // Two that were decided otherwise are undone to what each of them was.
    const [one] = await searchAll(gatehouse, { filter: { repositories: [repository], refs: ['next'] } })
    const fixing = { triageState: 'TRIAGE_STATE_FIXING', thisBranchOnly: true }
    await gatehouse.call('POST', `/api/findings/1/findings/${one!.id}`, { body: fixing })
    const apart = await states()
    await page.goto(`${base}/findings?repo=${repository}&state=any`)
    await settled(page)
    await page.keyboard.press('Control+a')
    await page.keyboard.press('u')
    await page.getByText('4 findings are open again.').waitFor()
    await page.keyboard.press('z')
    await page.getByText('Undone: 4 findings are as they were.').waitFor()
    assert.deepEqual(await states(), apart)
  })

  test('is offered no undo where something had ended, which nobody can decide', async () => {
    const { page } = owner
    const repository = 'shop/ended'
    for (const ref of ['main', 'gone']) await sendLog(gatehouse, repository, [{ rule: ref }], { ref })
    const body = { repository, ref: 'gone' }
    assert.equal((await gatehouse.call('POST', '/api/scans/v1/deployments/1/ended-branches', { body })).status, 200)
    await page.goto(`${base}/findings?repo=${repository}&state=any`)
    await settled(page)
    await page.keyboard.press('Control+a')
    await page.keyboard.press('r')
    await page.getByText('2 findings are in review.').waitFor()
    assert.equal(await page.locator('.toast').getByRole('button', { name: 'Undo' }).count(), 0)
    await page.keyboard.press('z')
    await page.getByText('The last change cannot be undone: 2 findings are in review.').waitFor()
  })

  test('undoes a decision on every branch to what each had been there', async () => {
    const { page } = owner
    const repository = 'shop/unlike'
    const results = [1, 2].map((line) => ({ code: `run(${line})`, line, rule: 'unlike' }))
    for (const ref of ['main', 'next']) await sendLog(gatehouse, repository, results, { ref })
    await sendLog(gatehouse, repository, results.slice(1), { ref: 'main' })
    const found = () => searchAll(gatehouse, { filter: { repositories: [repository] } })
    const states = async () => (await found()).map((one) => `${one.ref} ${one.triageState}`).sort()
    const left = (await found()).find((one) => one.ref === 'main' && one.triageState === 'TRIAGE_STATE_OPEN')
    const fixing = { triageState: 'TRIAGE_STATE_FIXING', thisBranchOnly: true }
    await gatehouse.call('POST', `/api/findings/1/findings/${left!.id}`, { body: fixing })
    const before = await states()
    assert.deepEqual(before, [
      'main TRIAGE_STATE_FIXED',
      'main TRIAGE_STATE_FIXING',
      'next TRIAGE_STATE_OPEN',
      'next TRIAGE_STATE_OPEN',
    ])
    await page.goto(`${base}/findings?repo=${repository}&state=any&branch=main`)
    await settled(page)
    await page.keyboard.press('Control+a')
    for (const key of ['i', '2', 'Enter']) await page.keyboard.press(key)
    await page.getByText('2 findings are ignored, and 1 like them on other branches.').waitFor()
    await page.keyboard.press('z')
    await page.getByText('Undone: 3 findings are as they were.').waitFor()
    assert.deepEqual(await states(), before)
  })
})

test('a server that has stopped is named as such', { skip: noBrowser ?? false }, async () => {
  const { buildConsole } = await import('../build.ts')
  const gatehouse = await openGatehouse({ console: buildConsole() })
  const browser = await openBrowser()
  try {
    const one = await visit(browser)
    await signIn(one, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
    await settled(one.page)
    await one.page.getByRole('link', { name: 'Firewall' }).click()
    await settled(one.page)
    await gatehouse.close()
    await one.page.getByRole('link', { name: 'Overrides' }).click()
    await one.page
      .getByRole('alert')
      .getByText(/did not answer/)
      .first()
      .waitFor()
  } finally {
    await browser.close()
  }
})
