import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { TestGatehouse } from '../../test/gatehouse.ts'
import { hostile } from './world.ts'

/**
 * Whatever people may name is named like that: as much of each text as the field takes. Nothing else changes. Answers the pages
 * of what has one of its own.
 */
export async function nameEverythingHostile(gatehouse: TestGatehouse): Promise<string[]> {
  const pages: string[] = []
  for (const text of hostile) {
    const name = text.slice(0, 100).replaceAll(/[\u0000-\u001f]/g, '')
    const short = { name: name.slice(0, 80) }
    const calls: [path: string, body: object][] = [
      ['/api/permissions/v2/deployments/1/teams', { team: short }],
      ['/api/tokens/v1/deployments/1/tokens', { ...short, webApi: true }],
      ['/api/service-accounts/v1/deployments/1/service-accounts', { ...short, role: 'readonly' }],
      ['/api/agent/deployments/1/ruleboards', { ...short, type: 'RULEBOARD_TYPE_SAST' }],
      ['/api/policies/v1/deployments/1/policies', { ...short, productType: 'PRODUCT_TYPE_SAST' }],
      ['/api/ai/deployments/1/memories', { content: text.slice(0, 5_000), pathPrefixes: ['elsewhere'] }],
      ['/api/issues/1/issues', { issues: [{ externalKey: name, title: name, severity: 'SEVERITY_HIGH' }] }],
      ['/api/discussions/v1/deployments/1/comments', { findingId: '1', text }],
      [
        '/api/firewall/v1/deployments/1/overrides',
        { ecosystem: 'npm', name: `evil-${hostile.indexOf(text)}`, effect: 'deny', reason: name },
      ],
    ]
    for (const [path, body] of calls) {
      const answer = await gatehouse.call('POST', path, { body })
      // Some fields refuse some of them, which is as good.
      assert.ok(answer.status === 200 || answer.status === 400 || answer.status === 422, `${path} ${answer.status}`)
      const { team, policy, slug, serviceAccount, memory } = answer.body
      if (team) pages.push(`settings/teams/${team.id}`)
      if (policy) pages.push(`policies/${policy.id}`)
      if (slug) pages.push(`ruleboards/${slug}`)
      if (serviceAccount) pages.push(`settings/service-accounts/${serviceAccount.id}`)
      if (memory) pages.push(`memories/${memory.id}`)
    }
  }
  return pages
}

/** Nothing ran, nothing is hidden, nothing breaks out of the window. */
export async function isHarmless(page: Page, where = page.url()): Promise<void> {
  const deceiving = /[\u202a-\u202e\u2066-\u2069\u200b\u001b]/
  assert.doesNotMatch(await page.evaluate<string>('document.title + document.body.textContent'), deceiving, where)
  const labels = await page
    .locator('[aria-label]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')!))
  for (const label of labels) assert.doesNotMatch(label, deceiving, where)
  assert.equal(await page.evaluate(`'pwned' in window`), false, where)
  assert.equal(await page.locator('main img, main iframe, main script').count(), 0, where)
  const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  assert.ok(wider <= 0, `${where} is ${wider} px wider than the window`)
}
