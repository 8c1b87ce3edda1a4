import type { Command } from 'commander'
import { createFeeds } from '../../capabilities/firewall/advisories/feeds.ts'
import { createEpssFeeds } from '../../capabilities/vulnerabilities/epss/epss-feeds.ts'
import { createExploitedFeeds } from '../../capabilities/vulnerabilities/exploited/exploited-feeds.ts'
import { createVulnerabilityFeeds } from '../../capabilities/vulnerabilities/feeds/feeds.ts'
import { composeCore } from '../../compose/core.ts'
import { type FeedLocation, feedLocationName, parseFeedLocation } from '../../feeds/feed-location.ts'
import type { SyncResult } from '../../feeds/feed-sync.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { createOutbound } from '../../outbound/client/client.ts'
import { readSettings, type Settings } from '../../settings/settings.ts'
import { openMasterKey } from '../../start/master-key.ts'
import { reachDatabase, requireSchema } from '../../start/open-database.ts'
import { CommandProblem } from '../command-problem.ts'
import { createLog } from '../log.ts'
import { print } from '../output.ts'

/** For whoever has the data folder, or the master key and the database. */
export function feedCommand(program: Command, finish: (code: number) => void): void {
  const feed = program
    .command('feed')
    .description(
      'look after the feeds: malicious packages, vulnerabilities, and which of those are exploited or probably will be',
    )
  feed
    .command('sync')
    .description(
      'take over what feeds have now; those of GATEHOUSE_FEED, GATEHOUSE_VULNERABILITY_FEED, GATEHOUSE_EXPLOITED_FEED and GATEHOUSE_EPSS_FEED where none is named',
    )
    .argument('[place...]', 'folders, zip, tar, NDJSON or JSON files, or https addresses, in the OSV format')
    .option('--vulnerabilities', vulnerabilitiesHelp)
    .option('--exploited', exploitedHelp)
    .option('--epss', epssHelp)
    .option('--force', 'also take over a feed that is corrupt or has lost more than 5 % of its advisories')
    .option('--json', 'print JSON, for programs')
    .action(async (names: string[], options: { force?: boolean } & KindOption, command: Command) => {
      const results = await withFeeds(async (feeds, settings) => {
        const all: (SyncResult & { kind: Kind })[] = []
        for (const { kind, place } of chosen(names, kindOf(options), settings)) {
          all.push({ kind, ...(await feeds[kind].sync(place, { force: options.force ?? false })) })
        }
        return all
      })
      print(command, { feeds: results }, results.map(told).join('\n'))
      finish(results.some(({ outcome }) => outcome === 'refused') ? 1 : 0)
    })
  feed
    .command('list')
    .description('show the feeds, how many advisories they have, and how old they are')
    .option('--json', 'print JSON, for programs')
    .action(async (_, command: Command) => {
      const feeds = await withFeeds(async ({ malware, vulnerabilities, exploited, epss }) => [
        ...(await malware.list()).map((feed) => ({ kind: 'malware', ...feed })),
        ...(await vulnerabilities.list()).map((feed) => ({ kind: 'vulnerabilities', ...feed })),
        ...(await exploited.list()).map((feed) => ({ kind: 'exploited', ...feed })),
        ...(await epss.list()).map((feed) => ({ kind: 'epss', ...feed })),
      ])
      const lines = feeds.map(({ kind, place, recordCount, checkedAt, problem }) => {
        const state = checkedAt
          ? `${recordCount} advisories, current at ${checkedAt.toISOString()}`
          : 'nothing taken over'
        return `${place} (${kind}): ${state}${problem && `\n    → ${problem}`}`
      })
      print(command, { feeds }, lines.join('\n') || 'There are no feeds yet: gatehouse feed sync PLACE')
    })
  feed
    .command('remove')
    .description('take back everything that feeds brought')
    .argument('<place...>', 'as the list shows them')
    .option('--vulnerabilities', vulnerabilitiesHelp)
    .option('--exploited', exploitedHelp)
    .option('--epss', epssHelp)
    .option('--json', 'print JSON, for programs')
    .action(async (names: string[], options: KindOption, command: Command) => {
      const kind = kindOf(options)
      await withFeeds(async (feeds) => {
        const known = new Set((await feeds[kind].list()).map(({ place }) => place))
        const missing = names.filter((name) => !known.has(feedLocationName(placeOf(name))))
        if (missing.length > 0) throw new CommandProblem(`There is no feed '${missing.join("', '")}'.`)
        for (const name of names) await feeds[kind].remove(placeOf(name))
      })
      const lines = names.map((name) => `${name} is gone, and so is everything it said.`)
      print(command, { removed: names }, lines.join('\n'))
    })
}

type Kind = 'malware' | 'vulnerabilities' | 'exploited' | 'epss'
type KindOption = { vulnerabilities?: boolean; exploited?: boolean; epss?: boolean }

const vulnerabilitiesHelp = 'it is about vulnerabilities; without this, about malicious packages'
const exploitedHelp = 'it is a list of known exploited vulnerabilities, in the format of CISA'
const epssHelp = 'it is a list of EPSS scores, in the format of FIRST'

function kindOf({ vulnerabilities, exploited, epss }: KindOption): Kind {
  if (epss) return 'epss'
  if (exploited) return 'exploited'
  return vulnerabilities ? 'vulnerabilities' : 'malware'
}

/** Those that are named, or else all that the settings name. */
function chosen(names: string[], kind: Kind, settings: Settings): { kind: Kind; place: FeedLocation }[] {
  if (names.length > 0) return names.map((name) => ({ kind, place: placeOf(name) }))
  const places: Record<Kind, readonly FeedLocation[]> = {
    malware: settings.feeds,
    vulnerabilities: settings.vulnerabilityFeeds,
    exploited: settings.exploitedFeeds,
    epss: settings.epssFeeds,
  }
  const kinds = kind === 'malware' ? (Object.keys(places) as Kind[]) : [kind]
  const wanted = kinds.flatMap((each) => places[each].map((place) => ({ kind: each, place })))
  if (wanted.length === 0) {
    throw new CommandProblem(
      'Name a feed, or set GATEHOUSE_FEED, GATEHOUSE_VULNERABILITY_FEED, GATEHOUSE_EXPLOITED_FEED or GATEHOUSE_EPSS_FEED.',
    )
  }
  return wanted
}

type FeedsOfAllKinds = {
  malware: ReturnType<typeof createFeeds>
  vulnerabilities: ReturnType<typeof createVulnerabilityFeeds>
  exploited: ReturnType<typeof createExploitedFeeds>
  epss: ReturnType<typeof createEpssFeeds>
}

async function withFeeds<T>(work: (feeds: FeedsOfAllKinds, settings: Settings) => Promise<T>): Promise<T> {
  const settings = readSettings(process.env)
  const log = createLog('silent')
  const database = await reachDatabase(settings, log)
  const { connection, stop } = database
  try {
    await requireSchema(database)
    const masterKey = await openMasterKey(settings, connection)
    const { db } = composeCore({ connection, masterKey, clock: systemClock })
    const outbound = createOutbound({ allow: settings.egressAllow })
    try {
      const { dataFolder: folder, diskReserveBytes: reserveBytes } = settings
      const given = { db, connection, outbound, clock: systemClock, log, folder, reserveBytes }
      const vulnerabilities = createVulnerabilityFeeds(given)
      const exploited = createExploitedFeeds(given)
      const epss = createEpssFeeds(given)
      return await work({ malware: createFeeds(given), vulnerabilities, exploited, epss }, settings)
    } finally {
      await outbound.close()
      await db.close()
    }
  } finally {
    await stop()
  }
}

function placeOf(text: string): FeedLocation {
  const place = parseFeedLocation(text)
  if (!place)
    throw new CommandProblem(`'${text}' is not a folder, a file, or an https address without user name and password.`)
  return place
}

function told(result: SyncResult): string {
  const { place } = result
  if (result.outcome === 'current') return `${place}: nothing new.`
  if (result.outcome === 'refused') {
    return `${place}: not taken over, what was active stays. ${result.problem} To take it over all the same: --force`
  }
  const { records, added, changed, removed, otherRecords } = result
  const others = otherRecords > 0 ? ` ${otherRecords} records are about other things and were left out.` : ''
  return `${place}: ${records} advisories; ${added} new, ${changed} changed, ${removed} gone.${others}`
}
