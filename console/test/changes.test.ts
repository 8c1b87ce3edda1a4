import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { poll } from '../../test/servers/real-process.ts'
import { buildConsole } from '../build.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe('how a change ended is told, and so is its undo', { skip: noBrowser ?? false }, () => {
  let gatehouse: TestGatehouse
  let signedIn: SignedIn
  let page: Page
  let open: SignedIn['open']
  let button: SignedIn['button']
  const overrides = '/api/firewall/v1/deployments/1/overrides'

  before(async () => {
    signedIn = await openSignedIn(openGatehouse({ console: buildConsole() }))
    ;({ gatehouse, page, open, button } = signedIn)
  })
  after(() => signedIn?.close())

  async function deny(...names: string[]): Promise<void> {
    for (const name of names) {
      const body = { ecosystem: 'npm', name, version: '', effect: 'deny', reason: 'It phones home.', expiresAt: null }
      assert.equal((await gatehouse.call('POST', overrides, { body })).status, 200)
    }
  }
  const said = (words: string | RegExp) => page.locator('.toast', { hasText: words }).waitFor()
  /** Requests that wait until they are let go. */
  async function holdRemovals() {
    let letGo = () => {}
    const gone = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route(`**${overrides}/*`, async (route) => {
      await gone
      await route.continue()
    })
    return letGo
  }

  test('an undo that fails says so on the page where one is by then', async () => {
    await deny('left-pad')
    await open('firewall/overrides')
    await button('Take back').click()
    await said('The override for left-pad is gone.')
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.waitForURL(/\/repositories$/)
    await page.context().setOffline(true)
    try {
      await page.keyboard.press('z')
      const failure = page.getByRole('alert').filter({ hasText: 'Not undone: The server did not answer' })
      await failure.waitFor()
      // Other messages go by themselves; whoever looked away for longer has to find this one.
      await page.waitForTimeout(6_000)
      await failure.getByRole('button', { name: 'Close message' }).click()
      await failure.waitFor({ state: 'detached' })
    } finally {
      await page.context().setOffline(false)
    }
  })

  test('a change that is answered after its page was left is told, with its undo', async () => {
    await deny('late')
    const letGo = await holdRemovals()
    await open('firewall/overrides')
    await button('Take back').click()
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.waitForURL(/\/repositories$/)
    letGo()
    await said('The override for late is gone.')
    await page.unroute(`**${overrides}/*`)
    await page.keyboard.press('z')
    await poll('it is denied again', async () => {
      const { body } = await gatehouse.call('GET', `${overrides}?ecosystem=npm&name=late`)
      return body.overrides.length === 1
    })
  })

  test('of two changes that are under way at once, each is told', async () => {
    await deny('first', 'second')
    const letGo = await holdRemovals()
    await open('firewall/overrides')
    for (const name of ['first', 'second']) {
      await page.getByRole('row', { name }).getByRole('button', { name: 'Take back' }).click()
    }
    letGo()
    await said('The override for first is gone.')
    await said('The override for second is gone.')
    await page.unroute(`**${overrides}/*`)
  })

  test('an undo leaves alone what somebody else saved meanwhile', async () => {
    const { policies } = (await gatehouse.call('GET', '/api/policies/v1/deployments/1/policies')).body
    const { id } = policies[0]
    const rules = `/api/policies/v1/deployments/1/policies/${id}/rules`
    await open(`policies/${id}`)
    await page.getByRole('textbox', { name: 'Rule to add' }).fill('mine.*')
    await button('Add').click()
    await button('Save the rules').click()
    await said('The rules are saved.')
    const theirs = [{ rule: 'theirs.*', mode: 'block' }]
    assert.equal((await gatehouse.call('PUT', rules, { body: { rules: theirs } })).status, 200)
    await page.getByRole('heading', { name: 'Which pattern decides?' }).click()
    await page.keyboard.press('z')
    await said(/^Not undone: /)
    assert.deepEqual((await gatehouse.call('GET', rules)).body.rules, theirs)
  })
})
