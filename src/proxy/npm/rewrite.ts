import { npm } from '../../ecosystems/npm/ecosystem.ts'
import type { RawPackument } from './packument.ts'

/** Takes refused versions out, lets tags point at what is left, and leads tarballs through us. Changes what it is given. */
export function rewritePackument(
  raw: RawPackument,
  refused: ReadonlySet<string>,
  tarballUrl: (version: string) => string,
): RawPackument {
  const tags = raw['dist-tags']
  const latest = nextLatest(raw, refused)
  for (const version of refused) {
    delete raw.versions[version]
    if (raw.time) delete raw.time[version]
  }
  for (const [version, { dist }] of Object.entries(raw.versions)) if (dist) dist.tarball = tarballUrl(version)
  if (tags) for (const [tag, target] of Object.entries(tags)) if (refused.has(String(target))) delete tags[tag]
  if (tags && latest !== undefined) tags.latest = latest
  return raw
}

/** Where `latest` goes once the version it pointed at is refused: to the newest before it, if there is any. */
function nextLatest(raw: RawPackument, refused: ReadonlySet<string>): string | undefined {
  const latest = raw['dist-tags']?.latest
  if (typeof latest !== 'string' || !refused.has(latest)) return undefined
  const left = Object.keys(raw.versions).filter((version) => !refused.has(version))
  const preferences = [
    (version: string) => npm.compare(version, latest) < 0 && isStable(version) && !raw.versions[version]?.deprecated,
    (version: string) => npm.compare(version, latest) < 0 && isStable(version),
    isStable,
    () => true,
  ]
  for (const isFit of preferences) {
    const [newest] = left.filter(isFit).sort((a, b) => npm.compare(b, a))
    if (newest !== undefined) return newest
  }
  return undefined
}

function isStable(version: string): boolean {
  return !version.split('+')[0]!.includes('-')
}

const abbreviatedFields = [
  'name',
  'version',
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'bundleDependencies',
  'bundledDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'acceptDependencies',
  'bin',
  'directories',
  'engines',
  'cpu',
  'os',
  'libc',
  'dist',
  'funding',
  'deprecated',
  '_hasShrinkwrap',
  'hasInstallScript',
]

/** The form that installers ask for, out of the full one. */
export function abbreviate(raw: RawPackument): RawPackument {
  const versions = Object.entries(raw.versions).map(([version, manifest]) => {
    const fields = manifest as Record<string, unknown>
    const kept: Record<string, unknown> = {}
    for (const field of abbreviatedFields) if (fields[field] !== undefined) kept[field] = fields[field]
    const scripts = (fields.scripts ?? {}) as Record<string, unknown>
    if (scripts.preinstall || scripts.install || scripts.postinstall) kept.hasInstallScript = true
    return [version, kept]
  })
  const modified = raw.time?.modified
  return {
    name: raw.name,
    'dist-tags': raw['dist-tags'] ?? {},
    versions: Object.fromEntries(versions),
    ...(modified === undefined ? {} : { modified }),
  }
}
