import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { log, pullRequestsOf } from '../../src/capabilities/findings/test-pull-request.ts'
import { openGatehouse } from '../../test/gatehouse.ts'
import { buildConsole } from '../build.ts'
import { noBrowser } from './browser.ts'
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
})
