import { gunzipSync } from 'node:zlib'
import type { RandomAccess } from '../../formats/osv/archive.ts'
import type { ArchiveContents } from './archive.ts'
import { filesIn } from './tar-files.ts'

/** Unpacked. The largest packages that many use have a third of it. */
const mostBytes = 256 * 1024 * 1024
const mostManifestBytes = 4 * 1024 * 1024
const installScripts = ['preinstall', 'install', 'postinstall']

/**
 * What npm would run out of a tarball: the scripts of the `package.json` in it, which may say other things than the registry, and
 * `binding.gyp`, which is built where no script says otherwise. Undefined where it cannot be read to its end.
 */
export function tarballContents(source: RandomAccess): ArchiveContents | undefined {
  const bytes = unpacked(source)
  if (!bytes) return undefined
  // By the path as it is written: of several by one, the last is what lies there in the end.
  const found = new Map<string, Uint8Array>()
  let hasGyp = false
  for (const file of filesIn(bytes)) {
    if (!file) return undefined
    for (const place of placesOf(file.name)) {
      if (isNamed(place, 'binding.gyp')) hasGyp = true
      else if (isNamed(place, 'package.json')) found.set(place, file.content)
    }
  }
  const manifests = [...found.values()].map(readManifest)
  if (!manifests.every((said) => said !== undefined)) return undefined
  const script = manifests.map(scriptOf).find((each) => each !== undefined)
  if (script !== undefined) return { installScript: script }
  const isBuilt = manifests.length === 0 || manifests.some(({ gypfile }) => gypfile !== false)
  return hasGyp && isBuilt ? { installScript: 'binding.gyp' } : {}
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

/** On many machines case makes no difference, nor do dots and spaces at the end. */
function isNamed(place: string, name: string): boolean {
  return place.toLowerCase().replace(/[. ]+$/, '') === name
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
