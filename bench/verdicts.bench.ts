import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createIndexBuilder } from '../src/capabilities/firewall/advisories/index-builder.ts'
import { layeredIndex } from '../src/capabilities/firewall/advisories/layered-index.ts'
import { createRuleList } from '../src/capabilities/firewall/rules/rule-list.ts'
import { emptyConfiguration } from '../src/capabilities/firewall/verdicts/firewall-configuration.ts'
import { judge } from '../src/capabilities/firewall/verdicts/judge.ts'
import { ecosystems } from '../src/ecosystems/registry.ts'
import { affectedIntervals } from '../src/ecosystems/version-range.ts'
import { readFeed } from '../src/feeds/files.ts'
import { realData } from '../test/real-data.ts'
import { everyKindOfRule } from './every-rule.ts'
import type { Benchmark, Figure } from './figure.ts'

const packages = 250_000
const mebibyte = 1024 ** 2

/** What a verdict costs with a quarter of a million malicious packages in memory, and what loading the real ones does. */
export const benchmark: Benchmark = {
  name: 'verdicts',
  async run() {
    const figures = await syntheticFigures()
    const folder = realData()
    const path = folder && join(folder, 'malicious')
    if (path && existsSync(path)) figures.push(await loadingFigure(path))
    return figures
  },
}

async function syntheticFigures(): Promise<Figure[]> {
  const before = await memory()
  const knowledge = { index: layeredIndex(syntheticIndex()), checkedAt: new Date(), missesFeed: false }
  const held = ((await memory()) - before) / mebibyte
  const now = new Date()
  const ask = (name: string, version: string) =>
    judge(knowledge, undefined, { ecosystem: 'npm', name, version }, now).decision
  const kinds: [string, (i: number) => string, string][] = [
    ['of a package that no advisory names', (i) => `harmless-${i}`, 'allow'],
    ['of a malicious package', (i) => `malicious-package-${(i * 7919) % packages}`, 'block'],
  ]
  const costs = kinds.map(([kind, nameOf, expected]): Figure => {
    const value = costOf(nameOf, (name) => ask(name, '1.0.3') === expected)
    return { name: `a verdict ${kind}`, value, unit: 'µs', limit: { atMost: 2 } }
  })
  const rules = { ...emptyConfiguration, list: createRuleList(everyKindOfRule()) }
  const ruled = costOf(
    (i) => `harmless-${i % 10_000}`,
    (name) => judge(knowledge, rules, { ...release(now), name }, now).decision === 'allow',
  )
  costs.push({ name: 'a verdict with every kind of rule and signal', value: ruled, unit: 'µs', limit: { atMost: 20 } })
  return [...costs, { name: '250,000 malicious packages in memory', value: held, unit: 'MiB', limit: { atMost: 64 } }]
}

/** The fastest of many: neighbours who empty the caches only ever add. */
function costOf(nameOf: (i: number) => string, isRight: (name: string) => boolean): number {
  const names = Array.from({ length: 50_000 }, (_, i) => nameOf(i))
  const times = Array.from({ length: 25 }, () => {
    const before = process.cpuUsage()
    let right = 0
    for (const name of names) if (isRight(name)) right++
    if (right !== names.length) throw new Error(`${names.length - right} wrong verdicts`)
    return microseconds(before) / names.length
  })
  return Math.min(...times)
}

/** A young one, of a package that has had ten vulnerabilities. */
function release(now: Date) {
  const vulnerabilities = Array.from({ length: 10 }, (_, i) => {
    const upper = { key: ecosystems.npm.orderKey(`0.${i}.0`), inclusive: false }
    return {
      id: `GHSA-${i}`,
      severity: 'high',
      fixed: `0.${i}.0`,
      interval: { upper },
      isExploited: false,
      isUrgent: false,
    }
  })
  const publishedAt = new Date(now.getTime() - 2 * 3_600_000)
  const facts = { signals: [], licence: '(MIT OR Apache-2.0)', bornAt: 0 }
  return { ecosystem: 'npm' as const, version: '1.0.3', publishedAt, facts, vulnerabilities }
}

/** Half of them malicious in every version, the others in some. */
function syntheticIndex() {
  const builder = createIndexBuilder()
  const { orderKey } = ecosystems.npm
  const versions = Array.from({ length: 8 }, (_, i) => {
    const bound = { key: orderKey(`1.0.${i}`), inclusive: true }
    return { lower: bound, upper: bound }
  })
  for (let i = 0; i < packages; i++) {
    const intervals = i % 2 === 0 ? [{}] : versions
    builder.add({ advisoryId: `1/MAL-2026-${i}`, ecosystem: 'npm', name: `malicious-package-${i}`, intervals })
  }
  return { arrays: builder.build(), revision: 1, changed: [] }
}

async function loadingFigure(path: string): Promise<Figure> {
  const before = process.cpuUsage()
  const builder = createIndexBuilder()
  for await (const item of readFeed(path)) {
    if (item.problem) throw new Error(item.problem.detail)
    for (const { ecosystem, name, ...affected } of item.record.packages) {
      const intervals = affectedIntervals(ecosystems[ecosystem], affected)
      builder.add({ advisoryId: item.record.id, ecosystem, name, intervals })
    }
  }
  const index = layeredIndex({ arrays: builder.build(), revision: 1, changed: [] })
  const seconds = microseconds(before) / 1_000_000
  const detail = `${index.packageCount} packages, from their files to the first verdict`
  return { name: 'loading the real advisories', value: seconds, unit: 's', limit: { atMost: 3 }, detail }
}

/** Of the processor's time: others on the machine do not count. */
function microseconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** What is still needed. Buffers are given back a little after nobody needs them. */
async function memory(): Promise<number> {
  setFlagsFromString('--expose-gc')
  for (let i = 0; i < 3; i++) {
    runInNewContext('gc')()
    await delay(100)
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
