import assert from 'node:assert/strict'
import { test } from 'node:test'
import { automatedAs } from './automatic.ts'

const cases: [Parameters<typeof automatedAs>[0], string][] = [
  [{ kind: 'finding', product: 'PRODUCT_TYPE_SAST', malicious: false }, 'sast'],
  [{ kind: 'finding', product: 'PRODUCT_TYPE_SCA', malicious: false }, 'sca'],
  [{ kind: 'finding', product: 'PRODUCT_TYPE_SCA', malicious: true }, 'scaMaliciousDeps'],
  [{ kind: 'finding', product: 'PRODUCT_TYPE_SECRETS', malicious: false }, 'secrets'],
  [{ kind: 'finding', product: 'PRODUCT_TYPE_AI', malicious: false }, 'aiSast'],
  [{ kind: 'issue', product: '', malicious: false }, 'aiSast'],
]
for (const [subject, expected] of cases) {
  test(`${JSON.stringify(subject)} falls under ${expected}`, () => assert.equal(automatedAs(subject), expected))
}
