import type { Logger } from 'pino'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { ConnectionOptions } from '../../../kernel/database/connections/connection.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { runInThread } from '../../../kernel/threads/run-in-thread.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { firewallChannel, readSigns, type Signs } from '../advisories/advisory-store.ts'
import { type LayeredIndex, layeredIndex } from '../advisories/layered-index.ts'
import type { LoadedIndex } from '../advisories/load-index.ts'
import { noExceptions } from '../exceptions/exception-table.ts'
import { loadGranted, nothingGranted } from '../exceptions/granted-store.ts'
import { loadConfigurations } from './configuration-store.ts'
import type { FirewallConfiguration } from './firewall-configuration.ts'

export type VerdictDataKeeper = ReturnType<typeof createVerdictData>

/** What is asked of the thread: an index of everything that came after a revision. */
export type IndexTask = { connection: ConnectionOptions; after: number }

const script = new URL('../advisories/index-thread.ts', import.meta.url)
const pollMs = 1_000
const nothingLoaded =
  'no advisories about malicious packages are loaded, so the firewall refuses every package: ' +
  'set GATEHOUSE_FEED, or run gatehouse feed sync'

/**
 * Keeps what verdicts are made of in memory and current: told of a change at once, and looking every second in case it was
 * not told. Until it has looked once, and while there are no advisories, there is no knowledge; until every feed has come in,
 * there is not enough of it.
 */
export function createVerdictData({
  db,
  connection,
  clock,
  log,
  configured,
}: {
  db: Database
  clock: Clock
  connection: ConnectionOptions
  log: Logger
  /** The places of the feeds that there ought to be. */
  configured: readonly string[]
}) {
  let index: LayeredIndex | undefined
  let checkedAt: Date | undefined
  let configurations: ReadonlyMap<number, FirewallConfiguration> = new Map()
  let granted = nothingGranted
  let known: Signs | undefined
  let running: Promise<void> | undefined
  let again = false
  let closed = false
  let complained = false
  const worker = { query: db.workerQuery }
  const timer = setInterval(() => void refresh(), pollMs).unref()
  const listener = db.listen(firewallChannel, () => void refresh())

  /** Resolves when what had changed by the time of the call is known. */
  function refresh(): Promise<void> {
    again = true
    running ??= run().finally(() => {
      running = undefined
    })
    return running
  }

  async function run(): Promise<void> {
    while (again && !closed) {
      again = false
      try {
        await update()
        complained = false
      } catch (error) {
        if (!complained && !closed) log.warn({ err: error }, 'the advisories could not be refreshed')
        complained = true
      }
    }
  }

  async function update(): Promise<void> {
    // Before the index: what is said to have come in by now is in it.
    const signs = await readSigns(worker, configured)
    const isNewIndex = signs.checkedAt !== null && signs.revision !== index?.revision
    const fresh = isNewIndex ? await load() : index
    // After the index: a new advisory that a deployment holds back comes together with its hold.
    const freshConfigurations =
      isNewIndex || signs.configurations !== known?.configurations ? await loadConfigurations(worker) : configurations
    const freshGranted =
      granted.hasTeams || signs.configurations !== known?.configurations
        ? await loadGranted(worker, clock.now())
        : granted
    if (signs.checkedAt === null && known?.checkedAt !== null) log.warn(nothingLoaded)
    index = signs.checkedAt === null ? undefined : fresh
    checkedAt = signs.checkedAt ?? undefined
    configurations = freshConfigurations
    granted = freshGranted
    known = signs
    if (isNewIndex) log.info({ packages: index?.packageCount, revision: index?.revision }, 'advisories loaded')
  }

  async function load(): Promise<LayeredIndex> {
    if (!index || index.isWorn) return layeredIndex(await loadAfter(0))
    return layeredIndex(index.base, await loadAfter(index.base.revision))
  }

  function loadAfter(after: number): Promise<LoadedIndex> {
    return runInThread(script, { connection, after } satisfies IndexTask)
  }

  async function close(): Promise<void> {
    closed = true
    clearInterval(timer)
    await listener.close()
    await running
  }

  return {
    refresh,
    close,
    /** It knows what there is, be it that there are no advisories. */
    hasLooked: () => known !== undefined,
    /** It has looked, and there are no advisories. */
    isEmpty: () => known?.checkedAt === null,
    current: () => (index && checkedAt ? { index, checkedAt, missesFeed: known!.missesFeed } : undefined),
    configurationOf: (deploymentId: number) => configurations.get(deploymentId),
    exceptionsOf: (deploymentId: number) => granted.exceptions.get(deploymentId) ?? noExceptions,
    contactOf: (deploymentId: number) => granted.contacts.get(deploymentId) ?? '',
    /** Whether an advisory names the package; what is not known yet may be. */
    isNamed: (ecosystem: EcosystemId, name: string) => index?.knows(ecosystem, name) ?? true,
  }
}
