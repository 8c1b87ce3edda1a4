import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { log, pullRequestsOf } from '../../src/capabilities/findings/test-pull-request.ts'
import { packageLock, upload } from '../../src/capabilities/scans/test-upload.ts'
import { advisoryFolder, semver } from '../../src/capabilities/vulnerabilities/feeds/test-advisories.ts'
import { openGatehouse } from '../../test/gatehouse.ts'
import { automationsOf } from '../../test/servers/automation-gatehouse.ts'
import { buildConsole } from '../build.ts'
import { noBrowser, settled } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe('pull requests in a browser', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let pullRequests: ReturnType<typeof pullRequestsOf>
  before(async () => {
    signedIn = await openSignedIn(openGatehouse({ console: buildConsole() }))
    pullRequests = pullRequestsOf(signedIn.gatehouse)
  })
  after(() => signedIn?.close())

  const shown = async (path: string) => (await signedIn.open(path)).locator('main').innerText()

  /** Where the console has the pull request, and its last scan. */
  async function placesOf(repository: string, pullRequest: number) {
    const { repositoryId, lastScanId } = await pullRequests.listed(repository, pullRequest)
    const list = `repositories/${repositoryId}/pull-requests`
    return { list, page: `${list}/${pullRequest}`, scan: `scans/${lastScanId}` }
  }

  test('a pull request whose base was never scanned is said to be not compared', async () => {
    await pullRequests.send('pr/fresh', log([{ code: 'a(1)' }, { rule: 'two', code: 'a(2)' }]), { pullRequest: 5 })
    const { list, page, scan } = await placesOf('pr/fresh', 5)
    for (const path of [page, scan]) {
      const text = await shown(path)
      assert.match(text, /Not compared: its base main had no full scan with tester\./, path)
      assert.match(text, /2 findings were not raised\. Scan main first, then scan this again\./, path)
      assert.doesNotMatch(text, /Not blocked|Nothing was found/, path)
      assert.equal(await signedIn.page.locator('.banner.ok').count(), 0, path)
      await signedIn.usable(path)
    }
    for (const path of [list, 'pull-requests']) {
      const text = await shown(path)
      assert.match(text, /Not compared/, path)
      assert.doesNotMatch(text, /Not blocked/, path)
      await signedIn.page.getByTitle(/its base main had no full scan with tester\. Scan main first/).waitFor()
    }
    await pullRequests.send('pr/fresh', log([{ code: 'a(1)' }, { rule: 'two', code: 'a(2)' }]))
    await pullRequests.send('pr/fresh', log([{ code: 'a(1)' }]), { pullRequest: 5 })
    assert.match(await shown(page), /Not blocked\.\s+Nothing was found\./)
    assert.match(await shown(list), /Not blocked/)
  })

  test('each finding that blocks a pull request says what blocks it: a rule, an automation', async () => {
    const { gatehouse, page } = signedIn
    const feed = advisoryFolder()
    feed.put({ id: 'GHSA-bad', affected: [{ name: 'bad', ranges: [semver('0', '2.0.0')] }] })
    await gatehouse.vulnerabilities.feeds.sync(feed.place)
    feed.remove()
    await automationsOf(gatehouse).create({
      name: 'No bad packages',
      filters: {
        mode: 'MODE_ALL',
        conditions: [{ mode: 'MODE_ANY', type: 'CONDITION_TYPE_PRODUCT', values: ['PRODUCT_TYPE_SCA'] }],
      },
      actions: [{ type: 'ACTION_TYPE_BLOCK' }],
    })
    await pullRequests.setMode('block', 'shell-true')
    const repository = 'pr/both'
    const clean = packageLock({ good: '1.0.0' })
    const lock = packageLock({ good: '1.0.0', bad: '1.0.0' })
    await upload(gatehouse, { repository }, { 'package-lock.json': clean, 'log.sarif': log([]) })
    const change = { repository, ref: 'change', kind: 'SCAN_KIND_PULL_REQUEST', baseRef: 'main' }
    const document = log([
      { rule: 'shell-true', code: 'a(1)' },
      { rule: 'other', code: 'a(2)' },
    ])
    const both = { 'package-lock.json': lock, 'log.sarif': document }
    const { body } = await upload(gatehouse, { ...change, pullRequest: 4 }, both)
    assert.equal(body.blockingFindingCount, 2)
    await signedIn.open((await placesOf(repository, 4)).page)
    await page.getByText('Blocked by 2 findings: rule shell-true is in block mode').waitFor()
    const blocking = page.locator('section', { has: page.getByText('2 findings block it') })
    const text = await blocking.innerText()
    assert.match(text, /It blocks, because the policy blocks the rule 'shell-true'\./)
    assert.match(text, /It blocks, because the automation 'No bad packages' blocks it\./)
    await page.getByText('1 finding only recorded').waitFor()
    await upload(gatehouse, { ...change, pullRequest: 5 }, { 'package-lock.json': lock })
    const alone = await shown((await placesOf(repository, 5)).page)
    assert.match(alone, /Blocked by 1 finding: automation No bad packages\./)
    assert.match(alone, /1 finding blocks it/)
    assert.doesNotMatch(alone, /other finding|only recorded/)
    await signedIn.usable('the page of a blocked pull request')
  })

  test('a pull request that is over says so, in the lists and on its page', async () => {
    await pullRequests.send('pr/over', log([]))
    await pullRequests.send('pr/over', log([{ code: 'a(1)' }]), { pullRequest: 2 })
    await pullRequests.end('pr/over', 2, { merged: true })
    const { list, page } = await placesOf('pr/over', 2)
    const text = await shown(page)
    assert.match(text, /This pull request is over\.\s+It was merged or closed/)
    assert.doesNotMatch(text, /Not blocked|Blocked by/)
    assert.match(await shown(list), /#2\s+Over/)
  })

  test('the number of blocked pull requests of a repository opens as many, without those that are over', async () => {
    const { page } = signedIn
    const repository = 'pr/numbers'
    await pullRequests.setMode('block')
    await pullRequests.send(repository, log([]))
    for (const pullRequest of [1, 2, 3]) await pullRequests.send(repository, log([{ code: 'a(1)' }]), { pullRequest })
    await pullRequests.end(repository, 2)
    const { list } = await placesOf(repository, 1)
    const rows = page.getByRole('region', { name: 'Pull requests', exact: true }).locator('tbody tr')
    await shown(list)
    assert.equal(await rows.count(), 3)
    await signedIn.usable(list)
    const links = [
      { on: list.replace('/pull-requests', ''), name: /^2\s*blocked pull requests$/ },
      { on: 'repositories', name: `2 blocked pull requests of ${repository}` },
    ]
    for (const { on, name } of links) {
      await shown(on)
      await page.getByRole('link', { name }).click()
      await page.waitForURL(/pull-requests\?blocked=yes&over=no$/)
      await settled(page)
      assert.deepEqual(await rows.locator('td:first-child').allInnerTexts(), ['#3', '#1'])
    }
    await page.getByLabel('Not over yet').click()
    await page.waitForURL(/pull-requests\?blocked=yes$/)
    await rows.nth(2).waitFor()
  })
})
