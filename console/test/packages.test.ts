import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { packageLock, upload } from '../../src/capabilities/scans/test-upload.ts'
import { advisoryFolder, semver } from '../../src/capabilities/vulnerabilities/feeds/test-advisories.ts'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { violations } from './axe.ts'
import { noBrowser, openBrowser, settled, signIn, type Visit, visit } from './browser.ts'

describe('packages and vulnerabilities in the console', { skip: noBrowser ?? false }, () => {
  let gatehouse: TestGatehouse
  let browser: Browser
  let owner: Visit
  let base: string
  const feed = advisoryFolder()

  before(async () => {
    gatehouse = await openGatehouse({ console: buildConsole() })
    feed.put(
      {
        id: 'GHSA-1',
        aliases: ['CVE-2026-0001'],
        summary: 'Prototype pollution',
        affected: [{ name: 'lodash', ranges: [semver('0', '4.17.21')] }],
        severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      },
      { id: 'GHSA-2', summary: 'Slow', affected: [{ name: '@a/b', ranges: [semver('0')] }] },
    )
    await gatehouse.vulnerabilities.feeds.sync(feed.place)
    const lock = (packages: Record<string, string>) => ({ 'package-lock.json': packageLock(packages) })
    await upload(gatehouse, { repository: 'shop/web' }, lock({ lodash: '4.9.0', '@a/b': '1.0.0', '<b>x': '1.0.0' }))
    await upload(gatehouse, { repository: 'shop/api' }, lock({ lodash: '4.17.21' }))
    await upload(gatehouse, { repository: 'shop/old' }, lock({ lodash: '4.17.2', minimist: '1.2.5' }))
    browser = await openBrowser()
    owner = await visit(browser)
    await signIn(owner, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
    base = /^.*\/d\/[^/]+/.exec(owner.page.url())![0]
  })
  after(async () => {
    assert.deepEqual(owner?.complaints, [])
    await browser?.close()
    await gatehouse?.close()
    feed.remove()
  })

  const rows = async () => {
    const cells = await owner.page.locator('.grid-body [role=row]').allTextContents()
    return cells.map((text) => text.replace(/\s+/g, ' ').trim())
  }

  test('lists each package once, sorts by use, and the sort is in the address', async () => {
    const { page } = owner
    await page.goto(`${base}/dependencies`)
    await settled(page)
    await page.getByText('3 repositories have 6 dependencies on 4 packages.').waitFor()
    assert.equal((await rows()).length, 4)
    await page.getByRole('button', { name: 'Repositories', exact: true }).click()
    await page.waitForURL(/\?sort=repositories$/)
    await settled(page)
    assert.match((await rows())[0]!, /^lodashnpm4\.17\.21, 4\.17\.2, 4\.9\.0Critical.*3/)
    await page.getByLabel('vulnerable only').check()
    await page.getByRole('button', { name: 'Find' }).click()
    await page.waitForURL(/vulnerable=yes/)
    await page.getByText('minimist').waitFor({ state: 'detached' })
    assert.equal((await rows()).length, 2)
    await page.getByLabel('Package', { exact: true }).fill('lodash')
    await page.keyboard.press('Enter')
    await page.waitForURL(/name=lodash/)
    await settled(page)
    assert.match((await rows()).join('|'), /^lodashnpm[^|]*Critical[^|]*$/, 'packages, not every occurrence')
  })

  test('a licence and a repository that another page asked for are shown, said and taken away', async () => {
    const { page } = owner
    await page.goto(`${base}/dependencies?licence=MIT&repo=1`)
    await settled(page)
    await page.getByText('Repository: shop/web').waitFor()
    await page.getByLabel('Package', { exact: true }).fill('lodash')
    await page.keyboard.press('Enter')
    await page.getByText('shop/web does not have lodash under the licence MIT').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Clear Licence' }).click()
    await page.getByText('shop/web has lodash, directly.').waitFor()
    await page.getByRole('button', { name: 'Clear Repository' }).click()
    await page.getByText('3 repositories have lodash, 3 directly.').waitFor()
    assert.match(page.url(), /\/dependencies\?name=lodash$/)
  })

  test('completes a name, and says where it is and what was looked at where it is not', async () => {
    const { page } = owner
    await page.goto(`${base}/dependencies`)
    await settled(page)
    const name = page.getByLabel('Package', { exact: true })
    await name.pressSequentially('lod')
    await page.locator('datalist option[value=lodash]').waitFor({ state: 'attached' })
    await name.fill('lodash')
    await page.getByLabel('Below version').fill('4.17.21')
    await page.keyboard.press('Enter')
    await page.getByText('2 repositories have lodash below 4.17.21, 2 directly.').waitFor()
    assert.equal((await rows()).length, 2)
    await page.goto(`${base}/dependencies?name=nowhere`)
    await page.getByText(/3 repositories with 6 dependencies were looked at/).waitFor()
  })

  test('a version that cannot be read is said to be so beside its field, and nobody is told that nothing is affected', async () => {
    const { page } = owner
    await page.goto(`${base}/dependencies?ecosystem=npm&name=lodash&below=4.17.x`)
    await settled(page)
    // Waits for it, as the page is asked before its answer has come.
    assert.match((await page.locator('form.question .wrong').textContent())!, /'<4\.17\.x' is not a version/)
    assert.equal(await page.getByLabel('Below version').getAttribute('aria-invalid'), 'true')
    assert.equal(await page.getByText(/No repository has/).count(), 0)
  })

  test('what was found is streamed to disk by the browser itself', async () => {
    const { page } = owner
    await page.goto(`${base}/dependencies?ecosystem=npm&name=lodash&below=4.17.21`)
    await settled(page)
    await page.getByRole('button', { name: 'Export the filtered list' }).click()
    assert.deepEqual(await violations(page), [])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^dependencies.*\.csv$/)
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
    assert.equal(lines.length, 3)
    for (const line of lines.slice(1)) assert.match(line, /,npm,lodash,4\.(9\.0|17\.2),pkg:npm\/lodash@4\./)
  })

  test('versions of one package stand in their order, and those that were asked for are shaded', async () => {
    const { page } = owner
    await page.goto(`${base}/dependencies?ecosystem=npm&name=lodash&below=4.17.21`)
    await settled(page)
    await page.getByRole('link', { name: 'By version' }).click()
    await page.waitForURL(/view=versions/)
    await page.locator('rect.fill-asked').first().waitFor()
    const marks = page.getByRole('group', { name: 'Versions of lodash in use' }).getByRole('link')
    assert.deepEqual(await marks.evaluateAll((all) => all.map((mark) => mark.getAttribute('aria-label'))), [
      '4.9.0: 1 repository, named by an advisory, asked for',
      '4.17.2: 1 repository, named by an advisory, asked for',
      '4.17.21: 1 repository',
    ])
    assert.deepEqual(await violations(page), [])
  })

  test('a package has its versions in their order, and its vulnerabilities', async () => {
    const { page } = owner
    await page.goto(`${base}/packages/npm/lodash`)
    await settled(page)
    const list = page.getByRole('region', { name: 'Versions in use' })
    const versions = await list.locator('tbody tr td:first-child').allTextContents()
    assert.deepEqual(versions, ['4.17.21', '4.17.2', '4.9.0'])
    await page.getByRole('link', { name: 'CVE-2026-0001' }).click()
    await page.waitForURL(/\/vulnerabilities\/CVE-2026-0001$/)
    await page.goto(`${base}/packages/npm/@a/b`)
    await page.getByRole('link', { name: 'GHSA-2' }).waitFor()
    await page.goto(`${base}/packages/npm/unheard-of`)
    await page.getByText('No repository that you see has it.').waitFor()
  })

  test('what people decided about a package is said only once it is known, and holds at once for its versions', async () => {
    const { page } = owner
    const lists = /\/(overrides|exposures)\?/
    await page.route(lists, (route) => route.fulfill({ status: 500, body: '' }))
    await page.goto(`${base}/packages/npm/@a/b`)
    const decided = page.locator('.card', { hasText: 'Allowed or denied by people' })
    const given = page.locator('.card', { hasText: 'Given to clients' })
    await decided.getByRole('alert').waitFor()
    await given.getByRole('alert').waitFor()
    assert.equal(await page.getByText(/Nobody decided|To nobody/).count(), 0)
    await page.unroute(lists)
    await decided.getByRole('button', { name: 'Try again' }).click()
    await decided.getByText('Nobody decided about it.').waitFor()
    await given.getByRole('button', { name: 'Try again' }).click()
    await given.getByText('To nobody.').waitFor()

    const firewall = page.getByRole('region', { name: 'Versions in use' }).locator('tbody td').last()
    assert.notEqual(await firewall.textContent(), 'block')
    await page.getByRole('button', { name: 'Deny…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Package').fill('@a/*')
    await dialog.getByLabel('Why').fill('not ours')
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click()
    await decided.getByText('@a/*').waitFor()
    await firewall.getByText('block').waitFor()
    await page.keyboard.press('z')
    await decided.getByText('Nobody decided about it.').waitFor()

    // Until it is known what was decided about another package, nothing of this one stands there.
    const body = { ecosystem: 'npm', name: '@a/b', version: '', effect: 'deny', reason: 'not ours' }
    const path = '/api/firewall/v1/deployments/1/overrides'
    const { override } = (await gatehouse.call('POST', path, { body })).body
    await page.reload()
    await decided.getByText('not ours').waitFor()
    const held = Promise.withResolvers<void>()
    await page.route(lists, (route) => held.promise.then(() => route.continue()))
    await page.evaluate(`history.pushState({ key: 'next' }, '', '../lodash')
      dispatchEvent(new PopStateEvent('popstate'))`)
    await page.getByRole('heading', { name: 'lodash', exact: true }).waitFor()
    assert.equal(await decided.getByText('not ours').count(), 0)
    held.resolve()
    await decided.getByText('Nobody decided about it.').waitFor()
    await page.unroute(lists)
    assert.equal((await gatehouse.call('DELETE', `${path}/${override.id}`)).status, 200)
  })

  test('a package is watched by the keyboard, its news lead from the overview to it, and are seen', async () => {
    const { page } = owner
    await page.goto(`${base}/dependencies/watched`)
    await page.getByText('You watch no package yet').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.goto(`${base}/packages/npm/minimist`)
    await settled(page)
    await page.getByRole('button', { name: 'Watch', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Stop watching' }).waitFor()
    await upload(gatehouse, { repository: 'shop/new' }, { 'package-lock.json': packageLock({ minimist: '1.2.8' }) })
    await page.goto(base)
    await page.getByRole('link', { name: '1 watched package has news' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/dependencies\/watched\?news=yes$/)
    const list = page.getByRole('region', { name: 'Watched packages' })
    await list.getByText('1 version came into use: 1.2.8').waitFor()
    assert.equal(await list.locator('tbody > tr').count(), 1)
    assert.deepEqual(await violations(page), [])
    await list.getByRole('link', { name: 'minimist' }).click()
    await page.getByText('1 repository began to use it: shop/new').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Mark as seen: minimist' }).click()
    await page.getByRole('heading', { name: 'News' }).waitFor({ state: 'detached' })
    await page.goto(`${base}/dependencies/watched?news=yes`)
    await page.getByText('Nothing changed about the packages that you watch.').waitFor()
    await page.getByRole('button', { name: 'All' }).click()
    await page.getByRole('button', { name: 'Stop watching minimist' }).click()
    await page.getByText('You watch no package yet').waitFor()
    await page.keyboard.press('z')
    await page.getByRole('button', { name: 'Stop watching minimist' }).click()
  })

  test('vulnerabilities are filtered and sorted by the server, and the address says how', async () => {
    const { page } = owner
    await page.goto(`${base}/vulnerabilities?sev=critical`)
    await settled(page)
    assert.match((await rows()).join('|'), /^CriticalCVE-2026-0001 Prototype pollution/)
    await page.goto(`${base}/vulnerabilities?package=@a/b`)
    await settled(page)
    assert.match((await rows()).join('|'), /^MediumGHSA-2 /)
    await page.goto(`${base}/vulnerabilities`)
    await settled(page)
    await page.getByRole('button', { name: 'Severity', exact: true }).last().click()
    await page.waitForURL(/\?sort=severity-asc$/)
    await settled(page)
    assert.match((await rows())[0]!, /GHSA-2/)
    await page.getByLabel('Search ids and titles').fill('ghsa-1')
    await page.waitForURL(/text=ghsa-1/)
    await page.getByText('GHSA-2').waitFor({ state: 'detached' })
    assert.equal((await rows()).length, 1)
  })

  test('whether a vulnerability is exploited, and how probably, is said on its page and in the panel of its findings', async () => {
    const { page } = owner
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-lists-'))
    const list = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return { kind: 'local', path: join(folder, name) } as const
    }
    const { exploitedFeeds, epssFeeds } = gatehouse.vulnerabilities
    const exploited = { vulnerabilities: [{ cveID: 'CVE-2026-0001', dateAdded: '2026-02-03' }] }
    await exploitedFeeds.sync(list('exploited.json', JSON.stringify(exploited)))
    await epssFeeds.sync(list('epss.csv', 'cve,epss,percentile\nCVE-2026-0001,0.94358,0.99957\n'))
    rmSync(folder, { recursive: true })
    await page.goto(`${base}/vulnerabilities/CVE-2026-0001`)
    await settled(page)
    const known = page.getByText('It is known to be exploited: on the list since 2026-02-03.')
    const probable = page.getByText('EPSS 94.4 % The probability that it is exploited within 30 days.')
    await known.waitFor()
    await probable.waitFor()
    await page.goto(`${base}/findings?vuln=CVE-2026-0001`)
    await settled(page)
    await page.getByRole('row').nth(1).click()
    await page.waitForURL(/findings\/\d+/)
    await known.waitFor()
    await probable.waitFor()
    assert.deepEqual(await violations(page), [])
    await page.goto(`${base}/settings/system`)
    await settled(page)
    for (const name of ['Lists of known exploited vulnerabilities', 'Lists of EPSS scores'])
      assert.match(await page.getByRole('region', { name }).innerText(), /active\s+1\s/)
  })

  test('a vulnerability leads to as many findings as the list counts', async () => {
    const { page } = owner
    await page.goto(`${base}/vulnerabilities`)
    await settled(page)
    const counted = page
      .getByRole('row', { name: /CVE-2026-0001/ })
      .getByRole('gridcell')
      .last()
    assert.equal(await counted.textContent(), '2')
    // Where it is fixed, it is not counted any more.
    await upload(gatehouse, { repository: 'shop/old' }, { 'package-lock.json': packageLock({ lodash: '4.17.21' }) })
    await page.reload()
    await settled(page)
    assert.equal(await counted.textContent(), '1')
    await page.getByRole('row', { name: /CVE-2026-0001/ }).click()
    await page.getByRole('link', { name: 'Its findings' }).click()
    await page.waitForURL(/findings\?/)
    await settled(page)
    assert.equal(await page.locator('h1 .total').textContent(), '1')
    // Where it is ignored, neither page says that it hits.
    const findings = `/api/findings/${gatehouse.owner.deploymentId}/findings`
    const search = { filter: { vulnerabilityIds: ['CVE-2026-0001'], triageStates: ['TRIAGE_STATE_OPEN'] } }
    const [left] = (await gatehouse.call('POST', `${findings}/search`, { body: search })).body.findings
    const decide = (triageState: string) =>
      gatehouse.call('POST', `${findings}/${left.id}`, {
        body: { triageState, triageReason: 'TRIAGE_REASON_UNSPECIFIED' },
      })
    await decide('TRIAGE_STATE_IGNORED')
    await page.goto(`${base}/vulnerabilities/CVE-2026-0001`)
    await page.getByRole('heading', { name: '0 repositories hit' }).waitFor()
    await page.getByRole('heading', { name: 'Ignored in 1 repository' }).waitFor()
    assert.deepEqual(await violations(page), [])
    await page.goto(`${base}/vulnerabilities`)
    await settled(page)
    assert.equal(await page.getByRole('row', { name: /CVE-2026-0001/ }).count(), 0)
    await decide('TRIAGE_STATE_OPEN')
  })

  test('on a telephone vulnerabilities have titles', async () => {
    const { page } = owner
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(`${base}/vulnerabilities`)
    await settled(page)
    assert.match((await rows())[0]!, /CVE-2026-0001.*Prototype pollution/)
    const title = await page.getByRole('row').nth(1).getByText('Prototype pollution').boundingBox()
    assert.ok(title && title.width > 60 && title.x + title.width <= 360, JSON.stringify(title))
    await page.setViewportSize({ width: 1_280, height: 800 })
  })
})
