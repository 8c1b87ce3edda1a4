import type { DemoClient } from '../client.ts'
import { repositoriesOf } from '../company/world.ts'
import type { DemoSize } from '../size.ts'
import { type DemoScan, timeline } from './timeline.ts'

const atOnce = 4
const dayMs = 86_400_000

/** A year of scans, each as it was sent on its day. Those of a repository one after the other, oldest first. */
export async function seedHistory(
  owner: DemoClient,
  deploymentId: number,
  size: DemoSize,
  onProgress: (done: number, total: number) => void,
): Promise<number> {
  const waiting = repositoriesOf(size).map((repository, index) => timeline(repository, index, size))
  const total = waiting.reduce((sum, scans) => sum + scans.length, 0)
  let done = 0
  const sender = async () => {
    for (let scans = waiting.shift(); scans; scans = waiting.shift()) {
      for (const scan of scans) {
        await send(owner, deploymentId, scan)
        onProgress(++done, total)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sender))
  return total
}

function send(owner: DemoClient, deploymentId: number, scan: DemoScan): Promise<void> {
  const { repository, ref, commit, pullRequest, mergedPullRequests, daysAgo, documents } = scan
  const about = {
    repository,
    ref,
    commit,
    performedAt: new Date(Date.now() - daysAgo * dayMs).toISOString(),
    ...(pullRequest > 0 ? { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest, baseRef: 'main' } : { mergedPullRequests }),
  }
  return owner.upload(`/api/scans/v1/deployments/${deploymentId}/scans`, about, documents())
}
