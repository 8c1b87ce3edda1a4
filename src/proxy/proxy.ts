import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Firewall } from '../capabilities/firewall/verdicts/verdict.ts'
import { accountName } from '../capabilities/people/public.ts'
import type { Actor } from '../kernel/access/actor.ts'
import type { RegistryAdapter } from '../kernel/contract/adapters/registry-adapter.ts'
import type { Database } from '../kernel/database/database.ts'
import type { DiskSpace } from '../kernel/disk/disk-space.ts'
import { createOutbound, type Outbound } from '../outbound/client/client.ts'
import { type Bucket, createObjectStore } from '../outbound/object-store/object-store.ts'
import type { CredentialRule } from '../outbound/ssrf-guard/plain-http.ts'
import type { KeyRing } from '../vault/key-ring.ts'
import { createArchiveCheck } from './archives/archive-check.ts'
import { createArtifactSource } from './artifact-source.ts'
import { createAskedVerdict } from './asked-verdict.ts'
import { createArtifacts } from './cache/artifacts.ts'
import { createDisk } from './cache/disk.ts'
import { cacheFigures } from './cache/figures.ts'
import { createStoredArtifacts } from './cache/stored-artifacts.ts'
import { createCargoAdapter } from './cargo/adapter.ts'
import { createNameCache } from './dependency-confusion/name-cache.ts'
import { createOwnership } from './dependency-confusion/name-ownership.ts'
import { recordPrivateNames } from './dependency-confusion/record-refusals.ts'
import { createGoAdapter } from './go/adapter.ts'
import { createFirstSeen } from './go/first-seen.ts'
import { createMavenAdapter } from './maven/adapter.ts'
import { createNpmAdapter } from './npm/adapter.ts'
import { createNpmAudit } from './npm/audit/audit.ts'
import { createOwnAudit } from './npm/audit/own-audit.ts'
import { createNpmMetadata } from './npm/metadata.ts'
import { isScopeClaimed, registriesForName } from './npm/scope-routing.ts'
import { createNpmSignatures } from './npm/signatures.ts'
import { createNpmTarballs } from './npm/tarballs.ts'
import { createPypiAdapter } from './pypi/adapter.ts'
import { createReleaseCheck } from './release-check.ts'
import { createThreads, threadLimits } from './threads/threads.ts'
import { type AwsIdentity, createRoleTokens } from './upstream/aws/role-tokens.ts'
import { ownerOf } from './upstream/collect-body.ts'
import { createDefaults, type UpstreamSettings } from './upstream/defaults.ts'
import { createRegistries } from './upstream/registries.ts'
import { type UpstreamTimes, usualTimes } from './upstream/times.ts'
import { createUpstreamErrors } from './upstream/upstream-errors.ts'
import { createUpstreams } from './upstream/upstreams.ts'

export type ProxyOptions = {
  db: Database
  ring: KeyRing
  firewall: Firewall
  outbound: Outbound
  egressAllow: string
  mayCarryCredentials: CredentialRule
  upstreams: UpstreamSettings
  /** The checksum database that vouches for public Go modules; undefined: none does. */
  goSumdb: string | undefined
  /** For registries that are signed in to by a cloud role; undefined: they cannot be. */
  aws?: AwsIdentity | undefined
  dataFolder: string
  cacheBytes: number
  /** Where artifacts are kept besides the disk; undefined: nowhere. */
  bucket?: Bucket | undefined
  /** Of this process; plenty unless told otherwise. */
  memoryBytes?: number
  log?: Logger
  /** How long the verdicts on a document of metadata are believed; a quarter of a second unless told otherwise. */
  judgedMs?: number
  /** Milliseconds that only ever grow; tests turn them forward. */
  now?: () => number
  /** The time of day, for tokens that end. */
  time?: () => Date
  /** How much room the file system has, which the cache gives way to. */
  space?: Pick<DiskSpace, 'cacheRoom' | 'onLook'>
  /** How long upstreams are waited for; as usual unless told otherwise. */
  times?: Partial<UpstreamTimes>
  /** After this many failures in a row an upstream is left alone for a while. */
  circuitFailures?: number
}

/** Less than the longest silence of a registry, which is kept waiting meanwhile. */
const roomWaitMs = 20_000

/** The registries that package clients talk to. */
export function createProxy({ db, ring, firewall, outbound, egressAllow, dataFolder, ...options }: ProxyOptions) {
  const { judgedMs = 250, now = () => performance.now(), time = () => new Date(), circuitFailures } = options
  const times = { ...usualTimes, ...options.times }
  const { patienceMs } = times
  const { space } = options
  const folder = join(dataFolder, 'packages')
  const disk = createDisk({
    folder,
    maxBytes: options.cacheBytes,
    ...(space && { room: () => space.cacheRoom(folder) }),
    waitMs: roomWaitMs,
    onUnusable: (error) =>
      options.log?.warn({ err: error }, 'processes on the folder of packages cannot count together'),
  })
  // What cannot be removed now is tried again at the next look.
  space?.onLook(() => void disk.adjust().catch(() => {}))
  const threads = createThreads(options.memoryBytes ? threadLimits(options.memoryBytes) : {})
  const artifacts = createArtifacts(disk, (algorithm, content, partition) =>
    threads.sumOfModule(ownerOf(partition), algorithm, content),
  )
  const errors = createUpstreamErrors()
  const store = options.bucket && createObjectStore({ bucket: options.bucket, allow: egressAllow })
  const stored = store && createStoredArtifacts({ store, artifacts, log: options.log })
  const checked = stored?.check()
  const source = createArtifactSource(artifacts, options.cacheBytes, stored)
  const defaults = createDefaults(options.upstreams)
  const operatorsOutbound = createOutbound({ allow: egressAllow, isOperators: defaults.isOperators, circuitFailures })
  const registries = createRegistries(db, ring, now)
  const roleTokens = createRoleTokens({ identity: options.aws, outbound, time })
  const { mayCarryCredentials } = options
  const upstreams = createUpstreams({
    registries,
    defaults,
    roleTokens,
    outbound,
    operatorsOutbound,
    mayCarryCredentials,
    times,
    onFailure: errors.note,
  })
  const ownership = createOwnership({ upstreams, memory: createNameCache(db, now), now })

  const npmGate = createReleaseCheck(firewall, 'npm')
  const npm = createNpmMetadata({ threads, ownership, releaseCheck: npmGate, disk, judgedMs, patienceMs, now, time })
  const archives = createArchiveCheck(threads, source)
  const tarballs = createNpmTarballs({ metadata: npm, source, archives, releaseCheck: npmGate })
  const upstreamFor = async ({ deploymentId }: Actor) => {
    const scene = await upstreams.find(deploymentId, 'npm')
    return (await scene.candidates(registriesForName('unscoped')))[0]!
  }
  const signatures = createNpmSignatures({ metadata: npm, upstreamFor })
  const audit = createNpmAudit({
    threads,
    own: createOwnAudit({ db, check: npmGate, now }),
    upstreamFor,
    async privateNames({ deploymentId }, names, upstream) {
      const own = (await upstreams.find(deploymentId, 'npm')).all.map(({ registry }) => registry!)
      const hidden = await ownership.ownedElsewhere(deploymentId, 'npm', names, upstream)
      for (const name of names) if (isScopeClaimed(name, own)) hidden.add(name)
      return hidden
    },
  })

  const common = { threads, ownership, source, disk, judgedMs, patienceMs, now }
  const pypi = createPypiAdapter({ ...common, archives, releaseCheck: createReleaseCheck(firewall, 'pypi') })
  const maven = createMavenAdapter({ ...common, releaseCheck: createReleaseCheck(firewall, 'maven') })
  const cargo = createCargoAdapter({ ...common, releaseCheck: createReleaseCheck(firewall, 'cargo') })
  const go = createGoAdapter({
    ...common,
    releaseCheck: createReleaseCheck(firewall, 'gomod'),
    firstSeen: createFirstSeen(db, source),
    sumdb: options.goSumdb,
    async publicUpstream({ deploymentId }) {
      const scene = await upstreams.find(deploymentId, 'gomod')
      return (await scene.candidates((all) => all)).find(({ isPublic }) => isPublic)
    },
  })
  const callerName = (actor: Actor) => accountName(db.as(actor), actor.personId)
  const adapters: RegistryAdapter[] = [
    createNpmAdapter({ threads, metadata: npm, tarballs, releaseCheck: npmGate, audit, signatures, callerName }),
    pypi.front,
    maven.front,
    cargo.front,
    go.front,
  ]
  const fronts = adapters.map((adapter) => recordPrivateNames(adapter, firewall))

  /** Until all that came in has reached the disk. */
  async function settle(): Promise<void> {
    await Promise.all([artifacts, npm, pypi, maven, cargo, go].map((part) => part.settle()))
    await stored?.settle()
  }

  async function close(): Promise<void> {
    await settle()
    await checked
    await store?.close()
    await operatorsOutbound.close()
    await threads.close()
    await disk.close()
  }

  const lookups = {
    npm: tarballs.publication,
    pypi: pypi.publication,
    maven: maven.publication,
    cargo: cargo.publication,
    gomod: go.publication,
  }
  const asked = createAskedVerdict(firewall, lookups, ownership.closedTo)

  return {
    fronts,
    ...asked,
    settle,
    close,
    figures: { ...cacheFigures(disk, source, options.cacheBytes, stored), ...errors.figures },
    defaults,
    circuits: () => [...operatorsOutbound.circuits(), ...(store?.circuits() ?? [])],
  }
}
