import assert from 'node:assert/strict'
import type { Browser, Locator, Page } from 'playwright-core'
import type { TestGatehouse } from '../../test/gatehouse.ts'
import { violations } from './axe.ts'
import { openBrowser, settled, signIn, type Visit, visit } from './browser.ts'

export type SignedIn = {
  gatehouse: TestGatehouse
  browser: Browser
  owner: Visit
  page: Page
  /** Of the deployment: `http://127.0.0.1:…/d/slug`. */
  base: string
  /** A page below the deployment, or with a leading slash of the whole server, until it has its data. */
  open(path: string): Promise<Page>
  button(name: string | RegExp): Locator
  /** Nothing that axe finds, and nothing cut off on a telephone. */
  usable(what: string): Promise<void>
  /** Nothing may have complained until then. */
  close(): Promise<void>
}

/** A browser in which the owner of a Gatehouse is signed in; at `address`, where something stands in front of it. */
export async function openSignedIn(opened: Promise<TestGatehouse>, address?: string): Promise<SignedIn> {
  const [gatehouse, browser] = await Promise.all([opened, openBrowser()])
  const url = address ?? gatehouse.url
  const owner = await visit(browser)
  const { page } = owner
  await signIn(owner, url, gatehouse.owner.email, gatehouse.owner.password)
  const base = baseOf(page)

  async function open(path: string): Promise<Page> {
    await page.goto(path.startsWith('/') ? url + path : `${base}/${path}`)
    await settled(page)
    return page
  }
  async function close(): Promise<void> {
    await browser.close()
    await gatehouse.close()
    assert.deepEqual(owner.complaints, [])
  }
  const button = (name: string | RegExp) => buttonOf(page, name)
  return { gatehouse, browser, owner, page, base, open, button, usable: (what) => usable(page, what), close }
}

/** Of the deployment that a page is of. */
export function baseOf(page: Page): string {
  return /^.*\/d\/[^/]+/.exec(page.url())![0]
}

export function buttonOf(page: Page, name: string | RegExp): Locator {
  return page.getByRole('button', { name, exact: typeof name === 'string' }).first()
}

async function usable(page: Page, what: string): Promise<void> {
  assert.deepEqual([what, await violations(page)], [what, []])
  await page.setViewportSize({ width: 360, height: 740 })
  const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  assert.ok(wider <= 0, `${what} is ${wider} px wider than a narrow window`)
  await page.setViewportSize({ width: 1_280, height: 800 })
}
