import type { DemoClient } from '../client.ts'

/** Packages that somebody keeps an eye on, from before some of them turn out to be malicious. */
export async function seedWatches(owner: DemoClient, deploymentId: number): Promise<void> {
  const path = `/api/sca/deployments/${deploymentId}/watched-packages`
  for (const name of ['lodash', 'axios', 'meadow-dates', 'meadow-log']) await owner.call('PUT', `${path}/npm/${name}`)
}
