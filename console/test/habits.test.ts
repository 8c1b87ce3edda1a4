import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sarifLog } from '../../src/capabilities/findings/test-log.ts'
import { packageLock, upload } from '../../src/capabilities/scans/test-upload.ts'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { noBrowser, settled, signIn, visit } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

/** What people do without thinking: press Escape, click with Ctrl, go on by Tab, leave a page open. */
describe('habits of people', { skip: noBrowser ?? false }, () => {
  let gatehouse: TestGatehouse
  let signedIn: SignedIn
  let page: Page
  let open: SignedIn['open']
  let button: SignedIn['button']
  const triage = '/api/findings/1/findings/triage'
  const dialog = () => page.getByRole('dialog')
  const said = (words: string | RegExp) => page.locator('.toast', { hasText: words }).waitFor()

  before(async () => {
    signedIn = await openSignedIn(openGatehouse({ console: buildConsole() }))
    ;({ gatehouse, page, open, button } = signedIn)
    const results = ['a', 'b', 'c', 'd'].map((name, at) => ({
      rule: at < 2 ? 'weak-hash' : 'weak-key',
      path: `src/${name}.js`,
      code: `md5(${name})`,
      message: `Weak in ${name}`,
    }))
    const files = { 'package-lock.json': packageLock({ lodash: '4.17.20' }), 'log.sarif': sarifLog({ results }) }
    assert.equal((await upload(gatehouse, { repository: 'shop/web' }, files)).status, 200)
  })
  after(() => signedIn?.close())

  async function found(): Promise<{ id: string; path: string; triageState: string; triageReason: string }[]> {
    return (await gatehouse.call('POST', '/api/findings/1/findings/search', { body: {} })).body.findings
  }
  const one = async (path: string) => (await found()).find((each) => each.path === path)!

  test('what is shown only once stays in sight however often Escape is pressed', async () => {
    await open('settings/tokens')
    await button('New token').click()
    await page.getByLabel('Name', { exact: true }).fill('ci')
    await page.getByLabel('All that I may do').check()
    await button('Make the token').click()
    const shown = page.getByRole('dialog', { name: 'Your new token' })
    await shown.waitFor()
    for (let pressed = 0; pressed < 3; pressed++) await page.keyboard.press('Escape')
    assert.match(await shown.getByRole('region', { name: 'the token' }).innerText(), /^gth_/)
    await shown.getByLabel('I have it').check()
    await page.keyboard.press('Escape')
    await shown.waitFor({ state: 'detached' })
  })

  test('Escape takes away what was typed into a form only when it is pressed again', async () => {
    await open('firewall/overrides')
    await button('Deny a package…').click()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await button('Deny a package…').click()
    await dialog().getByLabel('Package').fill('left-pad')
    await dialog().getByLabel('Why').fill('It phones home, see the')
    await page.keyboard.press('Escape')
    await dialog().getByText('What you typed is not saved.').waitFor()
    await signedIn.usable('a form that was nearly left')
    // Whoever goes on is as far from losing it as before.
    await dialog().getByLabel('Why').pressSequentially(' news')
    await dialog().getByText('What you typed is not saved.').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    assert.equal(await dialog().getByLabel('Why').inputValue(), 'It phones home, see the news')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })

  test('Escape does not give up what a session ended in the middle of', async () => {
    const other = await visit(signedIn.browser)
    await signIn(other, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
    await other.page.goto(`${signedIn.base}/firewall/overrides`)
    await settled(other.page)
    await other.page.getByRole('button', { name: 'Deny a package…' }).click()
    const form = other.page.getByRole('dialog', { name: 'Deny a package' })
    await form.getByLabel('Package').fill('left-pad')
    await form.getByLabel('Why').fill('It phones home.')
    await other.context.clearCookies()
    await other.page.keyboard.press('Control+Enter')
    const ended = other.page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.waitFor()
    for (let pressed = 0; pressed < 3; pressed++) await other.page.keyboard.press('Escape')
    await ended.getByLabel('Password').fill(gatehouse.owner.password)
    await other.page.keyboard.press('Enter')
    await other.page.getByText('left-pad is denied, everywhere within a second.').waitFor()
    assert.deepEqual(other.complaints, [])
    await other.context.close()
  })

  test('an undo leads back to what was decided meanwhile, not to what the list still shows', async () => {
    await open('findings?sort=path-asc')
    const { id } = await one('src/a.js')
    const theirs = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK' }
    assert.equal((await gatehouse.call('POST', triage, { body: { findingIds: [id], ...theirs } })).status, 200)
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('f')
    await said('1 finding is being fixed.')
    await settled(page)
    await page.keyboard.press('z')
    await said('Undone: 1 finding is as it was.')
    const { triageState, triageReason } = await one('src/a.js')
    assert.deepEqual({ triageState, triageReason }, theirs)
  })

  test('an undo leaves alone what somebody else decided since', async () => {
    await open('findings?sort=path-asc')
    const rows = page.getByRole('grid').getByRole('row')
    for (const key of ['x', 'j', 'x', 'f']) await page.keyboard.press(key)
    await said('2 findings are being fixed.')
    await settled(page)
    const fixing = (await found()).filter((each) => each.triageState === 'TRIAGE_STATE_FIXING')
    const body = { findingIds: [fixing[0]!.id], triageState: 'TRIAGE_STATE_REVIEWING' }
    assert.equal((await gatehouse.call('POST', triage, { body })).status, 200)
    await page.keyboard.press('z')
    await said('Undone: 1 finding is as it was. 1 finding was changed meanwhile and stays so.')
    assert.deepEqual(
      (await found())
        .filter(({ id }) => fixing.some((each) => each.id === id))
        .map((each) => each.triageState)
        .sort(),
      ['TRIAGE_STATE_OPEN', 'TRIAGE_STATE_REVIEWING'],
    )
    await rows.first().waitFor()
  })

  test('where a decision about several groups is refused in between, what was done is told', async () => {
    await open('findings?group=rule&state=any')
    let asked = 0
    await page.route(`**${triage}`, (route) =>
      ++asked === 1 ? route.continue() : route.fulfill({ status: 503, json: { detail: 'Too much at once.' } }),
    )
    await page.keyboard.press('Control+a')
    await page.keyboard.press('f')
    await said(/^2 findings are being fixed\. Then it stopped: Too much at once\./)
    await page.unroute(`**${triage}`)
  })

  test('a row opens in another tab as any link does, and nothing moves in this one', async () => {
    await open('findings?sort=path-asc')
    const row = page.getByRole('row', { name: /src\/c\.js/ })
    const ways: Parameters<typeof row.click>[0][] = [{ modifiers: ['Control'] }, { button: 'middle' }]
    for (const how of ways) {
      const [tab] = await Promise.all([page.context().waitForEvent('page'), row.click(how)])
      await tab.waitForURL(/\/findings\/\d+\?sort=path-asc$/)
      await tab.close()
    }
    assert.match(page.url(), /\/findings\?sort=path-asc$/)
  })

  test('what can be pressed in a row is reached by the arrow keys, and a list is one stop of Tab', async () => {
    await open('dependencies?ecosystem=npm&name=lodash')
    const row = page.getByRole('grid').getByRole('row').nth(1)
    await row.focus()
    await page.keyboard.press('ArrowRight')
    await row.getByRole('link', { name: 'lodash' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: /^What brings in lodash/ }).waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    for (const _ of [1, 2]) await page.keyboard.press('ArrowLeft')
    await row.and(page.locator(':focus')).waitFor()
    for (const list of ['dependencies?ecosystem=npm&name=lodash', 'repositories', 'scans']) {
      await open(list)
      await row.focus()
      await page.keyboard.press('Tab')
      assert.equal(await page.locator('[role=grid] :focus').count(), 0, list)
    }
  })

  test('how long ago something was goes on while a page stands open', async () => {
    await open('scans')
    const when = page.getByRole('grid').locator('time').first()
    const before = (await when.textContent())!
    await page.evaluate(`Date.now = ((now) => () => now() + 5 * 365 * 86_400_000)(Date.now)
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    await when.filter({ hasNotText: before }).waitFor()
  })

  test('the choice that is marked in the search of everything is in sight', async () => {
    await open('findings')
    await page.keyboard.press('Control+k')
    await dialog().getByRole('option').first().waitFor()
    await page.keyboard.press('ArrowUp')
    const gap = await page.evaluate<number>(`(() => {
      const bottom = (selector) => document.querySelector(selector).getBoundingClientRect().bottom
      return bottom('.palette-list') - bottom('.palette-list [data-active=true]')
    })()`)
    assert.ok(gap >= 0, `${gap} px`)
    await page.keyboard.press('Escape')
  })

  test('a filter closes when one goes on by Tab, and one types on after choosing by mouse', async () => {
    await open('findings')
    const choices = page.getByRole('listbox', { name: 'Severity' })
    await page.locator('button.chip', { hasText: /^Severity/ }).click()
    await choices.getByRole('option', { name: /High/ }).click()
    await page.waitForURL(/sev=high$/)
    await page.locator('input[role=combobox]:focus').waitFor()
    await choices.waitFor()
    for (let pressed = 0; pressed < 3 && (await choices.count()) > 0; pressed++) await page.keyboard.press('Tab')
    await choices.waitFor({ state: 'detached' })
  })

  test('a link to where one is leaves nothing to go back through', async () => {
    await open('findings')
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Scans' })
    for (const _ of [1, 2, 3]) await link.click()
    await page.waitForURL(/\/scans$/)
    await page.goBack()
    await page.waitForURL(/\/findings$/)
  })

  test('while the numbers of another period are not there, the page says that it is loading', async () => {
    await open('reports/funnel')
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route('**/api/reporting/**', (route) => held.then(() => route.continue()))
    await button('30d').click()
    const line = page.locator('.main > .busy-line')
    await line.waitFor()
    letGo()
    await line.waitFor({ state: 'detached' })
    await page.unroute('**/api/reporting/**')
  })

  test('who leaves settings that are not saved is asked first', async () => {
    const { complaints } = signedIn.owner
    await open('repositories/1/settings')
    await page.getByLabel('Tags').fill('core')
    await page.getByRole('navigation', { name: 'Parts of the repository' }).getByRole('link', { name: 'Scans' }).click()
    await page.getByLabel('Tags').waitFor()
    assert.deepEqual(complaints.splice(0), ['dialog: The changed settings are not saved. Leave all the same?'])
    assert.equal(await page.getByLabel('Tags').inputValue(), 'core')
    await button('Save').click()
    await said('Saved.')
    await page.getByRole('navigation', { name: 'Parts of the repository' }).getByRole('link', { name: 'Scans' }).click()
    await page.waitForURL(/\/scans$/)
  })

  for (const [path, lost] of [
    ['pull-requests?blocked=true', 'blocked=true'],
    ['dependencies?name=lodash&bellow=4.17.21', 'bellow=4.17.21'],
    ['firewall/held?state=gone', 'state=gone'],
    ['firewall/blocked?person=me', 'person=me'],
    ['settings/audit?since=yesterday', 'since=yesterday'],
  ] as const) {
    test(`what ${path} asks for and nobody understands is named`, async () => {
      await open(path)
      await button(`not understood: ${lost}`).click()
      await page.waitForURL((url) => !url.search.includes(lost))
    })
  }

  test('repositories are narrowed to any team, however many there are', async () => {
    const teams = Array.from({ length: 101 }, (_, at) => ({ name: `Team ${at}`, isUserDefault: false }))
    for (const team of teams)
      await gatehouse.call('POST', '/api/permissions/v2/deployments/1/teams', { body: { team } })
    await open('repositories')
    await page.locator('button.chip', { hasText: /^Team/ }).click()
    await page.keyboard.type('Team 100')
    await page.getByRole('option', { name: 'Team 100', exact: true }).click()
    await page.waitForURL(/team=team-100$/)
  })

  test('a button that is pressed twice makes one token', async () => {
    await open('firewall/set-up')
    const made: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && made.push(new URL(request.url()).pathname)))
    await button('Make a token').dblclick()
    await page.getByText('This is shown once.').waitFor()
    assert.equal(made.filter((path) => path.endsWith('/tokens')).length, 1)
  })
})
