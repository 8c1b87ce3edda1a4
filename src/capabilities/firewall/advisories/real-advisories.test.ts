import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { realData, withoutRealData } from '../../../../test/real-data.ts'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems, findOsvEcosystem } from '../../../ecosystems/registry.ts'
import { readFeed } from '../../../feeds/files.ts'
import type { OsvRecord } from '../../../formats/osv/record.ts'

const folder = realData()
type Case = { ecosystem: string; name: string; version: string; expected: 'malicious' | 'clean'; records: string[] }
type Named = { id: string; versions: Set<string>; everything: boolean; ranged: boolean }

/** What records say about each package, read plainly: listed versions, all versions, or some range. */
async function plainReading(path: string): Promise<Map<string, Named[]>> {
  const records = new Map<string, OsvRecord>()
  for await (const item of readFeed(path)) {
    assert.ok(!item.problem, `${item.name}: ${item.problem?.detail}`)
    const known = records.get(item.record.id)
    if (!known || known.modified < item.record.modified) records.set(item.record.id, item.record)
  }
  const packages = new Map<string, Named[]>()
  for (const { id, withdrawn, packages: named } of records.values()) {
    for (const { ecosystem, name, versions, ranges } of withdrawn === '' ? named : []) {
      const events = ranges.flatMap((range) => range.events)
      const everything = events.length === 1 && events[0]!.introduced === '0'
      const entry = { id, versions: new Set(versions), everything, ranged: events.length > 0 && !everything }
      packages.set(`${ecosystem}\n${name}`, [...(packages.get(`${ecosystem}\n${name}`) ?? []), entry])
    }
  }
  return packages
}

function compareAll(
  packages: Awaited<ReturnType<typeof plainReading>>,
  ask: (ecosystem: EcosystemId, name: string, version: string) => { advisoryIds: readonly string[]; refuse: boolean },
): void {
  for (const [key, entries] of packages) {
    const [ecosystem, name] = key.split('\n') as [EcosystemId, string]
    const { compare } = ecosystems[ecosystem]
    const listed = [...new Set(entries.flatMap((entry) => [...entry.versions]))]
    for (const version of [...listed, ...listed.map((each) => `${each}.7`), '0.0.0-0', '987.654.321']) {
      const saying = entries.filter(
        (entry) => entry.everything || [...entry.versions].some((v) => compare(v, version) === 0),
      )
      const verdict = ask(ecosystem, name, version)
      const ids = new Set(verdict.advisoryIds)
      assert.ok(
        saying.every((entry) => ids.has(entry.id)),
        `${key}@${version}: ${verdict.advisoryIds}`,
      )
      const others = entries.filter((entry) => ids.has(entry.id) && !saying.includes(entry))
      assert.deepEqual(
        others.filter((entry) => !entry.ranged),
        [],
        `${key}@${version}`,
      )
      assert.ok(
        [...ids].every((id) => entries.some((entry) => entry.id === id)),
        `${key}@${version}`,
      )
      assert.equal(verdict.refuse, ids.size > 0)
    }
  }
}

test('with the real advisories, every record blocks what it says and nothing else', {
  skip: folder ? false : withoutRealData,
}, async () => {
  const path = join(folder!, 'malicious')
  const gatehouse = await openGatehouse()
  try {
    const result = await gatehouse.firewall.feeds.sync({ kind: 'local', path })
    assert.equal(result.outcome, 'activated', JSON.stringify(result))
    await gatehouse.firewall.refresh()
    const ask = (ecosystem: EcosystemId, name: string, version: string) =>
      gatehouse.firewall.verdict(gatehouse.owner.deploymentId, ecosystem, name, version)

    const packages = await plainReading(path)
    assert.ok(packages.size > 1000)
    compareAll(packages, ask)

    const { cases } = JSON.parse(readFileSync(join(folder!, 'expected', 'malicious-verdicts.json'), 'utf8')) as {
      cases: Case[]
    }
    assert.ok(cases.length > 100)
    for (const { ecosystem, name, version, expected, records } of cases) {
      // Extensions of editors come through no registry that we know.
      if (ecosystem === 'VSCode') continue
      const verdict = ask(findOsvEcosystem(ecosystem)!.id, name, version)
      assert.equal(verdict.decision, expected === 'malicious' ? 'block' : 'allow', `${ecosystem} ${name}@${version}`)
      assert.deepEqual([...verdict.advisoryIds].sort(), [...records].sort(), `${ecosystem} ${name}@${version}`)
    }
  } finally {
    await gatehouse.close()
  }
})
