import type { ReleaseFacts } from '../../capabilities/firewall/rules/release-facts.ts'
import type { Verdict } from '../../capabilities/firewall/verdicts/verdict.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { RegistryRequest } from '../../kernel/contract/adapters/registry-adapter.ts'
import type { Fault } from '../../kernel/contract/fault.ts'
import { createYield } from '../../kernel/threads/event-loop-yield.ts'
import type { Publication } from '../asked-verdict.ts'
import type { Disk } from '../cache/disk.ts'
import { createDocuments, type Document, bytesOf as fetchedBytes } from '../cache/documents.ts'
import type { Ownership } from '../dependency-confusion/name-ownership.ts'
import { RegistryRefusal } from '../refusal.ts'
import type { Asker, Release, ReleaseCheck } from '../release-check.ts'
import { createRewriteCache, type RewrittenDocument } from '../rewrite-cache.ts'
import type { Threads } from '../threads/threads.ts'
import { ownerOf } from '../upstream/collect-body.ts'
import { fetchDocument, type Upstream } from '../upstream/upstream.ts'
import { noticeHeaders } from './notice.ts'
import { abbreviatedType, type Form, forms, type Packument, type PackumentVersion } from './packument.ts'
import { createRelatedPackages } from './related-packages.ts'
import { npmRoute } from './route.ts'
import type { ReleaseTimes } from './scope-burst.ts'
import { registriesForName } from './scope-routing.ts'

const acceptFor: Record<Form, string> = {
  full: 'application/json',
  abbreviated: `${abbreviatedType}; q=1.0, application/json; q=0.8, */*`,
}
const memoryBytes = 64 * 1024 * 1024
/** What a version consists of does not change; that it was taken back is noticed after this long. */
const releaseFreshMs = 10 * 60_000
const retryFreshMs = 1_000

export type FetchedPackument = { upstream: Upstream; document: Document<Packument> }
export type FoundRelease = { upstream: Upstream; release: Release; version: PackumentVersion }
type JudgedRelease = { release: Release; verdict: Verdict }
export type NpmMetadata = ReturnType<typeof createNpmMetadata>

export type MetadataOptions = {
  threads: Threads
  ownership: Ownership
  releaseCheck: ReleaseCheck
  disk: Disk
  judgedMs: number
  patienceMs: number
  now(): number
  /** The time of day. */
  time(): Date
}

export function createNpmMetadata(options: MetadataOptions) {
  const { threads, ownership, releaseCheck, disk, judgedMs, patienceMs, now } = options
  const documents = createDocuments<Packument>({
    disk,
    memoryBytes,
    patienceMs,
    now,
    async read(body, contentType, key) {
      const name = key.slice(key.lastIndexOf(' ') + 1)
      const versions = new Map<string, PackumentVersion>()
      const [, partition = '', form] = key.split(' ')
      const given = { name, form: form as Form, contentType }
      const rest = await threads.list(ownerOf(partition), 'packument', body, given, ([version, known]) =>
        versions.set(version, known),
      )
      return { ...rest, versions }
    },
  })
  const rewritten = createRewriteCache({ memoryBytes, judgedMs, now })
  const relatedPackages = createRelatedPackages(options.time)

  function upstreamsFor({ deploymentId }: Actor, name: string): Promise<Upstream[]> {
    const has = async (upstream: Upstream) => (await documentAt(upstream, name, 'abbreviated')) !== undefined
    return ownership.sourcesOf({ deploymentId, ecosystem: 'npm', name, choose: registriesForName(name), has })
  }

  async function documentAt(
    upstream: Upstream,
    name: string,
    form: Form,
    freshMs = Number.POSITIVE_INFINITY,
  ): Promise<Document<Packument> | undefined> {
    const key = keyOf(upstream, name, form)
    const ask = { freshMs: Math.min(freshMs, upstream.freshMs), fetch: fetchFrom(upstream, name, form) }
    try {
      return documents.peek(key, ask.freshMs) ?? (await documents.get(key, ask))
    } catch (error) {
      // What it refuses in one form it refuses in both.
      if (error instanceof RegistryRefusal)
        await Promise.all(forms.map((one) => documents.drop(keyOf(upstream, name, one))))
      throw error
    }
  }

  /** The package as the first upstream that knows it describes it. */
  async function find(
    actor: Actor,
    name: string,
    form: Form,
    freshMs = Number.POSITIVE_INFINITY,
  ): Promise<FetchedPackument | undefined> {
    for (const upstream of await upstreamsFor(actor, name)) {
      const document = await documentAt(upstream, name, form, freshMs)
      if (!document) continue
      await ownership.learn(actor, 'npm', name, upstream)
      return { upstream, document }
    }
    return undefined
  }

  function fetchFrom(upstream: Upstream, name: string, form: Form) {
    const url = upstream.url + name.replace('/', '%2f')
    return (known: object) => fetchDocument(upstream, url, acceptFor[form], known)
  }

  /** One version, wherever it is known from already. */
  async function release(actor: Actor, name: string, version: string): Promise<FoundRelease | undefined> {
    for (const upstream of await upstreamsFor(actor, name)) {
      // What it says besides, a rule may ask for: that is believed no longer than other metadata.
      const full = releaseKnown(upstream, 'full', upstream.freshMs)
      if (full) return full
      const found =
        releaseKnown(upstream, 'abbreviated', releaseFreshMs) ?? releaseKnown(upstream, 'full', releaseFreshMs)
      if (found) return withDetails(actor, found)
    }
    for (const freshMs of [Number.POSITIVE_INFINITY, retryFreshMs]) {
      const found = await find(actor, name, 'abbreviated', freshMs)
      const release = found && releaseIn(found, name, version)
      if (!found) return undefined
      if (release) return withDetails(actor, release)
    }
    return undefined

    function releaseKnown(upstream: Upstream, form: Form, freshMs: number): FoundRelease | undefined {
      const document = documents.peek(keyOf(upstream, name, form), freshMs)
      return document && releaseIn({ upstream, document }, name, version)
    }
  }

  async function withDetails(actor: Actor, found: FoundRelease): Promise<FoundRelease> {
    const { release } = found
    if (!releaseCheck.hangsOnDetails(actor, release, releaseCheck.judge(actor, release))) return found
    return (await fullRelease(actor, release.name, release.version)) ?? found
  }

  async function fullRelease(actor: Actor, name: string, version: string): Promise<FoundRelease | undefined> {
    const full = await find(actor, name, 'full')
    return full && releaseIn(full, name, version)
  }

  /** The verdict on a version, with what is to be said of packages that it names where it hangs on that. */
  function judged(actor: Actor, release: Release): Promise<JudgedRelease> | JudgedRelease {
    const verdict = releaseCheck.judge(actor, release)
    if (verdict.lacks !== 'dependencies' || !release.facts) return { release, verdict }
    return judgedWithOthers(actor, { release, verdict }, release.facts)
  }

  async function judgedWithOthers(
    actor: Actor,
    { release, verdict }: JudgedRelease,
    known: ReleaseFacts,
  ): Promise<JudgedRelease> {
    const looking = relatedPackages.factsOf(known, release, others(actor))
    // A package that cannot be asked for leaves this version undetermined, and all others as they are.
    const facts = await looking.catch(() => undefined)
    if (!facts) return { release, verdict }
    const completed = { ...release, facts }
    return { release: completed, verdict: releaseCheck.judge(actor, completed) }
  }

  function others(actor: Actor) {
    return {
      deploymentId: actor.deploymentId,
      namesIn: (scope: string) => releaseCheck.namesBeginning(actor, scope),
      async bornAt(name: string): Promise<number | undefined> {
        const [any] = (await versionsOf(actor, name))?.values() ?? []
        return any?.facts?.bornAt
      },
      async timesOf(names: readonly string[]): Promise<ReleaseTimes[]> {
        const all = await Promise.all(names.map((name) => versionsOf(actor, name)))
        return all.flatMap((versions) => {
          const known = [...(versions?.values() ?? [])]
          return versions ? [known.flatMap(({ publishedAt }) => publishedAt?.getTime() ?? [])] : []
        })
      },
    }
  }

  /** Undefined where no registry has the package. */
  async function versionsOf(actor: Actor, name: string): Promise<Packument['versions'] | undefined> {
    const route = npmRoute(encodeURIComponent(name))
    const found = route.kind === 'packument' && route.name === name ? await find(actor, name, 'full') : undefined
    return found?.document.content.versions
  }

  /** The package as this deployment gets to see it; undefined where nobody knows a version of it. Throws where none of it may pass. */
  async function packument(request: RegistryRequest, name: string, form: Form): Promise<RewrittenDocument | undefined> {
    const { actor, base, headers } = request
    await releaseCheck.admitName(request, name)
    const freshMs = /\bno-cache\b/.test(headers['cache-control'] ?? '') ? retryFreshMs : Number.POSITIVE_INFINITY
    const found = await find(actor, name, form, freshMs)
    if (!found || found.document.content.versions.size === 0) return undefined
    const key = `${releaseCheck.audience(actor, name)} ${base} ${form} ${found.upstream.partition} ${name}`
    const known = rewritten.peek(key, found.document.stamp)
    if (known) return known
    const source = (await needsDetails(actor, name, found))
      ? ((await find(actor, name, 'full', freshMs)) ?? found)
      : found
    const { content, stamp } = source.document
    const refused = await refusedIn(actor, name, content)
    if (refused.size === content.versions.size && refused.size > 0) throw await refuseWhole(request, name, content)
    const make = async () => {
      const bytes = await bytesOf(source, name, form)
      const abbreviated = form === 'abbreviated' && content.isFull
      const wanted = { name, base, abbreviated, refused: [...refused] }
      const body = await threads.write(ownerOf(source.upstream.partition), 'rewrittenPackument', bytes, wanted)
      return { headers: await headersFor(actor, name, form, refused, content), body }
    }
    return rewritten.get({ key, stamps: [found.document.stamp, stamp], refused, make })
  }

  async function needsDetails(
    actor: Actor,
    name: string,
    { document: { content } }: FetchedPackument,
  ): Promise<boolean> {
    if (content.isFull) return false
    const breath = createYield()
    for (const [version, known] of content.versions) {
      const pause = breath()
      if (pause) await pause
      const release = releaseOf(name, version, known)
      if (releaseCheck.hangsOnDetails(actor, release, releaseCheck.judge(actor, release))) return true
    }
    return false
  }

  async function refusedIn(actor: Actor, name: string, { versions }: Packument): Promise<Set<string>> {
    const refused = new Set<string>()
    const breath = createYield()
    for (const [version, known] of versions) {
      const pause = breath()
      if (pause) await pause
      const release = releaseOf(name, version, known)
      const verdict = releaseCheck.judge(actor, release)
      const isRefused =
        verdict.lacks === 'dependencies' ? (await judged(actor, release)).verdict.refuse : verdict.refuse
      if (isRefused) refused.add(version)
    }
    return refused
  }

  async function refuseWhole(asker: Asker, name: string, { versions, latest }: Packument): Promise<Fault> {
    const version = latest !== undefined && versions.has(latest) ? latest : [...versions.keys()].at(-1)!
    const { release, verdict } = await judged(asker.actor, releaseOf(name, version, versions.get(version)!))
    return releaseCheck.refuse(asker, release, verdict, 'No other version of it may pass either.')
  }

  /** Read from disk; asked for again if it had to make room there. */
  async function bytesOf({ upstream, document }: FetchedPackument, name: string, form: Form): Promise<Buffer> {
    const bytes = await document.load()
    if (bytes) return bytes
    const wanted = document.content.isFull ? 'full' : form
    return fetchedBytes(await fetchFrom(upstream, name, wanted)({}))
  }

  async function headersFor(
    actor: Actor,
    name: string,
    form: Form,
    refused: ReadonlySet<string>,
    { versions, latest }: Packument,
  ): Promise<Record<string, string>> {
    const type = form === 'abbreviated' ? abbreviatedType : 'application/json'
    // Nobody knows which of them is wanted: the one that is installed without naming a version, else the last one.
    const version = latest !== undefined && refused.has(latest) ? latest : [...refused].at(-1)
    if (version === undefined) return { 'content-type': type }
    // npm prints it: it is the only place where a person learns why a version is not there.
    const { release, verdict } = await judged(actor, releaseOf(name, version, versions.get(version)!))
    const text = releaseCheck.toldOfSeveral(actor, release, verdict, refused.size)
    return { 'content-type': type, ...noticeHeaders(text) }
  }

  async function publication(actor: Actor, name: string, version: string): Promise<Publication | undefined> {
    const route = npmRoute(encodeURIComponent(name))
    if (route.kind !== 'packument' || route.name !== name) return undefined
    const found = await fullRelease(actor, name, version)
    if (!found) return undefined
    const { publishedAt, facts, digest } = (await judged(actor, found.release)).release
    return { publishedAt, facts, digest, licence: found.version.licence }
  }

  return { packument, release, judged, publication, settle: documents.settle }
}

function keyOf({ partition }: Upstream, name: string, form: Form): string {
  return `npm ${partition} ${form} ${name}`
}

function releaseIn({ upstream, document }: FetchedPackument, name: string, version: string): FoundRelease | undefined {
  const known = document.content.versions.get(version)
  return known && { upstream, release: releaseOf(name, version, known), version: known }
}

function releaseOf(name: string, version: string, { publishedAt, facts, digest }: PackumentVersion): Release {
  return { name, version, publishedAt, facts, digest: digest?.hex }
}
