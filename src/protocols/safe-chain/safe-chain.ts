import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGunzip, gzip, gzipSync } from 'node:zlib'
import { listAdvisoriesAbout } from '../../capabilities/firewall/advisories/published-advisories.ts'
import type { Override } from '../../capabilities/firewall/contract.ts'
import type { FirewallService } from '../../capabilities/firewall/service.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { takesCoding } from '../../kernel/contract/accept-encoding.ts'
import type { PublishedFile, PublishedFiles } from '../../kernel/contract/published-file.ts'
import type { Database } from '../../kernel/database/database.ts'
import { createYield } from '../../kernel/threads/event-loop-yield.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { deniedPackages, type ListedPackage, listedPackages } from './malware-list.ts'

export type SafeChainParts = {
  db: Database
  clock: Clock
  firewall: Pick<FirewallService, 'verdict' | 'listOverrides'>
  /** Another one whenever the verdicts in a deployment may be others. */
  verdictStamp(deploymentId: number): string
  /** Whose lists are open to everyone who reaches the server. */
  deployments: readonly number[]
}

type List = { stamp: string; madeAt: number; etag: string; packed: Buffer }

const lists = { 'malware_predictions.json': 'npm', 'malware_pypi.json': 'pypi' } as const
const batchRows = 1_000
/** Exceptions end without anybody changing anything. */
const freshMs = 10 * 60_000
const pack = promisify(gzip)

/**
 * The lists that Aikido's safe-chain reads its verdicts from. It sends no credentials, so they are only there for deployments that
 * the operator names.
 */
export function createSafeChain({ db, clock, firewall, verdictStamp, deployments }: SafeChainParts): PublishedFiles[] {
  const kept = new Map<string, Promise<List>>()

  /** Made once for all who ask, and again when something changed. */
  async function list(deploymentId: number, ecosystem: 'npm' | 'pypi'): Promise<List> {
    const key = `${deploymentId} ${ecosystem}`
    const known = await kept.get(key)?.catch(() => undefined)
    const stamp = verdictStamp(deploymentId)
    if (known && known.stamp === stamp && clock.now().getTime() - known.madeAt < freshMs) return known
    const made = make(deploymentId, ecosystem, stamp)
    kept.set(key, made)
    return made
  }

  async function make(deploymentId: number, ecosystem: 'npm' | 'pypi', stamp: string): Promise<List> {
    const now = clock.now()
    const lines = new Set(deniedPackages(await overridesOf(deploymentId), ecosystem, now).map(toLine))
    const verdictOf = (name: string, version: string) => firewall.verdict(deploymentId, ecosystem, name, version)
    const breath = createYield()
    for (let after = { feedId: 0, id: '' }; ; ) {
      const rows = await listAdvisoriesAbout(db.as({ deploymentId }), ecosystem, after, batchRows)
      for (const row of rows) {
        for (const entry of listedPackages(row, ecosystem, verdictOf)) lines.add(toLine(entry))
        await breath()
      }
      after = rows.at(-1) ?? after
      if (rows.length < batchRows) break
    }
    const packed = await pack(Buffer.from(`[${[...lines].join(',\n')}]`))
    const etag = `"${createHash('sha256').update(packed).digest('base64url').slice(0, 32)}"`
    return { stamp, madeAt: now.getTime(), etag, packed }
  }

  async function overridesOf(deploymentId: number): Promise<Override[]> {
    const found: Override[] = []
    for (let after = 0; ; ) {
      const actor = systemActor(deploymentId, 'safe-chain')
      const page = await firewall.listOverrides(actor, { after, size: 100 }, { state: 'in_force' })
      found.push(...page.overrides)
      if (!page.hasMore) return found
      after = Number(page.cursor)
    }
  }

  const at = (
    path: string,
    make: (deploymentId: number) => Promise<{ etag: string; packed: Buffer }>,
  ): PublishedFiles => ({
    url: `/firewall/:deploymentId/safe-chain/${path}`,
    access: 'everyone',
    async find({ deploymentId = '' }, encodings) {
      const id = deployments.find((one) => String(one) === deploymentId)
      return id === undefined ? undefined : fileOf(await make(id), encodings)
    },
  })

  return [
    ...Object.entries(lists).map(([path, ecosystem]) => at(path, (id) => list(id, ecosystem))),
    // How old a release has to be is for the registry adapters to say: they know when it was published.
    ...['npm', 'pypi'].map((ecosystem) => at(`releases/${ecosystem}.json`, async () => noReleases)),
  ]
}

const noReleases = { etag: '"none"', packed: gzipSync('[]') }

function fileOf({ etag, packed }: { etag: string; packed: Buffer }, encodings: string): PublishedFile {
  const file = { mediaType: 'application/json', etag }
  if (takesCoding(encodings, 'gzip')) return { ...file, encoding: 'gzip', chunks: () => Readable.from([packed]) }
  return { ...file, chunks: () => Readable.from([packed]).pipe(createGunzip()) }
}

function toLine(entry: ListedPackage): string {
  return JSON.stringify(entry)
}
