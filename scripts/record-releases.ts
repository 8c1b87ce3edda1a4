import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from '../src/ecosystems/npm/ecosystem.ts'
import { pypi } from '../src/ecosystems/pypi/ecosystem.ts'
import { headBytes, recogniseFormat } from '../src/formats/registry.ts'
import { npmClientUpstream } from '../src/proxy/upstream/clients/npm-client.ts'
import {
  type RecordedMore,
  type RecordedNpmPackage,
  type RecordedPypiRelease,
  type RecordedReleases,
  recordedFile,
} from '../test/incidents/recorded-releases.ts'
import { realData } from '../test/real-data.ts'
import { compactJson } from './compact-json.ts'

/**
 * `node scripts/run.mjs scripts/record-releases.ts`: asks the registries for the releases of the packages that our own lockfile and the sample
 * lockfiles name most often, and writes the facts that rules go by to `test/incidents/ordinary-releases.json`. Takes minutes, and is
 * run by hand: tests read what was recorded.
 */
const wanted = { npm: 300, pypi: 100 }
const judgedSince = '2025-06-01T00:00Z'
const mostReleases = 100
const lookedBack = 5
const installScripts = ['preinstall', 'install', 'postinstall']
const exoticSpec = /[:/]/
const root = join(import.meta.dirname, '..')

type Manifest = {
  scripts?: Record<string, string>
  gypfile?: boolean
  hasInstallScript?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  _npmUser?: { name?: string; trustedPublisher?: object }
  dist?: { unpackedSize?: number; attestations?: { provenance?: object } }
}
type Packument = { versions?: Record<string, Manifest>; time?: Record<string, string> }
type Seen = { version: string; at: number; major: number; key: Uint8Array; manifest: Manifest }

const { url: registry } = await npmClientUpstream()
const names = mostNamed()
const packages: RecordedReleases['npm'] = {}
await inTurns(names.npm, async (name) => {
  const found = recordPackument(await get<Packument>(`${registry}${name.replace('/', '%2f')}`))
  if (found) packages[name] = found
})
const born: RecordedReleases['born'] = {}
await inTurns(dependenciesGained(), async (name) => {
  const { time = {} } = (await get<Packument>(`${registry}${name.replace('/', '%2f')}`)) ?? {}
  const first = Object.values(time)
    .map(Date.parse)
    .sort((a, b) => a - b)[0]
  if (first !== undefined) born[name] = minute(first)
})
const projects: RecordedReleases['pypi'] = {}
await inTurns(names.pypi, async (name) => {
  const found = recordProject(await get<Project>(`https://pypi.org/pypi/${name}/json`))
  if (found.length > 0) projects[name] = found
})
const recorded: RecordedReleases = {
  recordedOn: new Date().toISOString().slice(0, 10),
  judgedSince,
  npm: sorted(packages),
  born: sorted(born),
  pypi: sorted(projects),
}
writeFileSync(recordedFile, `${compactJson(recorded, 2)}\n`)
console.log(`${Object.keys(packages).length} npm packages, ${Object.keys(projects).length} PyPI projects`)

/** By the number of lockfiles that name them, our own first. */
function mostNamed(): Record<'npm' | 'pypi', string[]> {
  const folder = realData()
  const samples = globSync('samples/**/*', { cwd: join(root, 'test') }).map((path) => join(root, 'test', path))
  const real = folder ? globSync('lockfiles/**/*', { cwd: folder }).map((path) => join(folder, path)) : []
  const own = join(root, 'package-lock.json')
  const counts = { npm: new Map<string, number>(), pypi: new Map<string, number>() }
  for (const path of [own, ...samples, ...real]) {
    const bytes = bytesOf(path)
    const format = bytes && recogniseFormat(bytes.subarray(0, headBytes), path)
    if (!bytes || !format) continue
    const named = new Set(format.read([bytes], path).items.map(({ ecosystem, name }) => `${ecosystem} ${name}`))
    for (const each of named) {
      const [ecosystem, name = ''] = each.split(' ')
      if (ecosystem === 'npm') counts.npm.set(name, (counts.npm.get(name) ?? 0) + (path === own ? 1.5 : 1))
      if (ecosystem === 'pypi')
        counts.pypi.set(pypi.normalizeName(name), (counts.pypi.get(pypi.normalizeName(name)) ?? 0) + 1)
    }
  }
  const most = (all: Map<string, number>, count: number) =>
    [...all]
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .slice(0, count)
      .map(([name]) => name)
  return { npm: most(counts.npm, wanted.npm), pypi: most(counts.pypi, wanted.pypi) }
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

/** The latest releases, and what each of them is compared with. */
function recordPackument(document: Packument | undefined): RecordedNpmPackage | undefined {
  const all = seenInOrder(document)
  const judged = all.filter(({ at }) => at >= Date.parse(judgedSince)).slice(-mostReleases)
  const kept = new Set<Seen>(judged)
  for (const one of judged) {
    const place = all.indexOf(one)
    for (const before of all.slice(Math.max(0, place - lookedBack), place)) kept.add(before)
    const lower = all.slice(0, place).filter((other) => Buffer.compare(other.key, one.key) < 0)
    const closest = lower.reduce<Seen | undefined>(
      (best, other) => (best && Buffer.compare(best.key, other.key) >= 0 ? best : other),
      undefined,
    )
    if (closest) kept.add(closest)
  }
  const sets: string[][] = []
  const publishers: string[] = []
  const releases = all
    .filter((one) => kept.has(one))
    .map(({ version, at, manifest }): RecordedNpmPackage['releases'][number] => {
      const dependencies = placeIn(sets, dependenciesOf(manifest))
      const more = moreOf(manifest, publishers)
      return Object.keys(more).length > 0
        ? [version, minute(at), dependencies, more]
        : [version, minute(at), dependencies]
    })
  return releases.length > 0 ? { sets, releases } : undefined
}

/**
 * By time. Some registries give as the time of a version when they first had it, which is hours after its publication or, for what nobody
 * asked for, years. Such a one stands out: a later one of its branch was there before, or a later branch and nothing of its own.
 */
function seenInOrder({ versions = {}, time = {} }: Packument = {}): Seen[] {
  const all = Object.entries(versions).flatMap(([version, manifest]): Seen[] => {
    const at = Date.parse(String(time[version]))
    return Number.isNaN(at)
      ? []
      : [{ version, at, major: Number.parseInt(version, 10), key: npm.orderKey(version), manifest }]
  })
  const kept: Seen[] = []
  for (const one of all.sort((a, b) => a.at - b.at || Buffer.compare(a.key, b.key))) {
    const own = kept.filter(({ major }) => major === one.major)
    const isLate =
      own.some((other) => Buffer.compare(other.key, one.key) > 0) ||
      (own.length === 0 && kept.some(({ major }) => major > one.major))
    if (!isLate) kept.push(one)
  }
  return kept
}

function dependenciesOf({ dependencies = {}, optionalDependencies = {} }: Manifest): string[] {
  return Object.entries({ ...dependencies, ...optionalDependencies })
    .map(([name, spec]) => (exoticSpec.test(spec) ? `${name}@${aliased(spec)}` : name))
    .sort()
}

/** `npm:react-is@^18.0.0` is another package by another name, whatever its version. */
function aliased(spec: string): string {
  return spec.replace(/^(npm:@?[^@]+)@.*$/, '$1')
}

function moreOf(
  { scripts = {}, gypfile, hasInstallScript, _npmUser: user, dist }: Manifest,
  publishers: string[],
): RecordedMore {
  const script =
    installScripts.find((each) => scripts[each]) ?? (gypfile ? 'binding.gyp' : hasInstallScript ? 'install' : undefined)
  const trust = user?.trustedPublisher ? 2 : dist?.attestations?.provenance ? 1 : 0
  return {
    ...(script && { script }),
    ...(user?.name && { publisher: placeIn(publishers, user.name) }),
    ...(trust > 0 && { trust }),
    ...(dist?.unpackedSize && { unpackedKiB: Math.round(dist.unpackedSize / 1024) }),
  }
}

function placeIn<T>(all: T[], one: T): number {
  const text = JSON.stringify(one)
  const place = all.findIndex((each) => JSON.stringify(each) === text)
  return place >= 0 ? place : all.push(one) - 1
}

function dependenciesGained(): string[] {
  const gained = new Set<string>()
  for (const { sets } of Object.values(packages)) {
    const [first = [], ...later] = sets
    for (const name of later.flat()) if (!first.includes(name)) gained.add(name.replace(/^.*@npm:/, ''))
  }
  return [...gained].filter((name) => !name.includes(':')).sort()
}

type ProjectFile = { upload_time_iso_8601: string; size: number; packagetype: string; yanked: boolean }
type Project = { releases?: Record<string, ProjectFile[]> }

function recordProject({ releases = {} }: Project = {}): RecordedPypiRelease[] {
  const all = Object.entries(releases)
    .filter(([, files]) => files.length > 0)
    .map(([version, files]) => ({
      version,
      files,
      at: Math.min(...files.map((file) => Date.parse(file.upload_time_iso_8601))),
    }))
    .sort((a, b) => a.at - b.at)
  const first = all.findIndex(({ at }) => at >= Date.parse(judgedSince))
  if (first < 0) return []
  return all
    .slice(Math.max(0, Math.max(first, all.length - mostReleases) - lookedBack))
    .map(({ version, files, at }) => {
      const kib = Math.round(Math.max(...files.map(({ size }) => size)) / 1024)
      const marks = `${files.some(({ packagetype }) => packagetype === 'bdist_wheel') ? '' : 's'}${files.every(({ yanked }) => yanked) ? 'y' : ''}`
      return marks ? [version, minute(at), kib, marks] : [version, minute(at), kib]
    })
}

function minute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16)}Z`
}

async function get<T>(address: string): Promise<T | undefined> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(60_000) }).catch(() => undefined)
  if (answer?.ok) return (await answer.json()) as T
  await answer?.body?.cancel()
  console.log(`${new URL(address).pathname}: ${answer?.status ?? 'no answer'}`)
  return undefined
}

/** Eight at a time. */
async function inTurns(all: string[], work: (one: string) => Promise<void>): Promise<void> {
  const waiting = all.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const one of waiting) await work(one)
    }),
  )
}

function sorted<T>(all: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
}
