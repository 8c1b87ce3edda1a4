import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { often } from '../../../../test/depth.ts'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { findEcosystem, findOsvEcosystem } from '../../../ecosystems/registry.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { enqueue } from '../../../kernel/jobs/outbox.ts'
import { recount } from '../../findings/public.ts'
import { listPackageIds } from '../../inventory/public.ts'
import { upload } from '../../scans/test-upload.ts'
import { advisoryFolder, osv, type TestAdvisory, type TestPackage } from '../feeds/test-advisories.ts'
import { findingsOf, settled } from '../test-vulnerabilities.ts'
import { matchKind } from './enqueue-rematches.ts'
import * as spreadStore from './rematch-store.ts'
import { isVulnerable } from './test-naive.ts'

const gatehouse = await openGatehouse()
const { feeds } = gatehouse.vulnerabilities
after(() => gatehouse.close())

const repositories = 6
const versions = {
  npm: ['0.1.0', '1.0.0-rc.1', '1.0.0', '1.2.0', '2.0.0', '2.0.1', '10.0.0'],
  PyPI: ['0.9', '1.0rc1', '1.0', '1.0.post1', '1.10', '2.0.dev1', '2.0'],
  Maven: ['1.0-alpha-1', '1.0', '1.0-sp1', '1.1', '1.10', '2-rc1', '2'],
} as const
type Ecosystem = keyof typeof versions
const names: Record<Ecosystem, string[]> = { npm: ['a', '@s/b'], PyPI: ['Da.Ta', 'e'], Maven: ['g:h', 'g:i'] }
const purlTypes: Record<Ecosystem, string> = { npm: 'npm', PyPI: 'pypi', Maven: 'maven' }

const ecosystem = fc.constantFrom(...(Object.keys(versions) as Ecosystem[]))
const named = ecosystem.chain((system) =>
  fc.record({ system: fc.constant(system), name: fc.constantFrom(...names[system]) }),
)
const versionOf = (system: Ecosystem) => fc.constantFrom(...versions[system])

const event = (system: Ecosystem) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.oneof(fc.constant('0'), versionOf(system)).map((introduced) => ({ introduced })) },
    { weight: 3, arbitrary: versionOf(system).map((fixed) => ({ fixed })) },
    { weight: 2, arbitrary: versionOf(system).map((last_affected) => ({ last_affected })) },
    { weight: 1, arbitrary: fc.oneof(fc.constant('*'), versionOf(system)).map((limit) => ({ limit })) },
  )

const affected: fc.Arbitrary<TestPackage> = named.chain(({ system, name }) =>
  fc.record({
    name: fc.constant(name),
    ecosystem: fc.constant(system),
    ranges: fc.array(
      fc.record({
        type: fc.constantFrom('SEMVER', 'ECOSYSTEM', 'GIT'),
        events: fc.array(event(system), { minLength: 1, maxLength: 4 }),
      }),
      { maxLength: 2 },
    ),
    versions: fc.array(versionOf(system), { maxLength: 2 }),
  }),
)

const advisory = (n: number): fc.Arbitrary<TestAdvisory> =>
  fc.record({
    id: fc.constant(`GHSA-${n}`),
    aliases: fc.array(
      fc.integer({ min: 0, max: 25 }).map((alias) => `CVE-${alias}`),
      { maxLength: 1 },
    ),
    affected: fc.array(affected, { minLength: 1, maxLength: 3 }),
    ...(n % 7 === 0 ? { withdrawn: fc.constantFrom('2026-01-02T00:00:00Z', '') } : {}),
  })

const feedOf = (size: number) => fc.tuple(...Array.from({ length: size }, (_, n) => advisory(n)))
const inventory = fc.array(
  named.chain((one) => versionOf(one.system).map((version) => ({ ...one, version }))),
  { maxLength: 12 },
)
type Entry = { system: Ecosystem; name: string; version: string }

function bom(entries: Entry[]): string {
  const components = entries.map(({ system, name, version }) => {
    const path = name.replace('@', '%40').replace(':', '/')
    return { type: 'library', name, version, purl: `pkg:${purlTypes[system]}/${path}@${version}` }
  })
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components })
}

/** `npm a 1.0.0: CVE-1 GHSA-3`: the package, its lowest affected version, and all names of the vulnerability. */
function expected(advisories: readonly TestAdvisory[], entries: readonly Entry[]): string[] {
  const lines: string[] = []
  for (const system of Object.keys(names) as Ecosystem[]) {
    for (const name of names[system]) {
      const here = entries.filter((entry) => entry.system === system && entry.name === name)
      const hits = advisories.map((each) => ({
        ids: new Set([each.id, ...(each.aliases ?? [])]),
        versions: here
          .filter(({ version }) => isVulnerable(osv(each), system, name, version))
          .map((one) => one.version),
      }))
      let groups = hits.filter((hit) => hit.versions.length > 0)
      for (let before = -1; before !== groups.length; ) {
        before = groups.length
        const next: typeof groups = []
        for (const hit of groups) {
          const same = next.find((group) => !group.ids.isDisjointFrom(hit.ids))
          if (!same) next.push({ ids: new Set(hit.ids), versions: [...hit.versions] })
          else {
            same.ids = same.ids.union(hit.ids)
            same.versions.push(...hit.versions)
          }
        }
        groups = next
      }
      const { compare, id, normalizeName } = findOsvEcosystem(system)!
      for (const { ids, versions: hit } of groups) {
        lines.push(`${id} ${normalizeName(name)} ${hit.sort(compare)[0]}: ${[...ids].sort().join(' ')}`)
      }
    }
  }
  return lines.sort()
}

async function found(repository: string): Promise<string[]> {
  const open = (await findingsOf(gatehouse, repository)).filter((one) => one.triageState !== 'TRIAGE_STATE_FIXED')
  return open
    .map(({ dependency: { ecosystem, name, version }, vulnerabilityIds }) => {
      return `${ecosystem} ${findEcosystem(ecosystem)!.normalizeName(name)} ${version}: ${vulnerabilityIds.toSorted().join(' ')}`
    })
    .sort()
}

async function history(): Promise<unknown> {
  return gatehouse.db.as(gatehouse.owner).query(sql`select id, state, change_count, digest from finding
    where deployment_id = ${gatehouse.owner.deploymentId} order by id`)
}

test('findings equal the algorithm of the schema, after scans and after every change of the feed, step by step or at once', async () => {
  const tenant = gatehouse.db.as(gatehouse.owner)
  const feed = advisoryFolder()
  let round = 0
  const size = 30
  await fc.assert(
    fc.asyncProperty(
      fc.array(inventory, { minLength: repositories, maxLength: repositories }),
      fc.array(feedOf(size), { minLength: 3, maxLength: 3 }),
      fc.array(fc.integer({ min: 0, max: size - 1 }), { minLength: 1, maxLength: 6 }),
      async (inventories, states, few) => {
        round++
        let current: TestAdvisory[] = []
        const change = async (next: TestAdvisory[]) => {
          for (const { id } of current.filter((one) => !next.some((other) => other.id === one.id))) feed.drop(id)
          current = next
          feed.put(...next)
          const done = await feeds.sync(feed.place, { force: true })
          assert.notEqual(done.outcome, 'refused')
          await settled(gatehouse)
        }
        const compareAll = async () => {
          for (const [at, entries] of inventories.entries()) {
            assert.deepEqual(await found(`round/${round}-${at}`), expected(current, entries))
          }
        }
        await change(states[0]!)
        for (const [at, entries] of inventories.entries()) {
          const sent = await upload(
            gatehouse,
            { repository: `round/${round}-${at}`, allowEmpty: true },
            { 'bom.json': bom(entries) },
          )
          assert.equal(sent.status, 200, JSON.stringify(sent.body))
        }
        await compareAll()
        // A few records change, then some are gone, then all are others.
        const before = await spreadStore.findRevision(tenant)
        await change(states[0]!.map((one, n) => (few.includes(n) ? states[1]![n]! : one)))
        await compareAll()
        await change(current.filter((_, n) => !few.includes(n)))
        await compareAll()
        await change(states[2]!)
        await compareAll()

        const changed = (await spreadStore.listChanged(tenant, before, 10_000))!
        const ids = await listPackageIds(tenant, 0, 10_000)
        const [byName, byId] = [
          await spreadStore.listRepositories(tenant, changed, before),
          await spreadStore.listRepositories(tenant, ids, before),
        ]
        assert.deepEqual(byName.toSorted(), byId.toSorted())

        const incremental = await history()
        const all = await tenant.query<{ id: number }>(sql`select id from repository
          where deployment_id = ${tenant.deploymentId} and name like ${`round/${round}-%`}`)
        await gatehouse.db.transaction(systemActor(tenant.deploymentId, 'test'), async (tx) => {
          for (const { id } of all) await enqueue(tx, { kind: matchKind, payload: { repositoryId: id } })
        })
        await settled(gatehouse)
        assert.deepEqual(await history(), incremental)
        assert.deepEqual(await recount(tenant), [])
      },
    ),
    { numRuns: often(2), endOnFailure: true },
  )
  await feeds.remove(feed.place)
  feed.remove()
})
