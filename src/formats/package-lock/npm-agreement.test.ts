import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { realData, withoutRealData } from '../../../test/real-data.ts'
import type { InventoryItem } from '../format.ts'
import { packageLock } from './reader.ts'

const data = realData()

const repository = join(import.meta.dirname, '..', '..', '..')

function read(file: string): InventoryItem[] {
  return packageLock.read([readFileSync(file)], 'package-lock.json').items
}

function label({ name, version }: { name: string; version: string }): string {
  return `${name}@${version}`
}

function edgesOf(items: readonly InventoryItem[]): Set<string> {
  const byKey = new Map(items.map((item) => [item.key, item]))
  return new Set(items.flatMap((item) => item.dependsOn.map((key) => `${label(item)} > ${label(byKey.get(key)!)}`)))
}

test('agrees with `npm ls` on the lockfile of this repository', (t) => {
  const command = ['ls', '--all', '--json', '--package-lock-only']
  const listed = spawnSync('npm', command, { cwd: repository, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (listed.error) return t.skip('npm is not installed')
  const items = read(join(repository, 'package-lock.json'))
  const ours = edgesOf(items)
  for (const item of items) if (item.transitivity === 'DIRECT') ours.add(`project > ${label(item)}`)

  type Listed = { version?: string; dependencies?: Record<string, Listed> }
  const theirs = new Set<string>()
  const walk = (from: string, node: Listed) => {
    for (const [name, child] of Object.entries(node.dependencies ?? {})) {
      if (child.version === undefined) continue // an optional peer that is not installed
      const to = label({ name, version: child.version })
      theirs.add(`${from} > ${to}`)
      walk(to, child)
    }
  }
  walk('project', JSON.parse(listed.stdout) as Listed)
  assert.ok(theirs.size > 100)
  assert.deepEqual([...ours].sort(), [...theirs].sort())
})

type Bom = {
  components: { 'bom-ref': string; properties?: { name: string; value: string }[] }[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

const bills: [bill: string, lockfile: string][] = [
  ['bootstrap.cdx.json', 'bootstrap__v3'],
  ['npm-cli.cdx.json', 'cli__v3'],
]

test('agrees with `npm sbom` on lockfiles of the real data', {
  skip: data === undefined ? withoutRealData : false,
}, () => {
  for (const [bill, lockfile] of bills) {
    const bom = JSON.parse(readFileSync(join(data!, 'sbom', 'npm-generated', bill), 'utf8')) as Bom
    const items = read(join(data!, 'lockfiles', 'npm-package-lock', lockfile, 'package-lock.json'))
    const places = Map.groupBy(items, label)
    const theirs = bom.dependencies.flatMap(({ ref, dependsOn = [] }) => dependsOn.map((to) => ({ ref, to })))
    const isPackage = (reference: string) => places.has(reference)

    const edges = theirs.filter(({ ref, to }) => isPackage(ref) && isPackage(to)).map(({ ref, to }) => `${ref} > ${to}`)
    assert.deepEqual([...edgesOf(items)].sort(), [...new Set(edges)].sort(), bill)

    const direct = theirs.filter(({ ref, to }) => !isPackage(ref) && isPackage(to)).map(({ to }) => to)
    const ours = items.filter(({ transitivity }) => transitivity === 'DIRECT').map(label)
    assert.deepEqual([...new Set(ours)].sort(), [...new Set(direct)].sort(), bill)

    for (const { 'bom-ref': reference, properties = [] } of bom.components) {
      const [only, ...others] = places.get(reference) ?? []
      if (!only || others.length > 0) continue // npm looks at one of several places only
      const development = properties.some(
        ({ name, value }) => name === 'cdx:npm:package:development' && value === 'true',
      )
      assert.equal(only.development, development, `${bill}: ${reference}`)
    }
  }
})
