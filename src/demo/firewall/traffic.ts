import type { DemoClient } from '../client.ts'
import type { Organisation } from '../company/organisation.ts'
import type { DemoClock } from '../demo-clock.ts'
import { createSeededRandom } from '../seeded-random.ts'
import type { DemoSize } from '../size.ts'
import { type Artifact, addressOf, laterAccused, malicious, ordinary } from './artifacts.ts'

const year = 365
/** When people and builds ask, in parts of a day; where they are few, in the morning. */
const busyHours = [8 / 24, 12 / 24, 16 / 24]
const quietHours = [9 / 24]
/** Somebody published packages with names that are easily mistyped, and builds asked for them until they were mended. */
const campaign = { from: 124, to: 119 }
export const daysSinceLateFetches = 41

/** A year of developers and build machines who ask for packages, day by day, each at its hour. */
export async function seedTraffic(
  owner: DemoClient,
  deploymentId: number,
  { size, clock, organisation }: { size: DemoSize; clock: DemoClock; organisation: Organisation },
): Promise<void> {
  const random = createSeededRandom(77)
  const hours = size.fetches < 5 ? quietHours : busyHours
  const clients = [owner, ...organisation.people.map(({ token }) => owner.as(token))]
  const midnight = new Date()
  midnight.setUTCHours(0, 0, 0, 0)
  const sinceMidnight = (Date.now() - midnight.getTime()) / 86_400_000

  for (let day = year; day >= 0; day--) {
    const wanted = requestsOf(day)
    for (const [at, hour] of hours.entries()) {
      const daysAgo = day + sinceMidnight - hour
      if (daysAgo <= 0 && !(day === 0 && at === 0)) continue
      clock.goBack(Math.max(0, daysAgo))
      const share = wanted.filter((_, index) => index % hours.length === at)
      await Promise.all(share.map((artifact) => random.pick(clients).fetchPackage(addressOf(deploymentId, artifact))))
    }
  }
  clock.goHome()

  function requestsOf(day: number): Artifact[] {
    const weekday = new Date(midnight.getTime() - day * 86_400_000).getUTCDay()
    const isFree = weekday === 0 || weekday === 6
    // A company that grows: at the end of the year twice as much as at its beginning.
    const usual = size.fetches * (1 - day / (2 * year)) * (isFree ? 0.3 : 1)
    const count = Math.max(hours.length, Math.round(usual * (0.7 + random.roll(60) / 100)))
    const asked = Array.from({ length: count }, () => random.pick(ordinary))
    const isCampaign = day <= campaign.from && day >= campaign.to
    const refused = isCampaign ? 3 + random.roll(4) : random.chance(0.3) ? 1 : 0
    for (let n = 0; n < refused; n++) asked.push(random.pick(malicious))
    if (day === daysSinceLateFetches) {
      for (let n = 0; n < 3; n++) asked.push(laterAccused.dates, laterAccused.icons)
    }
    return asked
  }
}
