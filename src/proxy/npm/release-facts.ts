import type { ReleaseFacts, ReleaseSignal } from '../../capabilities/firewall/rules/release-facts.ts'
import { npm } from '../../ecosystems/npm/ecosystem.ts'
import { burstMs, comparedReleases, type DatedRelease, historySignals, settledBefore } from '../release-history.ts'

/** A packument, of which nothing but its shape is known. */
type Document = { versions: Record<string, object>; time?: Record<string, unknown> }
type Manifest = Record<string, unknown>
type Release = DatedRelease & { manifest: Manifest; key: Uint8Array }

/** A package with more versions is compared with its latest ones alone. */
const mostCompared = 2_000
const longestText = 300
const mostGained = 20
const mostSiblings = 30
const mostEarlier = 5
const scopeFields = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies']
const installScripts = ['preinstall', 'install', 'postinstall']
/** Everything that npm resolves without a registry: git, URLs, files, `user/repository`. */
const exoticSpec =
  /^(git[+:@]|https?:|ssh:|file:|link:|github:|gitlab:|bitbucket:|gist:|\.{0,2}\/|~\/)|^[^@/\s:]+\/[^/\s]+$/

/** What a full packument says of each version, and what is unusual about the latest ones. */
export function packumentFacts(raw: Document, name = ''): Map<string, ReleaseFacts> {
  const history = historyOf(raw)
  const placeOf = new Map(history.map(({ version }, at) => [version, at]))
  const bornAt = bornIn(raw, history)
  const facts = new Map<string, ReleaseFacts>()
  for (const [version, manifest] of Object.entries(raw.versions)) {
    const at = placeOf.get(version)
    const isCompared = at !== undefined && at > 0 && at >= history.length - comparedReleases
    const signals = isCompared ? compared(history, at) : { signals: [] }
    const scoped = isCompared ? inScope(name, history, at) : {}
    facts.set(version, { ...ownFacts(manifest as Manifest), ...bornAt, ...signals, ...scoped })
  }
  return facts
}

function historyOf({ versions, time }: Document): Release[] {
  const dated = Object.entries(versions).flatMap(([version, manifest]) => {
    const at = Date.parse(String(time?.[version]))
    return Number.isNaN(at) ? [] : [{ version, at, manifest: manifest as Manifest }]
  })
  dated.sort((a, b) => a.at - b.at || npm.compare(a.version, b.version))
  return dated.slice(-mostCompared).map((one) => ({
    ...one,
    size: sizeOf(one.manifest),
    trust: trustOf(one.manifest),
    key: npm.orderKey(one.version),
  }))
}

function bornIn({ time }: Document, history: readonly Release[]): Pick<ReleaseFacts, 'bornAt'> {
  const created = Date.parse(String(time?.created))
  const [first] = history
  const bornAt = Math.min(
    Number.isNaN(created) ? Number.POSITIVE_INFINITY : created,
    first?.at ?? Number.POSITIVE_INFINITY,
  )
  return Number.isFinite(bornAt) ? { bornAt } : {}
}

function ownFacts(manifest: Manifest): Omit<ReleaseFacts, 'signals'> {
  const installScript = scriptOf(manifest)
  const [exotic] = exoticOf(manifest)
  const licence = licenceOf(manifest)
  const { deprecated } = manifest
  return {
    ...(installScript !== undefined && { installScript }),
    ...(exotic !== undefined && { exoticDependency: exotic }),
    ...(licence !== '' && { licence }),
    ...(deprecated ? { deprecated: typeof deprecated === 'string' ? deprecated.slice(0, longestText) : '' } : {}),
  }
}

/**
 * Against what was out a week before it: the latest release of those, and the greatest lower version, so that a release of an older
 * branch is compared with its own branch too. Only what neither of them had is gained.
 */
function compared(history: readonly Release[], at: number): Pick<ReleaseFacts, 'signals' | 'gained' | 'before'> {
  const { manifest, key } = history[at]!
  const earlier = settledBefore(history, at)
  const lower = earlier.filter((one) => Buffer.compare(one.key, key) < 0)
  const closest = lower.reduce<Release | undefined>(
    (best, one) => (best && Buffer.compare(best.key, one.key) >= 0 ? best : one),
    undefined,
  )
  const before = [earlier.at(-1)!, ...(closest ? [closest] : [])]
  const gained = gainedDependencies(manifest, before)
  return {
    before: [...new Set(before.map(({ version }) => version))],
    signals: [
      ...newScript(manifest, before),
      ...newExotic(manifest, before),
      ...newPublisher(manifest, earlier),
      ...historySignals(history, at),
    ],
    ...(gained.length > 0 && { gained }),
  }
}

/** What a burst of the scope is told by: whom to look at, and the releases that it is measured against. */
function inScope(name: string, history: readonly Release[], at: number): Pick<ReleaseFacts, 'siblings' | 'earlierAt'> {
  const scope = /^@[^/]+\//.exec(name)?.[0]
  if (scope === undefined) return {}
  const { manifest, at: publishedAt } = history[at]!
  const named = scopeFields.flatMap((field) => Object.keys(isObject(manifest[field]) ? manifest[field] : {}))
  const siblings = [...new Set(named)].filter((each) => each.startsWith(scope) && each !== name)
  const earlier = history.slice(0, at).filter((one) => one.at < publishedAt - burstMs)
  return { siblings: siblings.slice(0, mostSiblings), earlierAt: earlier.slice(-mostEarlier).map((one) => one.at) }
}

function newScript(manifest: Manifest, before: readonly Release[]): ReleaseSignal[] {
  const script = scriptOf(manifest)
  if (script === undefined || before.some((one) => scriptOf(one.manifest) !== undefined)) return []
  const because = `It gains an install script (${script}), which ${before[0]!.version} did not have`
  return [{ signal: 'new_install_script', because }]
}

function newExotic(manifest: Manifest, before: readonly Release[]): ReleaseSignal[] {
  const known = new Set(before.flatMap((one) => exoticOf(one.manifest).map(nameIn)))
  const found = exoticOf(manifest).find((one) => !known.has(nameIn(one)))
  if (found === undefined) return []
  return [
    { signal: 'new_exotic_dependency', because: `It gains a dependency that does not come from a registry: ${found}` },
  ]
}

/** A release by a trusted publisher has no person who could be new. */
function newPublisher(manifest: Manifest, before: readonly Release[]): ReleaseSignal[] {
  const name = publisherOf(manifest)
  const known = before.flatMap((one) => publisherOf(one.manifest) ?? [])
  if (name === undefined || known.length === 0 || known.includes(name) || trustOf(manifest) === 2) return []
  const because = `${name} published it, who published none of the ${known.length} releases before it`
  return [{ signal: 'new_publisher', because }]
}

function gainedDependencies(manifest: Manifest, before: readonly Release[]): string[] {
  const known = new Set(before.flatMap((one) => Object.keys(dependenciesOf(one.manifest))))
  return Object.entries(dependenciesOf(manifest))
    .filter(([name, spec]) => !known.has(name) && !exoticSpec.test(spec))
    .map(([name, spec]) => /^npm:(@?[^@]+)/.exec(spec)?.[1] ?? name)
    .slice(0, mostGained)
}

/** `binding.gyp` is built although no script says so. */
function scriptOf({ scripts, gypfile, hasInstallScript }: Manifest): string | undefined {
  const own = isObject(scripts) ? installScripts.find((script) => scripts[script]) : undefined
  if (own !== undefined) return own
  if (gypfile === true) return 'binding.gyp'
  return hasInstallScript === true ? 'an install script' : undefined
}

function exoticOf(manifest: Manifest): string[] {
  return Object.entries(dependenciesOf(manifest))
    .filter(([, spec]) => exoticSpec.test(spec))
    .map(([name, spec]) => `${name}@${spec}`.slice(0, longestText))
}

function nameIn(dependency: string): string {
  return dependency.slice(0, dependency.indexOf('@', 1))
}

function dependenciesOf({ dependencies, optionalDependencies }: Manifest): Record<string, string> {
  const all = {
    ...(isObject(dependencies) && dependencies),
    ...(isObject(optionalDependencies) && optionalDependencies),
  }
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** As pnpm ranks it: a trusted publisher before provenance alone. */
function trustOf({ _npmUser: user, dist }: Manifest): number {
  if (isObject(user) && isObject(user.trustedPublisher)) return 2
  const attestations = isObject(dist) ? dist.attestations : undefined
  return isObject(attestations) && attestations.provenance ? 1 : 0
}

function publisherOf({ _npmUser: user }: Manifest): string | undefined {
  return isObject(user) && typeof user.name === 'string' ? user.name.slice(0, longestText) : undefined
}

function sizeOf({ dist }: Manifest): number | undefined {
  const size = isObject(dist) ? dist.unpackedSize : undefined
  return typeof size === 'number' ? size : undefined
}

function licenceOf({ license, licenses }: Manifest): string {
  const [first] = Array.isArray(licenses) ? licenses : []
  const said = license ?? first
  const text = isObject(said) ? said.type : said
  return typeof text === 'string' ? text.slice(0, longestText) : ''
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
