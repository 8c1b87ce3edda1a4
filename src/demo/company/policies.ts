import type { DemoClient } from '../client.ts'

/** What developers are shown in pull requests: most of it, not what is noisy, and the worst must not get in. */
const rules = [
  { rule: '*', mode: 'comment' },
  { rule: 'javascript.lang.security.audit.*', mode: 'monitor' },
  { rule: 'python.lang.security.insecure-hash-algorithms-md5', mode: 'monitor' },
  { rule: 'java.lang.security.audit.crypto.*', mode: 'monitor' },
  { rule: 'go.lang.security.audit.crypto.*', mode: 'monitor' },
  { rule: 'javascript.express.security.injection.*', mode: 'block' },
  { rule: 'python.django.security.injection.*', mode: 'block' },
  { rule: 'java.spring.security.injection.*', mode: 'block' },
  { rule: 'go.lang.security.injection.*', mode: 'block' },
]

export async function seedPolicies(owner: DemoClient, deploymentId: number): Promise<void> {
  const path = `/api/policies/v1/deployments/${deploymentId}/policies`
  type Policies = { policies: { id: string; productType: string; isDefault: boolean }[] }
  const { policies } = await owner.call<Policies>('GET', path)
  const code = policies.find((policy) => policy.isDefault && policy.productType === 'PRODUCT_TYPE_SAST')!
  await owner.call('PUT', `${path}/${code.id}/rules`, { rules })
  await owner.call('POST', `/api/agent/deployments/${deploymentId}/ruleboards`, {
    name: 'Payments',
    type: 'RULEBOARD_TYPE_SAST',
    assigned_repos: ['meadow/payment-gateway', 'meadow/payment-webhooks'],
  })
}
