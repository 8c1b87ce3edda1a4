import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Running, serve } from '../serve.ts'
import { readSettings } from '../settings/settings.ts'
import type { Welcome } from '../start/first-start.ts'
import { createDemoClient } from './client.ts'
import { seedAutomations } from './company/automations.ts'
import { seedDecisions } from './company/decisions.ts'
import { seedIntegrations } from './company/integrations.ts'
import { seedIssues } from './company/issues.ts'
import { seedOrganisation } from './company/organisation.ts'
import { spreadDecisions } from './company/past-decisions.ts'
import { seedPolicies } from './company/policies.ts'
import { seedServiceAccounts } from './company/service-accounts.ts'
import { seedWatches } from './company/watches.ts'
import { createDemoClock, type DemoClock } from './demo-clock.ts'
import { publishPackages } from './firewall/artifacts.ts'
import { seedExceptions } from './firewall/exceptions.ts'
import { type DemoFeeds, writeFeeds } from './firewall/feeds.ts'
import { loadFeeds, seedIncidents } from './firewall/incidents.ts'
import { seedPrivateNames } from './firewall/private-names.ts'
import { seedTraffic } from './firewall/traffic.ts'
import { seedHistory } from './scans/history.ts'
import { type SimulatedServices, startSimulatedServices } from './simulated-services.ts'
import { type DemoSizeName, demoSizes } from './size.ts'

export type Demo = {
  url: string
  welcome: Welcome
  scans: number
  repositories: number
  /** Addresses of the sandbox, by what is there. */
  outside: Record<string, string>
  stop(): Promise<void>
}

/** Hears what is being done, and how far the longest part of it is. */
export type DemoWatcher = { say(line: string): void; onProgress(done: number, total: number): void }

type World = { size: DemoSizeName; clock: DemoClock; feeds: DemoFeeds; outside: SimulatedServices; running: Running }

/**
 * Gatehouse with nothing left to configure, in a folder of its own that goes when it stops: a sandbox of the outside world,
 * and a year of a company's life that comes in through the same interfaces as anybody's.
 */
export async function openDemo(
  env: NodeJS.ProcessEnv,
  log: Logger,
  { size, databaseUrl = '', ...watcher }: DemoWatcher & { size: DemoSizeName; databaseUrl?: string },
): Promise<Demo> {
  const { say } = watcher
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-demo-'))
  say('Starting a sandbox of the outside world: registries, a tracker, chat and mail.')
  const outside = await startSimulatedServices()
  const clock = createDemoClock()
  const feeds = writeFeeds(join(folder, 'feeds'))
  const leave = async () => {
    await outside.close()
    rmSync(folder, { recursive: true, force: true })
  }
  say(`Setting up a database in ${folder}, which goes when the demo stops.`)
  const running = await open().catch(async (error) => {
    await leave()
    throw error
  })

  function open(): Promise<Running> {
    const given = { GATEHOUSE_DATA: join(folder, 'data'), DATABASE_URL: databaseUrl, ...feeds.settings }
    return serve(readSettings({ ...env, ...outside.settings, ...given }), log, clock)
  }

  async function stop(): Promise<void> {
    await running.stop()
    await leave()
  }

  try {
    const scans = await seed({ size, clock, feeds, outside, running }, watcher)
    const { url, welcome } = running
    const { repositories } = demoSizes[size]
    return { url, welcome: welcome!, scans, repositories, outside: outside.places, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Answers how many scans there were. */
async function seed({ clock, feeds, outside, running, ...world }: World, watcher: DemoWatcher): Promise<number> {
  const { say, onProgress } = watcher
  const size = demoSizes[world.size]
  const { application, url } = running
  const { deploymentId, token } = running.welcome!
  const owner = createDemoClient(url, token)
  publishPackages(outside)
  await loadFeeds({ application, feeds })
  say(`Making a company: people, teams, ${size.repositories} repositories, policies and integrations.`)
  const organisation = await seedOrganisation(owner, deploymentId, size, outside.mailTo)
  await seedPolicies(owner, deploymentId)
  await seedIntegrations(owner, deploymentId, outside)
  await seedAutomations(owner, deploymentId)
  await seedServiceAccounts(owner, deploymentId, running.welcome!)
  say('Fetching packages through the firewall, a year of them.')
  await seedTraffic(owner, deploymentId, { size, clock, organisation })
  say('Uploading a year of scans through the API.')
  const scans = await seedHistory(owner, deploymentId, size, onProgress)
  await seedWatches(owner, deploymentId)
  say('Finding out about malicious packages, deciding about findings, writing tickets.')
  await seedIncidents(owner, deploymentId, { application, clock, feeds })
  await seedPrivateNames(owner, deploymentId, { ownNpm: outside.ownNpm, organisation })
  await seedExceptions(owner, deploymentId, { application, organisation })
  await seedDecisions(owner, deploymentId, organisation)
  await seedIssues(owner, deploymentId, size, organisation)
  await spreadDecisions(application.db, deploymentId)
  return scans
}
