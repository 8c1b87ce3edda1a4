import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { upload } from '../../src/capabilities/scans/test-upload.ts'
import type { TestGatehouse } from '../../test/gatehouse.ts'
import { poll } from '../../test/servers/real-process.ts'
import { violations } from './axe.ts'
import { comeBack, noBrowser, settled, signIn, type Visit, visit } from './browser.ts'
import { isHarmless } from './hostile-names.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'
import { openWorld } from './world.ts'

/** What people come for, each to its end, without a mouse unless its name says so. */
describe('the tasks that people come with', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let gatehouse: TestGatehouse
  let owner: Visit
  let base: string
  before(async () => {
    signedIn = await openSignedIn(openWorld())
    ;({ gatehouse, owner, base } = signedIn)
    await upload(gatehouse, { repository: 'shop/flow' }, { 'log.sarif': flowLog() })
  })
  after(() => signedIn?.close())

  const overrides = async () => (await gatehouse.call('GET', '/api/firewall/v1/deployments/1/overrides')).body.overrides

  test('news of a bad package: the palette, its page, denied', async () => {
    const { page } = owner
    await page.goto(base)
    await settled(page)
    await page.keyboard.press('Control+k')
    // Enter before anything was found: the answer is waited for.
    await page.keyboard.type('lodash')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/packages\/npm\/lodash$/)
    await settled(page)
    await page.getByText('2 repositories, 2 directly').first().waitFor()
    await tabTo(page, 'Deny…')
    await page.keyboard.press('Enter')
    // The package is known: what is asked for first is which versions of it.
    await page.keyboard.type('<4.17.21')
    await tabTo(page, 'Why')
    await page.keyboard.type('Prototype pollution, see the news')
    await page.keyboard.press('Control+Enter')
    await page.getByText('lodash is denied, everywhere within a second.').waitFor()
    const [made] = await overrides()
    assert.deepEqual([made.name, made.version, made.effect], ['lodash', '<4.17.21', 'deny'])
  })

  test('a blocked pull request: one link says what, where and how to get on', async () => {
    const policies = '/api/policies/v1/deployments/1/policies'
    const { body } = await gatehouse.call('GET', policies)
    const code = body.policies.find((each: { productType: string }) => each.productType === 'PRODUCT_TYPE_SAST')
    await gatehouse.call('PUT', `${policies}/${code.id}/rules`, {
      body: { rules: [{ rule: 'sql-injection', mode: 'block' }] },
    })
    const { page } = owner
    await page.goto(`${base}/repositories/1/pull-requests/7`)
    await settled(page)
    await page.getByText('src/new.js:3').first().waitFor()
    await page.getByText('query(more)').first().waitFor()
    assert.deepEqual(await violations(page), [])
    await tabTo(page, /sql-injection|is not safe/)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/findings\/\d+/)
  })

  test('the page of a pull request says what it could not read, and goes on when it can', async () => {
    const { page } = owner
    const alert = page.getByRole('alert').first()
    for (const failing of [/pullRequest=7&pageSize=1$/, /\/receipt$/, /\/findings\/search$/]) {
      await page.route(failing, (route) => route.fulfill({ status: 500, body: '{}' }))
      await page.goto(`${base}/repositories/1/pull-requests/7`)
      await alert.waitFor()
      await settled(page)
      await page.unroute(failing)
      await alert.getByRole('button', { name: 'Try again' }).click()
      await page.getByText(/^(Not blocked|Blocked by)/).waitFor()
    }
    // A later page of its findings: as if there were one after the first.
    await page.route(/\/findings\/search$/, async (route) => {
      if (route.request().postDataJSON().cursor) return route.fulfill({ status: 500, body: '{}' })
      const answer = await route.fetch()
      return route.fulfill({ json: { ...(await answer.json()), hasMore: true, cursor: 'next' } })
    })
    await page.goto(`${base}/repositories/1/pull-requests/7`)
    await alert.waitFor()
    await page.unroute(/\/findings\/search$/)
    assert.equal(await page.locator('.banner.ok, .banner.bad').count(), 0)
  })

  test('a client is pointed at the firewall, and its first request shows up', async () => {
    const { page } = owner
    await page.goto(`${base}/firewall/set-up`)
    await settled(page)
    await tabTo(page, 'Make a token')
    await page.keyboard.press('Enter')
    await page.getByText(/Waiting for the first request/i).waitFor()
    await gatehouse.recorder.record({
      deploymentId: 1,
      ecosystem: 'npm',
      name: 'left-pad',
      version: '1.3.0',
      refused: false,
      advisoryId: '',
      personId: 1,
      tokenId: 0,
    })
    await gatehouse.recorder.flush()
    await page.getByText(/Waiting for the first request/i).waitFor({ state: 'detached', timeout: 60_000 })
  })

  test('one package is allowed until Friday, by mouse', async () => {
    const { page } = owner
    await page.goto(`${base}/firewall/overrides`)
    await settled(page)
    await page
      .getByRole('button', { name: /^Allow/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Package').fill('quick')
    await dialog.getByLabel('Why').fill('Needed for the release')
    await dialog.getByLabel('Until').fill('2099-12-31T12:00')
    assert.deepEqual(await violations(page), [])
    await dialog.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('quick is allowed').waitFor()
    const made = (await overrides()).find((each: { name: string }) => each.name === 'quick')
    assert.match(made.expiresAt, /^2099-12-31T/)
    await page.getByRole('button', { name: /^Undo/ }).last().click()
    await page.getByText('Undone: the override for quick is gone.').waitFor()
    assert.ok((await overrides()).every((each: { name: string }) => each.name !== 'quick'))
  })

  test('settings of the firewall say what they would change, and both versions to who saves too late', async () => {
    const { page } = owner
    const path = '/api/firewall/v1/deployments/1/settings'
    await page.goto(`${base}/firewall/settings`)
    await settled(page)
    await page.getByRole('button', { name: 'Change npm' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/versions that clients asked for in the last 30 days/).waitFor()
    await dialog.getByLabel(/^A package about which nothing/).selectOption('warn')
    await dialog.getByText(/fewer would be refused/).waitFor()
    assert.deepEqual(await violations(page), [])
    const npm = (await gatehouse.call('GET', `${path}/npm`)).body
    assert.equal((await gatehouse.call('PUT', path, { body: { ...npm, minimumAgeHours: 48 } })).status, 200)
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    const stale = dialog.getByRole('alert')
    await stale.waitFor()
    assert.match((await stale.textContent())!, /Hold back \(hours\)048/)
    assert.deepEqual(await violations(page), [])
    assert.equal((await gatehouse.call('GET', `${path}/npm`)).body.minimumAgeHours, 48)
    await dialog.getByRole('button', { name: 'Save mine over it' }).click()
    await page.getByText('Saved for npm, in force within a second.').waitFor()
    const saved = (await gatehouse.call('GET', `${path}/npm`)).body
    assert.deepEqual([saved.minimumAgeHours, saved.undetermined], [0, 'warn'])
  })

  test('a ruleboard says to whom it would apply, and who deletes it too late sees what it is now', async () => {
    const { page } = owner
    const boards = '/api/agent/deployments/1/ruleboards'
    const { body } = await gatehouse.call('POST', boards, {
      body: { name: 'Payments', type: 'RULEBOARD_TYPE_SAST', assigned_repos: ['shop/web'] },
    })
    await page.goto(`${base}/ruleboards/${body.slug}`)
    await settled(page)
    await page.getByRole('button', { name: 'Remove shop/web' }).click()
    const trial = page.getByRole('region', { name: 'What this would change' })
    await trial.getByRole('row', { name: /shop\/web/ }).waitFor()
    assert.match((await trial.getByRole('row', { name: /shop\/web/ }).textContent())!, /shop\/webPaymentsCode/)
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'As it was' }).click()
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Mine')
    await gatehouse.call('PUT', `${boards}/${body.slug}/overview`, {
      body: { name: 'Theirs', assigned_repos: ['shop/web'] },
    })
    await comeBack(page, body.slug)
    assert.equal(await name.inputValue(), 'Mine')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Nothing was saved').waitFor()
    await page.getByRole('button', { name: 'Take what is there' }).click()
    assert.equal(await name.inputValue(), 'Theirs')
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog')
    await gatehouse.call('PUT', `${boards}/${body.slug}/overview`, {
      body: { name: 'Renamed', assigned_repos: ['shop/web'] },
    })
    await dialog.getByRole('button', { name: /^Delete/ }).click()
    const stale = dialog.getByRole('alert')
    await stale.getByText('Nothing was deleted').waitFor()
    assert.match((await stale.textContent())!, /NameTheirsRenamed/)
    assert.equal((await gatehouse.call('GET', `${boards}/${body.slug}`)).status, 200)
    await dialog.getByRole('button', { name: /^Delete/ }).click()
    await page.waitForURL(/\/ruleboards$/)
    assert.equal((await gatehouse.call('GET', `${boards}/${body.slug}`)).status, 404)
  })

  test('findings are sorted by repository, and the address says so', async () => {
    const { page } = owner
    await page.goto(`${base}/findings?state=any`)
    await settled(page)
    await page.getByRole('columnheader', { name: 'Repository' }).getByRole('button').click()
    await page.waitForURL(/sort=repository-asc/)
    await settled(page)
    await page
      .getByRole('row', { name: /evil\/one/ })
      .first()
      .waitFor()
    await page.reload()
    await settled(page)
    await page
      .getByRole('row', { name: /evil\/one/ })
      .first()
      .waitFor()
  })

  test('a finding shows its data flow, the code around it and what the tool says about its rule', async () => {
    const { page } = owner
    const { body } = await gatehouse.call('POST', '/api/findings/1/findings/search', {
      body: { filter: { ruleIds: ['flow-rule'] } },
    })
    await page.goto(`${base}/findings/${body.findings[0].id}`)
    await settled(page)
    const steps = page.getByRole('list', { name: 'Data flow' }).getByRole('listitem')
    await steps.first().waitFor()
    assert.match((await steps.first().textContent())!, /Source.*in\.js:1.*enters.*read\(\)/)
    assert.match((await steps.last().textContent())!, /Sink.*out\.js:9/)
    assert.equal(await page.locator('.code .line').count(), 3)
    assert.equal(await page.locator('.code .line.marked').textContent(), '9write(input)\n')
    await page.getByText('Escape it first.').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Memory from this…' }).click()
    const dialog = page.getByRole('dialog', { name: 'New memory' })
    await dialog.getByLabel('What is remembered').fill('Only in the importer.')
    assert.deepEqual(await violations(page), [])
    await dialog.getByRole('button', { name: 'Remember it' }).click()
    await page.waitForURL(/\/memories\/\d+$/)
    const made = await gatehouse.call('GET', `/api/ai/deployments/1/memories/${/\d+$/.exec(page.url())![0]}`)
    const { ruleId, pathPrefixes, repositoryName } = made.body.memory
    assert.deepEqual([ruleId, pathPrefixes, repositoryName], ['flow-rule', ['out.js'], 'shop/flow'])
  })

  test('a scan says through which interface it came', async () => {
    const { page } = owner
    const headers = { authorization: `token ${gatehouse.owner.token}` }
    const snapshot = {
      version: 0,
      job: { id: '1', correlator: 'nightly' },
      sha: 'a'.repeat(40),
      ref: 'refs/heads/main',
      detector: { name: 'detector', version: '1', url: 'https://detector.example' },
      scanned: '2026-01-01T00:00:00Z',
      manifests: {},
    }
    const path = '/api/v3/repos/shop/snapshots/dependency-graph/snapshots'
    const { status, body } = await gatehouse.call('POST', path, { as: '', headers, body: snapshot })
    assert.equal(status, 201, JSON.stringify(body))
    await page.goto(`${base}/scans`)
    await settled(page)
    await page.getByText('GitHub snapshot', { exact: true }).first().waitFor()
    await page.goto(`${base}/scans/${body.id}`)
    await settled(page)
    await page.getByText(/^nightly detector [0-9a-f]{8}$/).waitFor()
    assert.deepEqual(await violations(page), [])
  })

  test('a branch that was deleted is ended, by mouse, and what stood on it leaves the count of open findings', async () => {
    for (const ref of ['main', 'old'])
      await upload(gatehouse, { repository: 'shop/ends', ref }, { 'log.sarif': flowLog() })
    const { page } = owner
    await page.goto(`${base}/repositories?text=shop/ends`)
    await page.getByRole('row', { name: /shop\/ends/ }).click()
    await page.getByRole('link', { name: 'Branches' }).click()
    await page.getByRole('button', { name: 'End old' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End old' }).click()
    await page.getByText('old is over, with 1 finding.').waitFor()
    const row = page.getByRole('row', { name: /^old/ })
    await row.getByText('Over').waitFor()
    assert.equal(await row.getByRole('button').count(), 0)
    assert.deepEqual(await violations(page), [])
    await page.getByRole('link', { name: '1 open findings on main' }).click()
    await page.waitForURL(/findings\?repo=shop\/ends&branch=main&prs=none$/)
  })

  test('the name of a branch hides nothing, also in the button that ends it and in what is said then', async () => {
    const ref = 'old\u202efdp\u200b'
    for (const each of ['main', ref]) {
      await upload(gatehouse, { repository: 'shop/hides', ref: each }, { 'log.sarif': flowLog() })
    }
    const { page } = owner
    await page.goto(`${base}/repositories?text=shop/hides`)
    await page.getByRole('row', { name: /shop\/hides/ }).click()
    await page.getByRole('link', { name: 'Branches' }).click()
    const name = 'End old[U+202E]fdp[U+200B]'
    await page.getByRole('button', { name }).click()
    await isHarmless(page)
    await page.getByRole('dialog').getByRole('button', { name }).click()
    await page.getByText('old[U+202E]fdp[U+200B] is over, with 1 finding.').waitFor()
    await isHarmless(page)
  })

  test('a session that an owner ended somewhere else asks for the password', async () => {
    const one = await visit(signedIn.browser)
    await signIn(one, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
    await one.page.goto(`${base}/scans`)
    await settled(one.page)
    const { body } = await gatehouse.call('GET', '/api/auth/sessions', { as: gatehouse.owner.jwt })
    const newest = body.sessions.toSorted((a: Session, b: Session) => (a.createdAt < b.createdAt ? 1 : -1))[0]
    assert.equal(
      (await gatehouse.call('DELETE', `/api/auth/sessions/${newest.id}`, { as: gatehouse.owner.jwt })).status,
      200,
    )
    await poll(
      'it is over',
      async () => (await one.context.request.get(`${gatehouse.url}/api/auth/session`)).status() === 401,
    )
    await one.page.getByRole('link', { name: 'Licences' }).click()
    await one.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await one.context.close()
  })
})

type Session = { id: string; createdAt: string }

/** A finding with everything that a tool can say about it. */
function flowLog(): string {
  const place = (uri: string, startLine: number, text: string, more: object = {}) => ({
    physicalLocation: { artifactLocation: { uri }, region: { startLine, snippet: { text } }, ...more },
  })
  const around = { contextRegion: { startLine: 8, snippet: { text: 'before()\nwrite(input)\nafter()' } } }
  const sink = place('out.js', 9, 'write(input)', around)
  const source = { ...place('in.js', 1, 'read()'), message: { text: 'enters' } }
  const result = {
    ruleId: 'flow-rule',
    message: { text: 'Input reaches a file' },
    locations: [sink],
    codeFlows: [{ threadFlows: [{ locations: [{ location: source }, { location: sink }] }] }],
  }
  const rules = [{ id: 'flow-rule', help: { text: 'Escape it first.' }, helpUri: 'https://rules.example/flow' }]
  return JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'Flow', rules } }, results: [result] }] })
}

/** Presses Tab until what has this name is focused. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const says = `(() => {
    const at = document.activeElement
    return at ? (at.getAttribute('aria-label') || at.labels?.[0]?.querySelector('.label')?.textContent || at.labels?.[0]?.textContent || at.textContent || '').trim() : ''
  })()`
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>(says)
    if (typeof name === 'string' ? focused === name || focused.startsWith(`${name}\n`) : name.test(focused)) return
  }
  throw new Error(`nothing is called ${name} that Tab leads to`)
}
