import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import sql from 'sql-template-tag'
import { sarifLog } from '../../src/capabilities/findings/test-log.ts'
import { upload } from '../../src/capabilities/scans/test-upload.ts'
import { systemActor } from '../../src/kernel/access/actor.ts'
import type { TestGatehouse } from '../../test/gatehouse.ts'
import { poll } from '../../test/servers/real-process.ts'
import { violations } from './axe.ts'
import { comeBack, noBrowser, openBrowser, settled, signIn, type Visit, visit } from './browser.ts'
import { openWorld } from './world.ts'

const pictures = process.env.GATEHOUSE_PICTURES

describe('what the console knows of the whole platform', { skip: noBrowser ?? false }, () => {
  let gatehouse: TestGatehouse
  let browser: Browser
  let owner: Visit
  let base: string

  before(async () => {
    gatehouse = await openWorld()
    await gatehouse.db.transaction(systemActor(1, 'test'), (tx) =>
      tx.query(sql`insert into outbox (deployment_id, kind, payload, key, lane, run_at, dead_at)
        values (1, 'test.kind', '{}', 'k1', 'l', now(), now()), (1, 'test.kind', '{}', 'k2', 'l', now(), now())`),
    )
    const { policies } = (await gatehouse.call('GET', '/api/policies/v1/deployments/1/policies')).body
    const code = policies.find((each: { productType: string }) => each.productType === 'PRODUCT_TYPE_SAST')
    await gatehouse.call('PUT', `/api/policies/v1/deployments/1/policies/${code.id}/rules`, {
      body: {
        rules: [
          { rule: 'stop-it', mode: 'block' },
          { rule: '*', mode: 'comment' },
        ],
      },
    })
    const change = {
      repository: 'shop/web',
      ref: 'c-8',
      kind: 'SCAN_KIND_PULL_REQUEST',
      pullRequest: 8,
      baseRef: 'main',
    }
    await upload(gatehouse, change, {
      'log.sarif': sarifLog({ results: [{ rule: 'stop-it', path: 'x.js', code: 'stop()' }] }),
    })
    await gatehouse.makeToken(gatehouse.owner.jwt, 1, { name: 'soon', expiresInDays: 3 })
    browser = await openBrowser()
    owner = await visit(browser)
    await signIn(owner, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
    base = /^.*\/d\/[^/]+/.exec(owner.page.url())![0]
  })
  after(async () => {
    await browser?.close()
    await gatehouse?.close()
  })

  async function open(path: string): Promise<Page> {
    await owner.page.goto(`${base}/${path}`)
    await settled(owner.page)
    return owner.page
  }

  test('every number that needs a decision leads to a list of as many', async () => {
    const page = await open('')
    const found = await page
      .locator('a[data-kind]')
      .evaluateAll((links) =>
        links.map((link) => [
          link.getAttribute('data-kind')!,
          Number(link.querySelector('.figure')!.textContent!.replaceAll(',', '')),
          link.getAttribute('href')!,
        ]),
      )
    await picture(page, 'attention')
    const numbers = Object.fromEntries(found.map(([kind, count]) => [kind, count]))
    assert.equal(numbers.deadLetters, 2)
    assert.equal(numbers.expiringTokens, 1)
    assert.equal(numbers.blockedPullRequests, 1)
    const { body } = await gatehouse.call('GET', '/api/deployments/v1/deployments/1/attention')
    const counted = body.items.filter((item: { count: number }) => item.count > 0)
    assert.deepEqual(
      numbers,
      Object.fromEntries(counted.map((item: { kind: string; count: number }) => [item.kind, item.count])),
    )
    for (const [kind, count, href] of found) {
      await page.goto(gatehouse.url + String(href))
      await settled(page)
      const rows = rowsOf[String(kind)]
      if (rows) assert.equal(await rows(page), count, String(kind))
    }
    assert.deepEqual(await violations(await open('')), [])
  })

  test('new findings are announced, and rows stay where they are until they are asked for', async () => {
    const page = await open('findings')
    const first = await page.getByRole('grid').getByRole('row').nth(1).textContent()
    await poll('the stream stands', async () => gatehouse.events.count() > 0)
    const results = [1, 2, 3].map((n) => ({
      rule: 'live',
      path: `live-${n}.js`,
      code: `live(${n})`,
      message: `Live ${n}`,
    }))
    await upload(gatehouse, { repository: 'shop/api' }, { 'log.sarif': sarifLog({ tool: 'Live', results }) })
    await page.getByText('3 new findings').waitFor()
    await picture(page, 'live')
    assert.equal(await page.getByRole('grid').getByRole('row').nth(1).textContent(), first)
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByText('Live 3').first().waitFor()
    assert.equal(await page.getByText('3 new findings').count(), 0)
  })

  test('where somebody else settled what is selected, a key decides about nothing in its place', async () => {
    const results = [1, 2, 3].map((n) => ({ rule: 'gone', path: `gone-${n}.js`, code: `gone(${n})` }))
    await upload(gatehouse, { repository: 'shop/api' }, { 'log.sarif': sarifLog({ tool: 'Gone', results }) })
    const page = await open('findings?rule=gone')
    await poll('the stream stands', async () => gatehouse.events.count() > 0)
    const rows = page.getByRole('grid').getByRole('row')
    await rows.nth(1).getByRole('checkbox').check()
    await rows.nth(3).focus()
    const body = { filter: { ruleIds: ['gone'] } }
    const { findings } = (await gatehouse.call('POST', '/api/findings/1/findings/search', { body })).body
    const shown = (await rows.nth(1).textContent())!
    const { id } = findings.find(({ locations }: { locations: { path: string }[] }) =>
      shown.includes(locations[0]!.path),
    )
    const decision = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_NO_TIME' }
    await gatehouse.call('POST', '/api/findings/1/findings/triage', { body: { findingIds: [id], ...decision } })
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await poll('it is gone', async () => (await rows.count()) === 3)
    const sent: string[] = []
    page.on('request', (request) => void (request.url().endsWith('/findings/triage') && sent.push(request.url())))
    await page.keyboard.press('f')
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: 'Selection' }).waitFor({ state: 'detached' })
    assert.deepEqual(sent, [])
  })

  test('the palette finds packages, repositories, rules and people', async () => {
    const page = await open('')
    for (const [words, group, address] of [
      ['lodash', 'Packages', /packages\/npm\/lodash$/],
      ['shop/api', 'Repositories', /repositories\/\d+$/],
      ['weak-ha', 'Rules', /findings\?rule=weak-hash$/],
      [gatehouse.owner.email, 'People', /settings\/people\?q=/],
    ] as const) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Search packages/ }).fill(words)
      const option = page.getByRole('group', { name: group, exact: true }).getByRole('option').first()
      await option.waitFor()
      if (group === 'Packages') {
        await picture(page, 'palette')
        assert.deepEqual(await violations(page), [])
      }
      await option.click()
      await page.waitForURL(address)
      await settled(page)
    }
  })

  test('the audit log is filtered by its address, verified and exported', async () => {
    const page = await open('settings/audit?action=token.create')
    const actions = await page.locator('table code').allTextContents()
    assert.ok(actions.length > 0 && actions.every((action) => action === 'token.create'))
    assert.match(await page.locator('table').innerText(), /token:\d+\n\S/, 'with what the token is called')
    await page.getByRole('button', { name: 'Verify the chain' }).click()
    await page.getByText(/All [\d,]+ events are as they were written/).waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export all that match' }).click()
    assert.equal((await saved).suggestedFilename(), 'gatehouse-audit.jsonl')
    await page.getByLabel('Action').fill('repository.')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(/action=repository\./)
    await picture(page, 'audit')
    assert.deepEqual(await violations(page), [])
  })

  test('the person of an address of the audit log stays chosen, whether or not there is such a person', async () => {
    for (const person of ['1', '4711']) {
      const page = await open(`settings/audit?person=${person}`)
      assert.equal(await page.getByLabel('Person').inputValue(), person)
      await page.getByLabel('Action').fill('team.')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.waitForURL((url) => url.search === `?action=team.&person=${person}`)
    }
  })

  test('operators see whether everything is healthy', async () => {
    const page = await open('settings/system')
    await page.getByText('the master key opens the keys in the database').waitFor()
    await picture(page, 'system')
    assert.deepEqual(await violations(page), [])
  })

  test('a session is ended from the profile', async () => {
    const other = await visit(browser)
    await signIn(other, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
    await owner.page.goto(`${gatehouse.url}/me`)
    await settled(owner.page)
    const sessions = owner.page.getByRole('region', { name: 'Your sessions' })
    const before = await sessions.locator('tbody tr').count()
    await picture(owner.page, 'sessions')
    const browsers = sessions.locator('tbody tr', { hasText: 'Browser' }).filter({ hasNotText: 'this one' })
    await browsers.first().getByRole('button', { name: 'End' }).click()
    await owner.page
      .getByRole('dialog')
      .getByRole('button', { name: /^End the session/ })
      .click()
    await poll('it is gone', async () => (await sessions.locator('tbody tr').count()) === before - 1)
    await poll('the other is signed out', async () => {
      const answer = await other.context.request.get(`${gatehouse.url}/api/auth/session`)
      return answer.status() === 401
    })
    assert.deepEqual(await violations(owner.page), [])
    await other.context.close()
  })

  test('the rules of a policy are tried before they are saved', async () => {
    const { policies } = (await gatehouse.call('GET', '/api/policies/v1/deployments/1/policies')).body
    const code = policies.find((each: { productType: string }) => each.productType === 'PRODUCT_TYPE_SAST')
    const page = await open(`policies/${code.id}`)
    await page.getByLabel('Mode of *').selectOption('block')
    await page.getByText(/1 pull request more would have been blocked: 2 instead of 1/).waitFor()
    await picture(page, 'trial')
    assert.deepEqual(await violations(page), [])
    await page.getByLabel('Mode of *').selectOption('comment')
    await page.getByText('No finding of these pull requests would have been treated otherwise').waitFor()
  })

  test('a repository says what applies to it, and who saves too late sees both versions', async () => {
    const page = await open('repositories/1/settings?rule=sql-injection')
    await page.getByText('comment, by *').first().waitFor()
    const { status } = await gatehouse.call('PATCH', '/api/repositories/v1/deployments/1/repositories/1', {
      body: { defaultBranch: 'theirs' },
    })
    assert.equal(status, 200)
    await page.getByLabel('Default branch').fill('mine')
    await comeBack(page, 'repositories/1')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const stale = page.getByText('Somebody else changed this meanwhile').locator('..')
    await stale.waitFor()
    assert.match((await stale.textContent())!, /Default branch.*mine.*theirs/)
    await picture(page, 'stale')
    assert.deepEqual(await violations(page), [])
    await page.getByLabel('Default branch').fill('ours')
    await page.getByRole('button', { name: 'Save mine over it' }).click()
    await stale.waitFor({ state: 'detached' })
    const { body } = await gatehouse.call('GET', '/api/repositories/v1/deployments/1/repositories/1')
    assert.equal(body.repository.defaultBranch, 'ours')
  })

  test('what was typed outlives another change of the same repository, and is saved over it', async () => {
    const page = await open('repositories/1/settings')
    const branch = page.getByLabel('Default branch')
    await branch.fill('typed')
    await page.getByRole('button', { name: 'Archive', exact: true }).click()
    const back = page.getByRole('button', { name: 'Take it back from the archive' })
    await back.waitFor()
    assert.equal(await branch.inputValue(), 'typed')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    const { repository } = (await gatehouse.call('GET', '/api/repositories/v1/deployments/1/repositories/1')).body
    assert.deepEqual([repository.defaultBranch, repository.archived], ['typed', true])
    await back.click()
    await page.getByRole('button', { name: 'Archive', exact: true }).waitFor()
    // With nothing typed it shows what is there.
    await gatehouse.call('PATCH', '/api/repositories/v1/deployments/1/repositories/1', {
      body: { defaultBranch: 'main' },
    })
    await comeBack(page, 'repositories/1')
    assert.equal(await branch.inputValue(), 'main')
  })

  test('repositories are tagged many at once, each as it is now, and that is undone', async () => {
    const page = await open('repositories')
    for (const name of ['shop/web', 'shop/api'])
      await page
        .getByRole('row', { name: new RegExp(name) })
        .getByRole('checkbox')
        .check()
    const bar = page.getByRole('region', { name: 'Selection' })
    await bar.getByText('2 repositories selected').waitFor()
    assert.deepEqual(await violations(page), [])
    // Somebody else tags one of them, which this page has not seen.
    const path = '/api/repositories/v1/deployments/1/repositories'
    await gatehouse.call('PATCH', `${path}/1`, { body: { tags: ['theirs'] } })
    await bar.getByRole('button', { name: 'Add a tag…' }).click()
    await page.getByLabel('Tag', { exact: true }).fill('core')
    await page.getByRole('button', { name: 'Add the tag' }).click()
    await page.getByText('2 repositories tagged core.').waitFor()
    const tagged = async () => (await gatehouse.call('GET', `${path}/1`)).body.repository.tags
    assert.deepEqual((await tagged()).sort(), ['core', 'theirs'])
    await page.keyboard.press('z')
    await page.getByText(/^Undone: \d repositories are as they were/).waitFor()
    assert.deepEqual(await tagged(), ['theirs'])
  })

  test('a rename that comes too late shows both names', async () => {
    const { body } = await gatehouse.call('POST', '/api/permissions/v2/deployments/1/teams', {
      body: { team: { name: 'First' } },
    })
    const page = await open(`settings/teams/${body.team.id}`)
    await page.getByRole('button', { name: 'Rename' }).click()
    await gatehouse.call('PATCH', `/api/permissions/v2/deployments/1/teams/${body.team.id}`, {
      body: { team: { name: 'Theirs' } },
    })
    await comeBack(page, `teams/${body.team.id}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Mine')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByText('Somebody else changed this meanwhile').waitFor()
    assert.match((await dialog.textContent())!, /MineTheirs/)
    await dialog.getByLabel('Name').fill('Ours')
    await dialog.getByRole('button', { name: 'Save mine over it' }).click()
    await page.getByRole('heading', { name: 'Ours' }).waitFor()
  })

  test('nothing complained in all of this', () => assert.deepEqual(owner.complaints, []))
})

/** How many rows the list of a kind shows. */
const rowsOf: Record<string, (page: Page) => Promise<number>> = {
  priorityFindings: async (page) => Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1,
  blockedPullRequests: async (page) => Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1,
  deadLetters: (page) => page.getByRole('region', { name: 'Dead letters' }).locator('tbody tr').count(),
  expiringTokens: (page) => page.getByRole('region', { name: 'Tokens' }).locator('tbody tr').count(),
}

async function picture(page: Page, name: string): Promise<void> {
  if (!pictures) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}
