import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import sql from 'sql-template-tag'
import { testFeed } from '../../src/capabilities/firewall/advisories/test-feed.ts'
import { systemActor } from '../../src/kernel/access/actor.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../../src/sandbox/registries/npm-registry.ts'
import { openGatehouse, type Tester, type TestGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { violations } from './axe.ts'
import { noBrowser, openBrowser, settled, signIn, type Visit, visit } from './browser.ts'

describe('exceptions in the console', { skip: noBrowser ?? false }, () => {
  let gatehouse: TestGatehouse
  let npm: NpmRegistrySandbox
  let browser: Browser
  let developer: Visit
  let owner: Visit
  let member: Tester
  const feed = testFeed()

  before(async () => {
    npm = await startNpmRegistry()
    npm.publish({ name: 'left-pad', version: '1.0.0' })
    gatehouse = await openGatehouse({ console: buildConsole(), env: { GATEHOUSE_NPM_UPSTREAM: npm.url } })
    const path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}`
    feed.add({ id: 'MAL-1', name: 'evil' })
    await gatehouse.firewall.feeds.sync(feed.place)
    const deny = { ecosystem: 'npm', name: 'left-pad', effect: 'deny', reason: 'use padStart' }
    assert.equal((await gatehouse.call('POST', `${path}/overrides`, { body: deny })).status, 200)
    await gatehouse.firewall.refresh()
    member = await gatehouse.addPerson('member')
    browser = await openBrowser()
    developer = await visit(browser)
    await signIn(developer, gatehouse.url, member.email, member.password)
    owner = await visit(browser)
    await signIn(owner, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
  })
  after(async () => {
    assert.deepEqual([...(developer?.complaints ?? []), ...(owner?.complaints ?? [])], [])
    await browser?.close()
    await gatehouse?.close()
    await npm?.close()
    feed.remove()
  })

  const link = (name: string) => `${gatehouse.url}/refused?deployment=1&ecosystem=npm&package=${name}@1.0.0`

  test('a developer follows the link of a refusal, sees why, and asks', async () => {
    const { page } = developer
    await page.goto(link('left-pad'))
    await page.waitForURL(/\/d\/[^/]+\/firewall\/refused\?ecosystem=npm&package=left-pad@1\.0\.0$/)
    await page.getByText('Denied by your organisation: use padStart').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByLabel('What you need it for').fill('the old build needs it')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('1 person waits for a decision.').waitFor()
    await page.getByText('You have asked.').waitFor()
    await page.goto(page.url().replace(/refused.*/, 'exceptions'))
    await settled(page)
    await page.getByText('the old build needs it').waitFor()
    const approve = page.getByRole('button', { name: 'Approve…' })
    assert.equal(await approve.getAttribute('aria-disabled'), 'true')
  })

  test('malware cannot be approved, and the page says so; an address that names nothing says that', async () => {
    const { page } = developer
    await page.goto(link('evil'))
    await page.getByText('no exception lets that in').waitFor()
    await page.goto(`${gatehouse.url}/refused?deployment=99&ecosystem=npm&package=left-pad@1.0.0`)
    await page.getByText('There is no such deployment, or you are not in it').waitFor()
    await page.goto(`${gatehouse.url}/refused?deployment=1&ecosystem=npm`)
    await page.getByText('No package is named').waitFor()
  })

  test('an owner sees what speaks for and against it, approves with an end, and ends it', async () => {
    const { page } = owner
    await page.goto(`${/^.*\/d\/[^/]+/.exec(page.url())![0]}/firewall/exceptions?state=open`)
    await settled(page)
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Approve…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('No repository has any version of it.').waitFor()
    await dialog.getByText('No vulnerability of this version is known.').waitFor()
    assert.deepEqual(await violations(page), [])
    await dialog.getByLabel('Until').fill('2020-01-01T00:00')
    await dialog.getByLabel('Why').fill('until the rewrite')
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
    await dialog.getByText('is in the past').first().waitFor()
    const soon = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 16)
    await dialog.getByLabel('Until').fill(soon)
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('No exception matches').waitFor()
    await page.getByRole('button', { name: 'In force' }).click()
    await page.getByText('left-pad 1.0.0, for everybody.').waitFor()
    await page.getByRole('button', { name: 'End now…' }).click()
    await page.getByRole('dialog').getByLabel('Why').fill('rewritten')
    await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Ended early' }).click()
    await page.getByText(/left-pad 1\.0\.0, for everybody\. Ended .* by .*: rewritten\./).waitFor()
  })

  test('who ended one is named after they have left, and so is Gatehouse', async () => {
    const leaving = await gatehouse.addPerson('admin')
    const { deploymentId } = gatehouse.owner
    const actor = systemActor(deploymentId, 'test')
    for (const [name, endedBy] of [
      ['by-somebody', leaving.id],
      ['by-itself', 0],
    ] as const)
      await gatehouse.db.transaction(actor, (tx) =>
        tx.query(sql`insert into firewall_exception (deployment_id, ecosystem, name, version, rule, reason, advisory_ids, created_at,
            state, decided_by, decided_at, expires_at, ended_by, ended_at, ended_reason)
          values (${deploymentId}, 'npm', ${name}, '1.0.0', 'held', 'x', '{}', now(), 'ended', 1, now(), now(), ${endedBy}, now(), ${name})`),
      )
    await gatehouse.call('DELETE', `/api/people/v1/deployments/${deploymentId}/people/${leaving.id}`)
    const { page } = owner
    await page.goto(`${/^.*\/d\/[^/]+/.exec(page.url())![0]}/firewall/exceptions?state=ended`)
    await page.getByText(/Ended .* by Gatehouse: by-itself\./).waitFor()
    await page.getByText(/Ended .* by \S+ \(left\): by-somebody\./).waitFor()
  })

  test('what was asked for malware can be rejected, not approved, and the button says why', async () => {
    const actor = systemActor(gatehouse.owner.deploymentId, 'test')
    const asked = sql`insert into firewall_exception
        (deployment_id, ecosystem, name, version, rule, reason, advisory_ids, created_at)
      values (${actor.deploymentId}, 'npm', 'evil', '1.0.0', 'malicious', 'as an earlier release took it', '{}', now())`
    await gatehouse.db.transaction(actor, (tx) => tx.query(asked))
    const { page } = owner
    await page.goto(`${/^.*\/d\/[^/]+/.exec(page.url())![0]}/firewall/exceptions?state=open`)
    await page.getByText('as an earlier release took it').waitFor()
    const approve = page.getByRole('button', { name: 'Approve…' })
    assert.equal(await approve.getAttribute('aria-disabled'), 'true')
    assert.equal(await approve.getAttribute('title'), 'Known malware is never let in.')
    assert.equal(await page.getByRole('button', { name: 'Reject…' }).getAttribute('aria-disabled'), null)
  })

  test('the contact and four eyes are set, and what somebody else set meanwhile is shown', async () => {
    const { page } = owner
    await page.goto(`${/^.*\/d\/[^/]+/.exec(page.url())![0]}/firewall/exceptions`)
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What every refusal ends with').fill('Ask in #platform')
    const path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}/exception-settings`
    await gatehouse.call('PUT', path, { body: { contact: 'Call 42', fourEyes: true } })
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByText('Somebody else changed this meanwhile').waitFor()
    await dialog.getByRole('button', { name: 'Save mine over it' }).click()
    await page.getByText('Every refusal ends with: Ask in #platform').waitFor()
  })
})
