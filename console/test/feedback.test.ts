import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startGitHubService } from '../../src/sandbox/code-hosts/github-service.ts'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { violations } from './axe.ts'
import { noBrowser, openBrowser, settled, signIn, visit } from './browser.ts'

describe('pull request feedback in a browser', { skip: noBrowser ?? false }, () => {
  let gatehouse: TestGatehouse
  let browser: Browser
  let github: Awaited<ReturnType<typeof startGitHubService>>

  before(async () => {
    github = await startGitHubService()
    gatehouse = await openGatehouse({ console: buildConsole(), env: { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' } })
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await gatehouse?.close()
    await github?.close()
  })

  test('an owner connects a code host, tests it, changes it and removes it', async () => {
    const owner = await visit(browser)
    const { page } = owner
    const button = (name: string | RegExp) => page.getByRole('button', { name }).first()
    await signIn(owner, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
    await page.goto(`${/^.*\/d\/[^/]+/.exec(page.url())![0]}/settings/pull-request-feedback`)
    await page.getByText('No code host is connected').waitFor()
    assert.deepEqual(await violations(page), [])
    await button('Connect a code host').click()
    await page.getByLabel('Address of its API').fill(github.apiUrl)
    await page.getByLabel('Owners').fill('acme acme-labs')
    await page.getByLabel('Client id of the app').fill(github.app.id)
    await page.getByLabel('Installation').fill(github.app.installationId)
    await page.getByLabel('Private key of the app').fill('not a key')
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.locator('.wrong').getByText('must be the private key of the app').waitFor()
    await page.getByLabel('Private key of the app').fill(github.app.privateKeyPem)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByText('It is shown only now').waitFor()
    await page.getByText('It works. Comments are by').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByLabel('I have it').check()
    await button('Close').click()
    await page.getByText('GitHub: acme, acme-labs').first().waitFor()

    github.app.permissions.checks = 'read'
    await button(/^Test GitHub/).click()
    await page.getByText('The installation of the app lacks: checks (write)').waitFor()
    await button(/^Change GitHub/).click()
    await page.getByLabel('Comment on changed lines').uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('check runs, one comment', { exact: true }).waitFor()
    await button(/^New webhook secret for/).click()
    await button('Make another secret').click()
    await page.getByText('It is shown only now').waitFor()
    await page.getByLabel('I have it').check()
    await button('Close').click()
    await settled(page)
    assert.deepEqual(await violations(page), [])
    await button(/^Remove GitHub/).click()
    await button('Remove it').click()
    await page.getByText('No code host is connected').waitFor()
    assert.deepEqual(owner.complaints, [])
  })
})
