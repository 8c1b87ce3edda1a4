import assert from 'node:assert/strict'
import { testFeed } from '../../src/capabilities/firewall/advisories/test-feed.ts'
import { recommendedRules } from '../../src/capabilities/firewall/rules/recommended-rules.ts'
import { type CargoRegistrySandbox, startCargoRegistry } from '../../src/sandbox/registries/cargo-registry.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../../src/sandbox/registries/npm-registry.ts'
import { type PypiRegistrySandbox, startPypiRegistry } from '../../src/sandbox/registries/pypi-registry.ts'
import { openGatehouse } from '../gatehouse.ts'
import type { Incident, Release } from './incident.ts'

/** What a rule did with a version. */
export type Outcome = { version: string; ruleId: number; because: string; until: Date; hours: number }
export type Replayed = { attack: Outcome[]; afterwards: Outcome }

export type Replay = Awaited<ReturnType<typeof openReplay>>

type Registries = { npm: NpmRegistrySandbox; pypi: PypiRegistrySandbox; cargo: CargoRegistrySandbox }
type World = Awaited<ReturnType<typeof openWorld>>

const hourMs = 3_600_000
const minuteMs = 60_000
/** They are good for a year, and take no offence at the time before. */
const tokensMadeAt = new Date('2026-01-01T00:00:00Z')

/**
 * The incidents in two worlds: while they were going on, and after their versions were gone and the next harmless release was out. No
 * advisory names any of them. The recommended rules are in force in the first deployment of each; the other has none.
 */
export async function openReplay(incidents: readonly Incident[]) {
  const clock = { at: tokensMadeAt, now: () => clock.at }
  const during = await openWorld(clock, incidents, ({ before, attack }) => [...before, ...attack])
  // Clients have no need of it.
  let later: Promise<World> | undefined
  const openLater = () => openWorld(clock, incidents, ({ before, after }) => [...before, after])

  /** The worst moment for a minimum age: just before the registry took the last of it away. */
  function goTo(incident: Incident): void {
    clock.at = new Date(Date.parse(incident.removedAt) - minuteMs)
  }

  async function replay(incident: Incident): Promise<Replayed> {
    const attack: Outcome[] = []
    clock.at = tokensMadeAt
    later ??= openLater()
    const afterwards = await later
    for (const release of incident.attack) {
      goTo(incident)
      attack.push(await outcomeOf(during, incident, release))
    }
    clock.at = new Date(Date.parse(incident.after.publishedAt) + minuteMs)
    return { attack, afterwards: await outcomeOf(afterwards, incident, incident.after) }
  }

  /** Held now, still held in the minute before it says so, and no longer then. */
  async function outcomeOf(world: World, incident: Incident, { version, publishedAt }: Release): Promise<Outcome> {
    const { refuse, rule, ruleId, reason } = await world.ask(incident, version)
    assert.deepEqual([refuse, rule], [true, 'rule_hold'], `${incident.name}@${version}: ${reason}`)
    const [, because = '', until = ''] = /^(.*?)\. It is held back until (\S+)\. /.exec(reason) ?? []
    const end = new Date(until)
    clock.at = new Date(end.getTime() - minuteMs)
    assert.equal((await world.ask(incident, version)).refuse, true, `${incident.name}@${version} before ${until}`)
    clock.at = end
    assert.equal((await world.ask(incident, version)).refuse, false, `${incident.name}@${version} at ${until}`)
    // The end is told by the minute that it is over in.
    const hours = Math.floor((end.getTime() - Date.parse(publishedAt)) / hourMs)
    return { version, ruleId, because, until: end, hours }
  }

  async function close(): Promise<void> {
    try {
      await during.close()
    } finally {
      await (await later)?.close()
    }
  }

  return { goTo, replay, during, close }
}

async function openWorld(
  clock: { now(): Date },
  incidents: readonly Incident[],
  releasesOf: (incident: Incident) => Release[],
) {
  const [npm, pypi, cargo] = await Promise.all([startNpmRegistry(), startPypiRegistry(), startCargoRegistry()])
  const registries = { npm, pypi, cargo }
  for (const incident of incidents) publish(registries, incident, releasesOf(incident))
  const env = {
    GATEHOUSE_NPM_UPSTREAM: npm.url,
    GATEHOUSE_PYPI_UPSTREAM: pypi.indexUrl,
    GATEHOUSE_CARGO_UPSTREAM: cargo.url,
  }
  const gatehouse = await openGatehouse({ clock, env, jobs: false })
  const feed = testFeed()
  // Without any advisory, nothing is let through. This one is about nothing here.
  feed.add({ id: 'MAL-0000-1', name: 'of-another-story' })
  await gatehouse.firewall.feeds.sync(feed.place)
  feed.remove()
  const path = '/api/firewall/v1/deployments/1'
  const rules = recommendedRules.map(({ id: _, ...rule }) => rule)
  const put = await gatehouse.call('PUT', `${path}/rules`, { body: { mode: 'enforce', rules } })
  assert.equal(put.status, 200, JSON.stringify(put.body))
  const { id } = await gatehouse.addDeployment()
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const [ruled, unruled] = await Promise.all(
    [1, id].map(async (each) => ({ id: each, as: await gatehouse.makeToken(jwt, each, { expiresInDays: 365 }) })),
  )
  await gatehouse.firewall.refresh()

  async function ask({ ecosystem, name }: Incident, version: string) {
    const answer = await gatehouse.call('GET', `${path}/verdict?${new URLSearchParams({ ecosystem, name, version })}`, {
      as: ruled!.as,
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  /** What a client gets that asks for exactly this version. */
  async function statusAt(
    deployment: { id: number; as: string },
    incident: Incident,
    version: string,
  ): Promise<number> {
    const headers = { authorization: `Bearer ${deployment.as}`, 'user-agent': 'incident-replay' }
    const answer = await fetch(`${gatehouse.url}/firewall/${deployment.id}/${artifactOf(incident, version)}`, {
      headers,
    })
    await answer.arrayBuffer()
    return answer.status
  }

  async function close(): Promise<void> {
    try {
      await gatehouse.close()
    } finally {
      for (const registry of Object.values(registries)) await registry.close()
    }
  }

  return { url: gatehouse.url, ruled: ruled!, unruled: unruled!, ask, statusAt, close }
}

function publish({ npm, pypi, cargo }: Registries, incident: Incident, releases: Release[]): void {
  const { ecosystem, name, others = [] } = incident
  const all = [...releases.map((release) => ({ name, ...release })), ...others]
  const known = new Set(all.map((release) => release.name))
  const needed = new Set(all.flatMap(({ dependencies = {} }) => Object.keys(dependencies)))
  for (const release of all) {
    if (ecosystem === 'npm') npm.publish(release)
    else if (ecosystem === 'pypi') pypi.publish(release)
    else cargo.publish(release)
  }
  // Dependencies that have no part in it, so that clients find something.
  for (const other of needed)
    if (!known.has(other) && ecosystem === 'npm') npm.publish({ name: other, version: '1.0.0' })
}

function artifactOf({ ecosystem, name }: Incident, version: string): string {
  if (ecosystem === 'npm') return `npm/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`
  if (ecosystem === 'pypi') return `pypi/simple/${name}/${name}-${version}-py3-none-any.whl`
  return `cargo/api/v1/crates/${name}/${version}/download`
}
