import assert from 'node:assert/strict'
import type { Browser } from 'playwright-core'
import type { TestGatehouse } from '../../test/gatehouse.ts'
import { openBrowser, signIn, type Visit, visit } from './browser.ts'

export type SignedIn = {
  gatehouse: TestGatehouse
  browser: Browser
  owner: Visit
  /** Of the deployment: `http://127.0.0.1:…/d/slug`. */
  base: string
  /** Nothing may have complained until then. */
  close(): Promise<void>
}

/** A browser in which the owner of a Gatehouse is signed in. */
export async function openSignedIn(opened: Promise<TestGatehouse>): Promise<SignedIn> {
  const gatehouse = await opened
  const browser = await openBrowser()
  const owner = await visit(browser)
  await signIn(owner, gatehouse.url, gatehouse.owner.email, gatehouse.owner.password)
  const base = /^.*\/d\/[^/]+/.exec(owner.page.url())![0]
  async function close(): Promise<void> {
    await browser.close()
    await gatehouse.close()
    assert.deepEqual(owner.complaints, [])
  }
  return { gatehouse, browser, owner, base, close }
}
