import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sarifLog } from '../../src/capabilities/findings/test-log.ts'
import { packageLock, upload } from '../../src/capabilities/scans/test-upload.ts'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { noBrowser, signIn, travel, visit } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe('pages that have nothing to show say why', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let gatehouse: TestGatehouse

  before(async () => {
    signedIn = await openSignedIn(openGatehouse({ console: buildConsole() }))
    gatehouse = signedIn.gatehouse
  })
  after(() => signedIn?.close())

  /** Why it is empty is asked for beside what the page shows, which does not wait for it. */
  async function shows(path: string, reason: RegExp): Promise<string> {
    await signedIn.open(path)
    return says(reason)
  }

  async function says(reason: RegExp): Promise<string> {
    const main = signedIn.page.locator('main', { hasText: reason })
    await main.waitFor()
    return main.innerText()
  }

  test('passkeys are not offered at an IP address, where browsers have none', async () => {
    const stranger = await visit(signedIn.browser)
    await stranger.page.goto(`${gatehouse.url}/sign-in`)
    await stranger.page.getByRole('button', { name: 'Forgot your password?' }).waitFor()
    assert.equal(await stranger.page.getByRole('button', { name: 'Use a passkey' }).count(), 0)
    await stranger.context.close()
  })

  test('an owner of a deployment without repositories is told how to begin', async () => {
    await shows('', /Three ways to begin/)
    for (const path of ['findings', 'repositories', 'dependencies', 'licences', 'scans', 'pull-requests']) {
      await travel(signedIn.page, `${signedIn.base}/${path}`)
      await says(/gatehouse scan \./)
    }
  })

  test('a member who sees every repository is told the same where there is none, not that somebody has to add them', async () => {
    const member = await gatehouse.addPerson('member')
    const theirs = await visit(signedIn.browser)
    await signIn(theirs, gatehouse.url, member.email, member.password)
    for (const [path, said] of [
      ['', /Three ways to begin/],
      ['findings', /gatehouse scan \./],
      ['repositories', /gatehouse scan \./],
    ] as const) {
      await theirs.page.goto(`${signedIn.base}/${path}`)
      await theirs.page.locator('main', { hasText: said }).waitFor()
      assert.doesNotMatch(await theirs.page.locator('main').innerText(), /Not visible to you/, path)
    }
    await theirs.context.close()
  })

  test('the sign-in names no data folder that may be another, and the record of refusals says what it has not', async () => {
    const stranger = await visit(signedIn.browser)
    await stranger.page.goto(`${gatehouse.url}/sign-in`)
    const said = await stranger.page.getByText(/After the first start/).innerText()
    assert.match(said, /first-sign-in\.txt in the data folder: GATEHOUSE_DATA/)
    await stranger.context.close()
    await shows('firewall/blocked', /npm, Yarn, pnpm, bun and Cargo choose from a list of versions/)
  })

  test('without advisories, nobody is told that nothing is vulnerable', async () => {
    const sent = await upload(
      gatehouse,
      { repository: 'shop/web' },
      { 'package-lock.json': packageLock({ lodash: '4.17.20' }) },
    )
    assert.equal(sent.status, 200)
    const { id, repositoryId } = sent.body.scan
    for (const path of ['', 'vulnerabilities', 'packages/npm/lodash', `repositories/${repositoryId}`, `scans/${id}`]) {
      const text = await shows(path, /No advisories about vulnerabilities are loaded/)
      assert.doesNotMatch(text, /No vulnerability is open|None that advisories know of/, path)
    }
    await signedIn.usable('a package without advisories')
  })

  test('a finding that is nowhere else says so, counting what stands besides it', async () => {
    const results = ['a', 'b'].map((path) => ({ rule: 'twice', path: `src/${path}.js`, code: `run(${path})` }))
    const log = sarifLog({ results: [...results, { rule: 'once', path: 'src/c.js', code: 'go()' }] })
    await upload(gatehouse, { repository: 'shop/api' }, { 'log.sarif': log })
    const path = `/api/findings/${gatehouse.owner.deploymentId}/findings/search`
    const { findings } = (await gatehouse.call('POST', path, { body: {} })).body
    const elsewhere = async (ruleId: string) => {
      const found = findings.find((finding: { ruleId: string }) => finding.ruleId === ruleId)
      const page = await signedIn.open(`findings/${found.id}`)
      return page.locator('dt', { hasText: 'Elsewhere' }).locator('xpath=following-sibling::dd[1]').innerText()
    }
    assert.equal(await elsewhere('once'), 'nowhere')
    assert.equal(await elsewhere('twice'), '1 more open finding of this rule')
  })

  test('an ignored finding whose code is gone says which scan no longer found it', async () => {
    const send = (codes: string[]) => {
      const results = codes.map((code) => ({ rule: 'gone', path: 'src/d.js', code }))
      return upload(gatehouse, { repository: 'shop/gone' }, { 'log.sarif': sarifLog({ results }) })
    }
    await send(['leave()'])
    const path = `/api/findings/${gatehouse.owner.deploymentId}/findings`
    const { findings } = (await gatehouse.call('POST', `${path}/search`, { body: { filter: { ruleIds: ['gone'] } } }))
      .body
    const [{ id }] = findings
    await gatehouse.call('POST', `${path}/${id}`, { body: { triageState: 'TRIAGE_STATE_IGNORED' } })
    const scanId = (await send([])).body.scan.id
    const page = await signedIn.open(`findings/${id}`)
    const fact = page.locator('dt', { hasText: 'No longer found' }).locator('xpath=following-sibling::dd[1]')
    assert.match(await fact.innerText(), new RegExp(`^the latest scan, #${scanId}, does not have it, `))
  })

  test('packages of distributions can be asked for', async () => {
    const page = await signedIn.open('dependencies?ecosystem=deb')
    assert.equal(await page.getByLabel('Ecosystem').inputValue(), 'deb')
  })

  test('whoever invites is told what the person will see', async () => {
    const { page, open, button } = signedIn
    const hint = async (role: string) => {
      await page.getByRole('dialog').getByLabel('Role').selectOption(role)
      return page.getByRole('dialog').innerText()
    }
    await open('settings/people')
    await button('Invite').click()
    await page.getByText('They join the teams for new people and see all repositories').waitFor()
    assert.match(await hint('admin'), /They see every repository\./)
    const path = `/api/deployments/v1/deployments/${gatehouse.owner.deploymentId}`
    await gatehouse.call('PATCH', path, { as: gatehouse.owner.jwt, body: { newPeopleSee: 'teams' } })
    await open('settings/people')
    await button('Invite').click()
    await page.getByText('They see nothing until somebody puts them into a team.').waitFor()
  })

  test('whoever sees no repository is told so on every page, and who can help', async () => {
    const member = await gatehouse.addPerson('member')
    const theirs = await visit(signedIn.browser)
    await signIn(theirs, gatehouse.url, member.email, member.password)
    const lists = ['', 'findings', 'repositories', 'dependencies', 'vulnerabilities', 'licences', 'scans']
    const reports = ['guardrails', 'funnel', 'activity', 'backlog', 'trends'].map((name) => `reports/${name}`)
    for (const path of [...lists, ...reports]) {
      await travel(theirs.page, `${signedIn.base}/${path}`)
      await theirs.page.getByRole('heading', { name: 'Not visible to you' }).waitFor()
      const text = await theirs.page.locator('main').innerText()
      assert.match(text, /An owner or admin can add you to a team/, path)
      assert.doesNotMatch(text, /gatehouse scan|Nothing is here yet|No vulnerability is open/, path)
    }
    assert.deepEqual(theirs.complaints, [])
    await theirs.context.close()
  })

  test('whoever follows a link to what they do not see is told that it may be so; a team counts what it has all the same', async () => {
    await gatehouse.call('PATCH', `/api/deployments/v1/deployments/${gatehouse.owner.deploymentId}`, {
      as: gatehouse.owner.jwt,
      body: { newPeopleSee: 'teams' },
    })
    const member = await gatehouse.addPerson('member')
    const log = sarifLog({ results: [{ rule: 'r', path: 'a.js', code: 'eval(x)' }] })
    await upload(gatehouse, { repository: 'hidden/one' }, { 'log.sarif': log })
    const { findings } = (
      await gatehouse.call('POST', '/api/findings/1/findings/search', {
        body: { filter: { repositories: ['hidden/one'] } },
      })
    ).body
    const theirs = await visit(signedIn.browser)
    const { page } = theirs
    await signIn(theirs, gatehouse.url, member.email, member.password)
    for (const path of [`repositories/${findings[0].repositoryId}`, `findings/${findings[0].id}`]) {
      await page.goto(`${signedIn.base}/${path}`)
      await page.getByText('It may be in a repository that you do not see').waitFor()
    }
    await page.goto(`${signedIn.base}/settings/teams/1`)
    await page.getByText(/repositor(?:y|ies) that you do not see\.$/).waitFor()
    assert.equal(await page.getByText('The team has no repository of its own yet.').count(), 0)
    await theirs.context.close()
  })
  test('where all is settled, a list leads to what is, and offers no button that does nothing', async () => {
    const log = sarifLog({ results: [{ rule: 'r', path: 'b.js', code: 'eval(y)' }] })
    await upload(gatehouse, { repository: 'settled/one' }, { 'log.sarif': log })
    const made = { issues: [{ externalKey: 'x', title: 'A prompt reaches a shell', severity: 'SEVERITY_HIGH' }] }
    assert.equal((await gatehouse.call('POST', '/api/issues/1/issues', { body: made })).status, 200)
    for (const kind of ['findings', 'issues']) {
      const decided = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_FALSE_POSITIVE' }
      const answer = await gatehouse.call('POST', `/api/${kind}/1/${kind}/triage`, { body: { filter: {}, ...decided } })
      assert.equal(answer.status, 200)
      const page = await signedIn.open(kind)
      await page.getByText('Nothing matches these filters').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Clear filters' }).count(), 0)
      await page.getByRole('button', { name: /^Without state/ }).click()
      await page.getByRole('grid').waitFor()
      assert.match(page.url(), /state=any/)
    }
  })
})
