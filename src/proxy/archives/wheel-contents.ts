import type { RandomAccess } from '../../formats/osv/archive.ts'
import { findDirectory, readEntry } from '../../formats/osv/zip-directory.ts'
import { storableText } from '../../kernel/text/storable-text.ts'
import type { ArchiveContents } from './archive.ts'

const mostFiles = 200_000
const localHeaderBytes = 30
const localSignature = 0x04034b50
const longestName = 200
/** Machine code by its usual endings, and what shells run. */
const executable = /\.(so(\.\d+)*|pyd|dll|dylib|exe|com|scr|bat|cmd|ps1|sh)$/i

/**
 * What a wheel (PEP 427) has that runs code: a `.pth` file where Python looks for them at every start, and executable files. Only its
 * list of files is read, nothing is unpacked. Undefined where it is not to be trusted.
 */
export function wheelContents(source: RandomAccess): ArchiveContents | undefined {
  const directory = findDirectory(source)
  if (!directory || directory.entries > mostFiles) return undefined
  const contents: ArchiveContents = {}
  let at = directory.start
  for (let i = 0; i < directory.entries; i++) {
    const entry = readEntry(source, at, directory.end)
    // Installers go by this list or by the names before the files; where they differ, each would see another wheel.
    if (!entry || !isNamedAlike(source, entry)) return undefined
    at = entry.next
    const name = entry.name.replaceAll('\\', '/')
    if (isStartupFile(name)) contents.installScript ??= shown(name)
    if (executable.test(name) || isScript(name)) contents.executable ??= shown(name)
  }
  // What is not in the list some installers would still unpack.
  return at === directory.end ? contents : undefined
}

function isNamedAlike(source: RandomAccess, { name, offset }: { name: string; offset: number }): boolean {
  if (offset + localHeaderBytes > source.size) return false
  const header = Buffer.from(source.read(offset, localHeaderBytes))
  if (header.length < localHeaderBytes || header.readUInt32LE(0) !== localSignature) return false
  const length = header.readUInt16LE(26)
  return Buffer.from(source.read(offset + localHeaderBytes, length)).toString('utf8') === name
}

/** In the folder that packages lie in: the root of the wheel, or what `.data` puts there. */
function isStartupFile(name: string): boolean {
  if (!/\.pth$/i.test(name)) return false
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  return parts.length === 1 || /\.data$/i.test(parts[0]!)
}

function isScript(name: string): boolean {
  return /^[^/]+\.data\/scripts\/./i.test(name)
}

function shown(name: string): string {
  return storableText(name, longestName)
}
