import { packages, rules, type Stack } from './catalogue.ts'
import { createDice, type Dice } from './dice.ts'
import { type Document, lockfile, type Pinned, sarifLog, type Weakness } from './documents.ts'
import type { DemoRepository } from './world.ts'

/** One upload, so many days ago. */
export type DemoScan = {
  repository: string
  daysAgo: number
  pullRequest: number
  ref: string
  commit: string
  /** What has come into main by then. */
  mergedPullRequests: number[]
  documents: Document[]
}

/** Days ago: there from `born` on, mended at `mended`; not at all in what was proposed and given up. */
type Life = { weakness: Weakness; born: number; mended: number; pullRequest: number; merged: boolean }

const year = 365
const daysBetweenScans = 21

/** A year of one repository: what was scanned when, oldest first. */
export function timeline(repository: DemoRepository, index: number): DemoScan[] {
  const dice = createDice(1_000 + index)
  const lives = Array.from({ length: 8 + dice.roll(8) }, (_, n) => life(dice, repository.stack, n))
  const dependencies = upgrades(dice, repository.stack)
  const scans: DemoScan[] = []
  const mergedBy = (daysAgo: number) =>
    lives.filter((each) => each.merged && each.born < year && each.born >= daysAgo).map((each) => each.pullRequest)
  const scan = (daysAgo: number, pullRequest: number, there: (life: Life) => boolean) => {
    const weaknesses = lives.filter(there).map((each) => each.weakness)
    scans.push({
      repository: repository.name,
      daysAgo,
      pullRequest,
      ref: pullRequest > 0 ? `change-${pullRequest}` : 'main',
      commit: commitOf(dice),
      mergedPullRequests: pullRequest > 0 ? [] : mergedBy(daysAgo),
      documents: documentsOf(repository, dependencies(daysAgo), weaknesses),
    })
  }
  const isThere = (each: Life, daysAgo: number) => each.merged && each.born >= daysAgo && each.mended < daysAgo
  for (let daysAgo = year - dice.roll(daysBetweenScans); daysAgo > 0; daysAgo -= daysBetweenScans) {
    scan(daysAgo, 0, (each) => isThere(each, daysAgo))
  }
  for (const proposed of lives.filter((each) => each.born < year)) {
    const daysAgo = proposed.born + 2
    // Scanners of pull requests tell what a change brings along, not what was there before.
    scan(daysAgo, proposed.pullRequest, (each) => each === proposed)
    if (!proposed.merged) scan(daysAgo - 1, proposed.pullRequest, () => false)
  }
  return scans.sort((a, b) => b.daysAgo - a.daysAgo)
}

function life(dice: Dice, stack: Stack, n: number): Life {
  const rule = dice.pick(rules.filter((each) => each.stacks.includes(stack)))
  const born = dice.chance(0.4) ? year + 20 : 4 + dice.roll(year - 30)
  const mended = dice.chance(0.55) ? Math.max(0, born - 15 - dice.roll(150)) : 0
  const folder = dice.pick(['src/api', 'src/jobs', 'src/legacy', 'src/web', 'test'])
  const ending = { npm: 'ts', pypi: 'py', maven: 'java', gomod: 'go' }[stack]
  const weakness = {
    rule,
    path: `${folder}/${dice.pick(['orders', 'users', 'export', 'session', 'upload', 'report'])}_${n}.${ending}`,
    line: 10 + dice.roll(300),
    snippet: `${dice.pick(['run', 'load', 'send', 'store'])}(${dice.pick(['request', 'input', 'body', 'name'])}) // ${n}`,
  }
  return { weakness, born, mended, pullRequest: 100 + n, merged: born > year || dice.chance(0.7) }
}

/** Which version of each package the repository had on a day: old ones at first, newer ones after each upgrade. */
function upgrades(dice: Dice, stack: Stack): (daysAgo: number) => Pinned[] {
  const chosen = dice.sample(packages[stack], Math.max(5, Math.ceil(packages[stack].length * 0.7)))
  const plans = chosen.map((each) => {
    const first = dice.roll(Math.max(1, each.versions.length - 1))
    const steps = each.versions.slice(first + 1).map(() => (dice.chance(0.5) ? dice.roll(year) : 0))
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
  return [lockfile(repository.stack, repository.name, pinned), of('Semgrep OSS'), of('gitleaks')]
}

function commitOf(dice: Dice): string {
  return Array.from({ length: 40 }, () => dice.roll(16).toString(16)).join('')
}
