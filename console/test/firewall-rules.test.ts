import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TestGatehouse } from '../../test/gatehouse.ts'
import { poll } from '../../test/servers/real-process.ts'
import { violations } from './axe.ts'
import { noBrowser, settled, type Visit } from './browser.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'
import { openWorld } from './world.ts'

type Box = { left: number; right: number; top: number; words: string }

describe('the rules of the firewall', { skip: noBrowser ?? false }, () => {
  let signedIn: SignedIn
  let gatehouse: TestGatehouse
  let owner: Visit
  let base: string
  const path = '/api/firewall/v1/deployments/1/rules'
  before(async () => {
    signedIn = await openSignedIn(openWorld())
    ;({ gatehouse, owner, base } = signedIn)
  })
  after(() => signedIn?.close())

  const sentences = async () =>
    (await gatehouse.call('GET', path)).body.rules.map((each: { sentence: string }) => each.sentence)

  test('rules are begun with, added, put in order, tried and saved', async () => {
    const { page } = owner
    await page.goto(`${base}/firewall/rules`)
    await settled(page)
    await page.getByText('No rule below lets it in').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('button', { name: 'Begin with the recommended ones' }).click()
    await page.getByText(/^Hold back every npm package until it is 7 days old/).waitFor()
    await page.getByRole('button', { name: 'Add a rule…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What it does').selectOption('refuse')
    await dialog.getByLabel('When').selectOption('licence')
    await dialog.getByLabel('Licences').fill('GPL-3.0-only')
    await dialog.getByLabel(/^Only watch/).check()
    assert.deepEqual(await violations(page), [])
    await dialog.getByRole('button', { name: 'Add the rule' }).click()
    const added =
      'Refuse every npm package if its licence is GPL-3.0-only, but not versions that you have already. It only watches: nothing is refused.'
    await page.getByText(added).waitFor()
    await page.getByRole('button', { name: `Move up: ${added}` }).click()
    await page.getByRole('button', { name: 'Try them on the last 30 days' }).click()
    await page.getByText('in the last 30 days.').waitFor()
    assert.deepEqual(await sentences(), [], 'nothing was saved yet')
    await page.getByRole('button', { name: 'Save the rules' }).click()
    await page.getByText('The rules are saved, in force within a second.').waitFor()
    assert.equal((await sentences()).at(-2), added)
    assert.deepEqual(await violations(page), [])
  })

  test('it is plain to see which box belongs to which words', async () => {
    const { page } = owner
    await page.goto(`${base}/firewall/rules`)
    await settled(page)
    await page.getByRole('button', { name: 'Add a rule…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('When').selectOption('release_signal')
    for (const width of [1_280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      const boxes = await page.evaluate<
        Box[]
      >(`[...document.querySelectorAll('dialog fieldset .check')].map((check) => {
        const { left, right, top } = check.getBoundingClientRect()
        return { left, right, top, words: check.innerText }
      })`)
      assert.ok(boxes.length > 10)
      for (const [index, { left, top, words }] of boxes.entries()) {
        const before = boxes[index - 1]
        if (before?.top === top) assert.ok(left - before.right >= 8, `${before.words} | ${words}`)
      }
    }
    await page.setViewportSize({ width: 1_280, height: 800 })
    await page.keyboard.press('Escape')
  })

  test('who saves too late sees both lists', async () => {
    const { page } = owner
    await page.goto(`${base}/firewall/rules`)
    await settled(page)
    await page.getByLabel('What the firewall does').selectOption('monitor')
    assert.equal((await gatehouse.call('PUT', path, { body: { mode: 'enforce', rules: [] } })).status, 200)
    await page.getByRole('button', { name: 'Save the rules' }).click()
    const stale = page.getByRole('alert')
    await stale.getByText('Nothing was saved').waitFor()
    assert.match((await stale.textContent())!, /Only watch/)
    assert.deepEqual(await violations(page), [])
    await stale.getByRole('button', { name: 'Take what is there' }).click()
    await page.getByText('There are no rules of your own yet.').waitFor()
    assert.equal((await gatehouse.call('GET', path)).body.mode, 'enforce')
  })

  test('rules that are not saved are not lost by Back, a reload or a link', async () => {
    const { page } = owner
    await page.goto(`${base}/firewall/overrides`)
    await settled(page)
    await page.getByRole('link', { name: 'Rules', exact: true }).click()
    const mode = page.getByLabel('What the firewall does')
    await mode.selectOption('monitor')
    await page.evaluate(`window.asked = []; window.answer = false
      window.confirm = (text) => { asked.push(text); return answer }`)
    const asked = () => page.evaluate<string[]>('window.asked')
    await page.evaluate('history.back()')
    await poll('it asks', async () => (await asked()).length === 1)
    await page.waitForURL(/\/firewall\/rules$/)
    await page.getByRole('link', { name: 'Overrides', exact: true }).click()
    assert.deepEqual(await asked(), Array(2).fill('The changed rules are not saved. Leave all the same?'))
    assert.equal(await mode.inputValue(), 'monitor')
    await page.evaluate('window.answer = true; history.back()')
    await page.waitForURL(/\/firewall\/overrides$/)
    await page.getByRole('button', { name: 'Deny a package…' }).waitFor()

    await page.goForward()
    await mode.selectOption('monitor')
    const [question] = await Promise.all([page.waitForEvent('dialog'), page.reload()])
    assert.equal(question.type(), 'beforeunload')
    await settled(page)
    assert.equal(await mode.inputValue(), 'enforce')
  })

  test('an override is tried before it is made', async () => {
    const { page } = owner
    await page.goto(`${base}/firewall/overrides`)
    await settled(page)
    await page.getByRole('button', { name: 'Deny a package…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Package').fill('left-*')
    await dialog.getByLabel('Why').fill('not ours')
    await dialog.getByRole('button', { name: 'Try it on the last 30 days' }).click()
    await dialog.getByText(/in the last 30 days/).waitFor()
    assert.deepEqual(await violations(page), [])
    const { overrides } = (await gatehouse.call('GET', '/api/firewall/v1/deployments/1/overrides')).body
    assert.ok(!overrides.some(({ name }: { name: string }) => name === 'left-*'), 'nothing was saved')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })
})
