import type { DemoClient } from '../client.ts'
import type { Organisation } from '../company/organisation.ts'
import type { SimulatedServices } from '../simulated-services.ts'

const own = [
  { name: '@meadow/design-tokens', version: '5.1.0' },
  { name: '@meadow/http-client', version: '2.8.3' },
]

type Parts = { ownNpm: SimulatedServices['ownNpm']; organisation: Organisation }

/** The company's own packages come from its own registry, and names that a stranger could take elsewhere are claimed. */
export async function seedPrivateNames(owner: DemoClient, deploymentId: number, parts: Parts): Promise<void> {
  const { ownNpm, organisation } = parts
  const [anna] = organisation.people
  for (const artifact of own) {
    ownNpm.publish(artifact)
    const [, base] = artifact.name.split('/')
    const address = `/firewall/${deploymentId}/npm/${artifact.name}/-/${base}-${artifact.version}.tgz`
    await owner.as(anna!.token).fetchPackage(address)
  }
  const path = `/api/firewall/v1/deployments/${deploymentId}/package-claims`
  const claims = [
    { ecosystem: 'npm', pattern: '@meadow/*', packageManagerConfigId: await registryId(owner, deploymentId, 'npm') },
    { ecosystem: 'pypi', pattern: 'meadow-internal-*' },
    { ecosystem: 'maven', pattern: 'example.meadow.*', packageManagerConfigId: null },
  ]
  for (const claim of claims)
    await owner.call('POST', path, { ...claim, reason: 'Ours. Nobody else may answer for these names.' })
}

async function registryId(owner: DemoClient, deploymentId: number, ecosystem: string): Promise<number> {
  type Listed = { packageManagerConfigsWithCredentials: { config: { id: number; ecosystem: string } }[] }
  const path = `/api/agent/deployments/${deploymentId}/packagemanagerauthconfigs`
  const { packageManagerConfigsWithCredentials: all } = await owner.call<Listed>('GET', path)
  return all.find(({ config }) => config.ecosystem === ecosystem)!.config.id
}
