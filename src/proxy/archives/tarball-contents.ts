import { gunzipSync } from 'node:zlib'
import type { RandomAccess } from '../../formats/osv/archive.ts'
import { isEndBlock, paxPath, readHeader } from '../../formats/osv/tar-header.ts'
import type { ArchiveContents } from './archive.ts'

const block = 512
/** Unpacked. The largest packages that many use have a third of it. */
const mostBytes = 256 * 1024 * 1024
const mostManifestBytes = 4 * 1024 * 1024
const longestNameBytes = 64 * 1024
const installScripts = ['preinstall', 'install', 'postinstall']

/**
 * What npm would run out of a tarball: the scripts of the `package.json` in it, which may say other things than the registry, and
 * `binding.gyp`, which is built where no script says otherwise. Undefined where it cannot be read to its end.
 */
export function tarballContents(source: RandomAccess): ArchiveContents | undefined {
  const bytes = unpacked(source)
  if (!bytes) return undefined
  let manifest: Uint8Array | undefined
  let hasGyp = false
  for (const file of filesIn(bytes)) {
    if (!file) return undefined
    const name = placeOf(file.name)
    if (name === 'binding.gyp') hasGyp = true
    // Of several, the last is what lies there in the end.
    else if (name === 'package.json') manifest = file.content
  }
  const said = manifest ? readManifest(manifest) : {}
  if (!said) return undefined
  const script = isObject(said.scripts)
    ? installScripts.find((each) => (said.scripts as object)[each as never])
    : undefined
  if (script !== undefined) return { installScript: script }
  return hasGyp && said.gypfile !== false ? { installScript: 'binding.gyp' } : {}
}

function unpacked(source: RandomAccess): Buffer | undefined {
  if (source.size > mostBytes) return undefined
  try {
    return gunzipSync(source.read(0, source.size), { maxOutputLength: mostBytes })
  } catch {
    return undefined
  }
}

type TarFile = { name: string; content: Uint8Array }

/** POSIX ustar and pax, GNU long names. Ends with undefined where it breaks off or cannot be followed. */
function* filesIn(bytes: Buffer): Generator<TarFile | undefined> {
  let longName: string | undefined
  for (let at = 0; ; ) {
    const head = bytes.subarray(at, at + block)
    // npm's own reader takes the end of the file for the end of the archive.
    if (head.length === 0 || (head.length === block && isEndBlock(head))) return
    const header = head.length === block ? readHeader(head) : undefined
    if (!header || at + block + header.size > bytes.length) return yield undefined
    const content = bytes.subarray(at + block, at + block + header.size)
    at += block + Math.ceil(header.size / block) * block
    if (header.kind === 'long-name' || header.kind === 'pax') {
      if (header.size > longestNameBytes || (header.kind === 'pax' && hasOwnSize(content))) return yield undefined
      longName = header.kind === 'pax' ? (paxPath(content) ?? longName) : cString(content)
      continue
    }
    if (header.kind === 'file') yield { name: longName ?? header.name, content }
    longName = undefined
  }
}

/** A size apart from the header leads readers to different files; no tool that packs a package needs it. */
function hasOwnSize(pax: Uint8Array): boolean {
  return /(?:^|\n)\d+ size=/.test(Buffer.from(pax).toString('utf8'))
}

/** Where npm puts it: without the first folder. On many machines case makes no difference. */
function placeOf(name: string): string {
  const [, ...parts] = name.replaceAll('\\', '/').split('/')
  return parts
    .filter((part) => part !== '' && part !== '.')
    .join('/')
    .toLowerCase()
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

function cString(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return Buffer.from(end === -1 ? bytes : bytes.subarray(0, end)).toString('utf8')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
