import type { DemoClient } from '../client.ts'

/** What happens by itself from the first scan on. */
export async function seedAutomations(owner: DemoClient, deploymentId: number): Promise<void> {
  const path = `/api/notifications/deployments/${deploymentId}/automations`
  const about = (type: string, ...values: string[]) => ({ mode: 'MODE_ANY', type: `CONDITION_TYPE_${type}`, values })
  await owner.call('POST', path, {
    name: 'Nothing with a new secret gets in',
    description: 'A build that brings a secret along fails.',
    triggerSource: 'TRIGGER_SOURCE_SCAN',
    filters: { mode: 'MODE_ALL', conditions: [about('PRODUCT', 'PRODUCT_TYPE_SECRETS')] },
    actions: [{ type: 'ACTION_TYPE_BLOCK' }],
  })
  await owner.call('POST', path, {
    name: 'Tell the security team of incidents',
    triggerSource: 'TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT',
    filters: { mode: 'MODE_ALL', conditions: [] },
    actions: [{ type: 'ACTION_TYPE_EMAIL', config: { to: ['security@meadow.example'] } }],
  })
}
