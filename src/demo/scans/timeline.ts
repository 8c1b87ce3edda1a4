import type { DemoRepository } from '../company/world.ts'
import { createSeededRandom, type SeededRandom } from '../seeded-random.ts'
import type { DemoSize } from '../size.ts'
import { type Document, lockfile, type Pinned } from './lockfiles.ts'
import { packages, type Stack } from './packages.ts'
import { followAdvisories } from './reachability.ts'
import { blockingRule } from './rules/choose-rule.ts'
import { reachabilityLog, sarifLog, type Weakness } from './sarif.ts'
import { makeWeakness } from './weaknesses.ts'

/** One upload, this many days ago. */
export type DemoScan = {
  repository: string
  daysAgo: number
  pullRequest: number
  ref: string
  commit: string
  /** What has come into main by then. */
  mergedPullRequests: number[]
  documents: () => Document[]
}

/** Days ago: there from `born` on, mended at `mended`; not at all in what was proposed and given up. */
type Life = { weakness: Weakness; born: number; mended: number; pullRequest: number; merged: boolean }

const year = 365
const never = -1
/** Pull requests that are younger, in days, are still open. */
const stillOpen = 8

/** A year of one repository: what was scanned when, oldest first. */
export function timeline(repository: DemoRepository, index: number, size: DemoSize): DemoScan[] {
  const random = createSeededRandom(1_000 + index)
  const count = size.weaknesses + random.roll(Math.ceil(size.weaknesses / 3))
  const lives = Array.from({ length: count }, (_, n) => life(random, repository.stack, n))
  propose(random, lives, size.pullRequests)
  const open = lives.find((each) => !each.merged && each.born < stillOpen)
  if (open && index % 2 === 0) open.weakness = makeWeakness(random, repository.stack, 0, blockingRule(repository.stack))
  const dependencies = upgrades(random, repository.stack)
  const scans: DemoScan[] = []
  const scan = (daysAgo: number, pullRequest: number, there: (life: Life) => boolean) => {
    scans.push({
      repository: repository.name,
      daysAgo,
      pullRequest,
      ref: pullRequest > 0 ? `change-${pullRequest}` : 'main',
      commit: commitOf(random),
      mergedPullRequests: pullRequest > 0 ? [] : mergedBy(lives, daysAgo),
      // Made when it is sent: the large world does not fit into memory at once.
      documents: () =>
        documentsOf(
          repository,
          dependencies(daysAgo),
          lives.filter(there).map((each) => each.weakness),
        ),
    })
  }
  const isThere = (each: Life, daysAgo: number) => each.merged && each.born >= daysAgo && each.mended < daysAgo
  for (let daysAgo = year - random.roll(size.daysBetweenScans); daysAgo > 1; daysAgo -= size.daysBetweenScans) {
    scan(daysAgo, 0, (each) => isThere(each, daysAgo))
  }
  // Everybody scans what they have, now and then; the last of it was on one of these days.
  const latest = random.roll(9) / 10
  scan(latest, 0, (each) => isThere(each, latest))
  for (const [pullRequest, proposed] of Map.groupBy(lives, (each) => each.pullRequest)) {
    if (pullRequest === 0) continue
    const { born, merged } = proposed[0]!
    // Scanners of pull requests tell what a change brings along, not what was there before.
    scan(born + 2, pullRequest, (each) => each.pullRequest === pullRequest)
    if (!merged && born >= stillOpen) scan(born + 1, pullRequest, () => false)
  }
  return scans.sort((a, b) => b.daysAgo - a.daysAgo)
}

function life(random: SeededRandom, stack: Stack, n: number): Life {
  const born = random.chance(0.4) ? year + 20 : 4 + random.roll(year - 30)
  const mended = random.chance(0.55) ? Math.max(0, born - 15 - random.roll(180)) : never
  return { weakness: makeWeakness(random, stack, n), born, mended, pullRequest: 0, merged: true }
}

/** Some of them came with pull requests, one or a few with each: most are merged, others mended there, the last are open. */
function propose(random: SeededRandom, lives: Life[], pullRequests: number): void {
  const wanted = Math.max(2, pullRequests - 1 + random.roll(3))
  const young = lives.filter((each) => each.born < year).slice(0, wanted * 2)
  for (let pullRequest = 101; pullRequest < 101 + wanted && young.length > 0; pullRequest++) {
    const isLast = pullRequest === 100 + wanted
    const together = young.splice(0, 1 + random.roll(3))
    const born = isLast ? random.roll(6) : together[0]!.born
    const merged = !isLast && random.chance(0.6)
    for (const each of together) {
      Object.assign(each, { pullRequest, born, merged, mended: Math.min(each.mended, Math.max(0, born - 15)) })
    }
  }
}

function mergedBy(lives: readonly Life[], daysAgo: number): number[] {
  const merged = lives.filter((each) => each.pullRequest > 0 && each.merged && each.born >= daysAgo)
  return [...new Set(merged.map((each) => each.pullRequest))]
}

/** Which version of each package the repository had on a day: old ones at first, newer ones after each upgrade. */
function upgrades(random: SeededRandom, stack: Stack): (daysAgo: number) => Pinned[] {
  const own = packages[stack].filter(({ name }) => name.startsWith('meadow-'))
  const others = packages[stack].filter(({ name }) => !name.startsWith('meadow-'))
  const chosen = [...own, ...random.sample(others, Math.max(5, Math.ceil(others.length * 0.7)))]
  const plans = chosen.map((each) => {
    const first = random.roll(Math.max(1, each.versions.length - 1))
    const steps = each.versions.slice(first + 1).map(() => (random.chance(0.5) ? random.roll(year) : 0))
    return { ...each, first, steps: steps.sort((a, b) => b - a) }
  })
  return (daysAgo) =>
    plans.map(({ name, licence, versions, first, steps }) => {
      const done = steps.filter((step) => step > daysAgo).length
      return { name, licence, version: versions[first + done]! }
    })
}

function documentsOf(repository: DemoRepository, pinned: Pinned[], weaknesses: Weakness[]): Document[] {
  const of = (tool: 'Semgrep OSS' | 'gitleaks') =>
    sarifLog(
      tool,
      weaknesses.filter(({ rule }) => rule.tool === tool),
    )
  const locked = lockfile(repository.stack, repository.name, pinned)
  const reached = followAdvisories(repository.name, repository.stack, locked.path, pinned)
  return [locked, of('Semgrep OSS'), of('gitleaks'), reachabilityLog(reached)]
}

function commitOf(random: SeededRandom): string {
  return Array.from({ length: 40 }, () => random.roll(16).toString(16)).join('')
}
