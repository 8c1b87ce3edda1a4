import type { DemoClient } from './client.ts'
import type { Outside } from './outside.ts'

/** What the registry of the demo has. One version is malicious, and one whole package is. */
const published: [name: string, version: string][] = [
  ['meadow-colours', '1.3.0'],
  ['meadow-colours', '1.4.0'],
  ['meadow-colours', '1.4.1'],
  ['meadow-dates', '2.0.0'],
  ['meadow-dates', '2.1.0'],
  ['expresss', '4.0.0'],
]

export function publishPackages({ npm }: Outside): void {
  for (const [name, version] of published) npm.publish({ name, version })
}

/** Developers and build machines at the door for packages: most get what they ask for. */
export async function seedFetches(owner: DemoClient, deploymentId: number): Promise<void> {
  for (let round = 0; round < 12; round++) {
    for (const [at, [name, version]] of published.entries()) {
      if (round % (at + 1) === 0)
        await owner.fetchPackage(`/firewall/${deploymentId}/npm/${name}/-/${name}-${version}.tgz`)
    }
  }
}
