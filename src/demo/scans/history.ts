import type { DemoClient } from '../client.ts'
import { repositoriesOf } from '../company/world.ts'
import type { DemoSize } from '../size.ts'
import { type DemoScan, timeline } from './timeline.ts'

const atOnce = 4
const dayMs = 86_400_000

/**
 * A year of scans, each as it was sent on its day: those of all repositories in the order of time, so that the newest has
 * the highest number, and those of one repository never at once.
 */
export async function seedHistory(
  owner: DemoClient,
  deploymentId: number,
  size: DemoSize,
  onProgress: (done: number, total: number) => void,
): Promise<number> {
  const scans = repositoriesOf(size).flatMap((repository, index) => timeline(repository, index, size))
  scans.sort((a, b) => b.daysAgo - a.daysAgo)
  const before = new Map<string, Promise<void>>()
  let next = 0
  let done = 0
  const sender = async () => {
    for (let scan = scans[next++]; scan; scan = scans[next++]) {
      const sent = (before.get(scan.repository) ?? Promise.resolve()).then(() => send(owner, deploymentId, scan))
      before.set(scan.repository, sent)
      await sent
      onProgress(++done, scans.length)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sender))
  return scans.length
}

function send(owner: DemoClient, deploymentId: number, scan: DemoScan): Promise<void> {
  const { repository, ref, commit, pullRequest, mergedPullRequests, daysAgo, documents } = scan
  const about = {
    repository,
    ref,
    commit,
    tool: 'gatehouse',
    performedAt: new Date(Date.now() - daysAgo * dayMs).toISOString(),
    ...(pullRequest > 0 ? { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest, baseRef: 'main' } : { mergedPullRequests }),
  }
  return owner.upload(`/api/scans/v1/deployments/${deploymentId}/scans`, about, documents())
}
