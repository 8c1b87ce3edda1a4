import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Welcome } from '../first-start.ts'
import { serve } from '../serve.ts'
import { readSettings } from '../settings.ts'
import { createDemoClient } from './client.ts'
import { seedDecisions } from './decisions.ts'
import { writeFeeds } from './feeds.ts'
import { seedHistory } from './history.ts'
import { seedIntegrations } from './integrations.ts'
import { seedOrganisation } from './organisation.ts'
import { startOutside } from './outside.ts'
import { publishPackages, seedFetches } from './packages.ts'
import { seedPolicies } from './policies.ts'

export type Demo = {
  url: string
  welcome: Welcome
  scans: number
  /** Addresses of the sandbox, by what is there. */
  outside: Record<string, string>
  stop(): Promise<void>
}

/** Hears what is being done, and how far the longest part of it is. */
export type DemoWatcher = { say(line: string): void; onProgress(done: number, total: number): void }

/**
 * Gatehouse with nothing left to configure, in a folder of its own that goes when it stops: a sandbox of the outside world,
 * and a year of a company's life that comes in through the same doors as anybody's.
 */
export async function openDemo(env: NodeJS.ProcessEnv, log: Logger, { say, onProgress }: DemoWatcher): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-demo-'))
  say('Starting a sandbox of the outside world: registries, a tracker, chat and mail.')
  const outside = await startOutside()
  const given = { GATEHOUSE_DATA: join(folder, 'data'), DATABASE_URL: '', ...writeFeeds(join(folder, 'feeds')) }
  const settings = readSettings({ ...env, ...outside.settings, ...given })
  say(`Setting up a database in ${folder}, which goes when the demo stops.`)
  const running = await serve(settings, log).catch(async (error) => {
    await outside.close()
    rmSync(folder, { recursive: true, force: true })
    throw error
  })

  async function stop(): Promise<void> {
    await running.stop()
    await outside.close()
    rmSync(folder, { recursive: true, force: true })
  }

  try {
    const welcome = running.welcome!
    const { deploymentId } = welcome
    const owner = createDemoClient(running.url, welcome.token)
    publishPackages(outside)
    say('Making a company: people, teams, 40 repositories, policies and integrations.')
    const organisation = await seedOrganisation(owner, deploymentId, outside.mailTo)
    await seedPolicies(owner, deploymentId)
    await seedIntegrations(owner, deploymentId, outside)
    say('Uploading a year of its scans through the API. This takes a minute or two.')
    const scans = await seedHistory(owner, deploymentId, onProgress)
    say('Fetching packages through the firewall and deciding about findings.')
    await seedFetches(owner, deploymentId)
    await seedDecisions(owner, deploymentId, organisation)
    return { url: running.url, welcome, scans, outside: outside.places, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
