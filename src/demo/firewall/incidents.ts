import { setTimeout as delay } from 'node:timers/promises'
import type { Application } from '../../compose/compose.ts'
import { parseFeedLocation } from '../../feeds/feed-location.ts'
import type { DemoClient } from '../client.ts'
import type { DemoClock } from '../demo-clock.ts'
import { laterAccused } from './artifacts.ts'
import type { DemoFeeds } from './feeds.ts'
import { daysSinceLateFetches } from './traffic.ts'

type Parts = { application: Application; clock: DemoClock; feeds: DemoFeeds }

const waitMs = 120_000

/** Until what the feeds have is known: before that, nothing is let through. */
export async function loadFeeds({ application, feeds }: Pick<Parts, 'application' | 'feeds'>): Promise<void> {
  const { firewall, vulnerabilities } = application
  await Promise.all([
    firewall.feeds.sync(parseFeedLocation(feeds.settings.GATEHOUSE_FEED)!),
    vulnerabilities.feeds.sync(parseFeedLocation(feeds.settings.GATEHOUSE_VULNERABILITY_FEED)!),
    vulnerabilities.exploitedFeeds.sync(parseFeedLocation(feeds.settings.GATEHOUSE_EXPLOITED_FEED)!),
    vulnerabilities.epssFeeds.sync(parseFeedLocation(feeds.settings.GATEHOUSE_EPSS_FEED)!),
  ])
  await firewall.refresh()
}

/**
 * What was let through turns out to be malicious; somebody accuses packages that the whole company uses; and people decide
 * about some of it.
 */
export async function seedIncidents(owner: DemoClient, deploymentId: number, parts: Parts): Promise<void> {
  const { application, clock, feeds } = parts
  const path = `/api/firewall/v1/deployments/${deploymentId}`
  const count = async (what: 'exposures' | 'heldAdvisories', address: string) =>
    (await owner.call<Record<string, object[]>>('GET', `${path}/${address}?pageSize=100`))[what]!.length

  await application.recorder.flush()
  clock.goBack(30)
  await application.firewall.snapshots.run()

  clock.goBack(daysSinceLateFetches - 3)
  feeds.accuse({ id: 'MAL-0000-0006', ...laterAccused.dates, published: clock.now() })
  feeds.accuse({ id: 'MAL-0000-0007', ...laterAccused.icons, published: clock.now() })
  await spread(parts)
  await until('exposures', async () => (await count('exposures', 'exposures')) > 1)
  clock.goBack(daysSinceLateFetches - 4)
  await decide(owner, path, clock)

  clock.goBack(3)
  feeds.accuse({ id: 'MAL-0000-0008', ecosystem: 'npm', name: 'meadow-log', published: clock.now() })
  feeds.accuse({ id: 'MAL-0000-0009', ecosystem: 'npm', name: 'meadow-forms', published: clock.now() })
  await spread(parts)
  await until('held advisories', async () => (await count('heldAdvisories', 'held-advisories')) > 1)
  clock.goHome()
  // Otherwise it was last looked at three days ago.
  await application.firewall.feeds.sync(parseFeedLocation(feeds.settings.GATEHOUSE_FEED)!)
  await release(owner, path)
}

async function spread({ application, feeds }: Parts): Promise<void> {
  await application.firewall.feeds.sync(parseFeedLocation(feeds.settings.GATEHOUSE_FEED)!)
  await application.firewall.refresh()
  await application.firewall.exposure.periodic.run()
}

/** The icons were looked at and are harmless; other names are not wanted, and one was allowed for a while. */
async function decide(owner: DemoClient, path: string, clock: DemoClock): Promise<void> {
  const { ecosystem, name, version } = laterAccused.icons
  const days = (count: number) => new Date(clock.now().getTime() + count * 86_400_000).toISOString()
  const overrides = [
    { ecosystem, name, version, effect: 'allow', reason: 'Looked at: what it sends are the names of its own icons.' },
    { ecosystem: 'npm', name: 'event-stream', effect: 'deny', reason: 'Nobody maintains it; use node:stream.' },
    { ecosystem: 'pypi', name: 'pycrypto', effect: 'deny', reason: 'Ended in 2013; use cryptography.' },
    {
      ecosystem: 'npm',
      name: 'expresss',
      version: '4.0.0',
      effect: 'allow',
      reason: 'For the post-mortem, in a machine of its own.',
      expiresAt: days(2),
    },
  ]
  for (const override of overrides) await owner.call('POST', `${path}/overrides`, override)
}

async function release(owner: DemoClient, path: string): Promise<void> {
  type Held = { heldAdvisories: { id: number; name: string }[] }
  const { heldAdvisories } = await owner.call<Held>('GET', `${path}/held-advisories`)
  const forms = heldAdvisories.find(({ name }) => name === 'meadow-forms')!
  await owner.call('POST', `${path}/held-advisories/${forms.id}/decision`, {
    decision: 'release',
    reason: 'We write it ourselves, and every version was built from our repository.',
  })
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + waitMs
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`There are no ${what} after ${waitMs / 1_000} seconds.`)
    await delay(50)
  }
}
