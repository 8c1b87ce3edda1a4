import { gunzipSync } from 'node:zlib'
import type { RandomAccess } from '../../formats/osv/archive.ts'
import { storableText } from '../../kernel/text/storable-text.ts'
import { type ArchiveContents, asOnWindows, leadsBack } from './archive.ts'
import { filesIn } from './tar-files.ts'

/** Unpacked. The largest packages that many use have a third of it. */
const mostBytes = 256 * 1024 * 1024
const mostManifestBytes = 4 * 1024 * 1024
const longestName = 200
const installScripts = ['preinstall', 'install', 'postinstall']

/** A package in a tarball: its manifests, by the path as it is written, and whether there is something to build. */
type Package = { manifests: Map<string, Uint8Array>; hasGyp: boolean }

/**
 * What npm would run out of a tarball: the scripts of the `package.json` in it, which may say other things than the registry, and
 * `binding.gyp`, which is built where no script says otherwise; and the same of the packages that are bundled with it. Undefined where it
 * cannot be read to its end.
 */
export function tarballContents(source: RandomAccess): ArchiveContents | undefined {
  const bytes = unpacked(source)
  if (!bytes) return undefined
  const packages = new Map<string, Package>()
  for (const file of filesIn(bytes)) {
    // npm leaves such a file out, and pnpm follows its path.
    if (!file || file.name.split(/[\\/]/).some(leadsBack)) return undefined
    for (const place of placesOf(file.name)) note(packages, place, file.content)
  }
  let contents: ArchiveContents = {}
  // Its own scripts are named before those of others.
  for (const [folder, found] of [...packages].sort(([a], [b]) => (a < b ? 1 : -1))) {
    const script = scriptIn(found)
    if (script === undefined) return undefined
    if (script !== '') contents = { installScript: folder === '' ? script : `${script} in ${shown(folder)}` }
  }
  return contents
}

function note(packages: Map<string, Package>, place: string, content: Uint8Array): void {
  const parts = place.split('/').map(plainName)
  const name = parts.pop()!
  if (!isPackageFolder(parts) || (name !== 'package.json' && name !== 'binding.gyp')) return
  const folder = parts.join('/')
  const known = packages.get(folder) ?? { manifests: new Map(), hasGyp: false }
  packages.set(folder, known)
  // Of several by one path the last is what lies there in the end.
  if (name === 'package.json') known.manifests.set(place, content)
  else known.hasGyp = true
}

/** That of the tarball itself, or of what is bundled with it: `node_modules/a/node_modules/@b/c`. */
function isPackageFolder(parts: readonly string[]): boolean {
  let at = 0
  while (parts[at] === 'node_modules') at += parts[at + 1]?.startsWith('@') ? 3 : 2
  return at === parts.length
}

/** What runs when the package is installed; '' for nothing, undefined where a manifest cannot be read. */
function scriptIn({ manifests, hasGyp }: Package): string | undefined {
  let isBuilt = manifests.size === 0
  let found = ''
  for (const content of manifests.values()) {
    const manifest = readManifest(content)
    if (!manifest) return undefined
    found ||= scriptOf(manifest) ?? ''
    isBuilt ||= manifest.gypfile !== false
  }
  return found || (hasGyp && isBuilt ? 'binding.gyp' : '')
}

function shown(folder: string): string {
  return storableText(folder, longestName)
}

function scriptOf({ scripts }: Record<string, unknown>): string | undefined {
  return isObject(scripts) ? installScripts.find((each) => scripts[each]) : undefined
}

function unpacked(source: RandomAccess): Buffer | undefined {
  if (source.size > mostBytes) return undefined
  try {
    return gunzipSync(source.read(0, source.size), { maxOutputLength: mostBytes })
  } catch {
    return undefined
  }
}

/** Where npm puts it: without the first folder. A backslash is a part of a name, or on Windows the end of a folder. */
function placesOf(name: string): Set<string> {
  const spellings = [name, name.replaceAll('\\', '/')].map((each) => {
    const [, ...parts] = each.split('/')
    return parts.filter((part) => part !== '' && part !== '.').join('/')
  })
  return new Set(spellings)
}

/** On many machines case makes no difference. */
function plainName(part: string): string {
  return asOnWindows(part.toLowerCase())
}

function readManifest(content: Uint8Array): Record<string, unknown> | undefined {
  if (content.length > mostManifestBytes) return undefined
  try {
    const parsed: unknown = JSON.parse(
      Buffer.from(content)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    )
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
