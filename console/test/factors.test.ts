import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { codeOf, stepAt } from '../../src/capabilities/factors/totp/totp.ts'
import { openGatehouse, type Tester, type TestGatehouse } from '../../test/gatehouse.ts'
import { poll } from '../../test/servers/real-process.ts'
import { buildConsole } from '../build.ts'
import { violations } from './axe.ts'
import { noBrowser, openBrowser, signIn, type Visit, visit } from './browser.ts'
import { startFront } from './front.ts'
import { baseOf, buttonOf } from './signed-in.ts'

describe('second factors in a browser', { skip: noBrowser ?? false }, () => {
  let ahead = 0
  const now = () => new Date(Date.now() + ahead)
  let front: Awaited<ReturnType<typeof startFront>>
  let gatehouse: TestGatehouse
  let browser: Browser
  let url: string
  let person: Tester
  let seen: Visit
  let page: Page

  before(async () => {
    // Passkeys belong to an address, which has to be known before the server is there.
    front = await startFront('localhost')
    ;({ url } = front)
    gatehouse = await openGatehouse({ console: buildConsole(), clock: { now }, env: { GATEHOUSE_URL: url } })
    front.lead(gatehouse.url)
    person = await gatehouse.addPerson('admin')
    browser = await openBrowser()
    seen = await visit(browser)
    page = seen.page
    const devTools = await seen.context.newCDPSession(page)
    await devTools.send('WebAuthn.enable')
    await devTools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await signIn(seen, url, person.email, person.password)
  })
  after(async () => {
    await browser?.close()
    await gatehouse?.close()
    await front?.close()
  })

  const button = (name: string) => buttonOf(page, name)
  const dialog = (name: string) => page.getByRole('dialog', { name })
  const profile = async () => {
    await page.goto(`${url}/me`)
    await page.getByRole('heading', { name: 'Second factor' }).waitFor()
    await page.getByRole('heading', { name: 'Passkeys' }).waitFor()
  }
  const signOut = async () => {
    await profile()
    await button('Sign out').click()
    await page.getByLabel('E-mail').waitFor()
  }
  const typePassword = async () => {
    await page.getByLabel('E-mail').fill(person.email)
    await page.getByLabel('Password').fill(person.password)
    await page.keyboard.press('Enter')
  }
  /** What the app shows a step later, so that it was not used yet. */
  const nextCode = () => {
    ahead += 30_000
    return codeOf(secret, stepAt(now()))
  }
  const takeCodes = async () => {
    const shown = dialog('Your recovery codes')
    const text = await shown.getByRole('region', { name: 'the recovery codes' }).innerText()
    await shown.getByLabel('I have it').check()
    await shown.getByRole('button', { name: 'Close', exact: true }).click()
    await shown.waitFor({ state: 'detached' })
    return text.trim().split(/\s+/)
  }
  const setUpApp = async () => {
    await button('Set up an app').click()
    const shown = dialog('Set up an authenticator app')
    await shown.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    secret = bytesOf((await shown.getByRole('region', { name: 'the secret' }).innerText()).trim())
    assert.deepEqual(await violations(page), [])
    await shown.getByLabel('Code that the app shows').fill(codeOf(secret, stepAt(now())))
    await shown.getByRole('button', { name: 'Set it up' }).click()
  }
  let secret: Buffer
  let codes: string[]

  test('an authenticator app is set up with a QR code and asked for at the next sign-in', async () => {
    await profile()
    await setUpApp()
    codes = await takeCodes()
    assert.equal(codes.length, 10)
    await page.getByText('10 codes left.').waitFor()
    assert.deepEqual(await violations(page), [])
    await signOut()
    await typePassword()
    await page.getByLabel('Code', { exact: true }).waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByLabel('Code', { exact: true }).fill('000000')
    await page.keyboard.press('Enter')
    await page.getByText('The code is not right, or was used before.').waitFor()
    await page.getByLabel('Code', { exact: true }).fill(nextCode())
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/d\//)
  })

  test('a forgotten password is asked about without learning whether the address is known', async () => {
    await signOut()
    await button('Forgot your password?').click()
    await page.getByLabel('Your e-mail').fill('nobody@example.com')
    assert.deepEqual(await violations(page), [])
    await button('Mail me a link').click()
    await page.getByText(/Gatehouse has no mail server: ask an owner/).waitFor()
    await button('Cancel').click()
  })

  test('a recovery code signs in once', async () => {
    await typePassword()
    await page.getByLabel('Code', { exact: true }).fill(codes[0]!)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/d\//)
    await profile()
    await page.getByText('9 codes left.').waitFor()
  })

  test('a passkey is made, signs in alone, and stands for the password where that is asked for again', async () => {
    await profile()
    await button('Add a passkey').click()
    await page.getByLabel('Name', { exact: true }).fill('Work laptop')
    await button('Go on').click()
    await page.getByRole('row', { name: /Work laptop/ }).waitFor()
    assert.deepEqual(await violations(page), [])
    await signOut()
    await button('Use a passkey').click()
    await page.waitForURL(/\/d\//)
    await profile()
    ahead += 300_000
    await button('Make new codes').click()
    await dialog('Make new recovery codes').getByRole('button', { name: 'Make new codes' }).click()
    const asked = dialog('Confirm that it is you')
    await asked.waitFor()
    assert.deepEqual(await violations(page), [])
    await asked.getByRole('button', { name: 'Use a passkey' }).click()
    assert.equal((await takeCodes()).length, 10)
    await page.getByRole('button', { name: 'Remove Work laptop' }).click()
    await button('Remove the passkey').click()
    await page.getByRole('row', { name: /Work laptop/ }).waitFor({ state: 'detached' })
  })

  test('an owner requires it, and whoever lacks it is led to it and goes on', async () => {
    const owner = await visit(browser)
    await signIn(owner, url, gatehouse.owner.email, gatehouse.owner.password)
    const base = baseOf(owner.page)
    await owner.page.goto(`${base}/settings/people`)
    const row = owner.page.getByRole('row').filter({ hasText: person.email })
    await row.getByText('yes', { exact: true }).waitFor()
    await owner.page.goto(`${base}/settings/system`)
    await owner.page.getByLabel('Second factor').selectOption('admins')
    await owner.page.getByText('Saved.').waitFor()
    // The setting is felt within a second.
    const led = owner.page.getByRole('heading', { name: 'Set up a second factor' })
    await poll('the owner is led to it', async () => {
      await owner.page.reload()
      await owner.page.getByRole('heading', { level: 1 }).waitFor()
      return (await led.count()) > 0
    })
    assert.deepEqual(await violations(owner.page), [])
    const mine = page
    page = owner.page
    await setUpApp()
    await takeCodes()
    await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
    page = mine
    assert.deepEqual([seen.complaints, owner.complaints], [[], []])
    await owner.context.close()
  })
})

/** RFC 4648 §6. */
function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g)!
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
