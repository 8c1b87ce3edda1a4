import type { RandomAccess } from '../../formats/osv/archive.ts'
import { findDirectory, readEntry, type ZipDirectory, type ZipEntry } from '../../formats/osv/zip-directory.ts'
import { storableText } from '../../kernel/text/storable-text.ts'
import { type ArchiveContents, asOnWindows, leadsBack } from './archive.ts'

const mostFiles = 200_000
const localHeaderBytes = 30
const localSignature = 0x04034b50
const endSignature = Buffer.from('PK\x05\x06', 'latin1')
/** The end record of zip64, and what leads to it. */
const largeEndBytes = 56 + 20
const descriptorFlag = 8
/** What may follow a file whose sizes were not known before it (APPNOTE 4.3.9), with and without a signature. */
const descriptorBytes = [0, 12, 16, 20, 24]
const unicodePath = 0x7075
const longestName = 200
/** Machine code by its usual endings, and what shells run. */
const executable = /\.(so(\.\d+)*|pyd|dll|dylib|exe|com|scr|bat|cmd|ps1|sh)$/i

/**
 * What a wheel (PEP 427) has that runs code: what Python looks for at every start, a `.pth` or `.start` file or `sitecustomize`, and
 * executable files. Only its list of files is read, nothing is unpacked. Undefined where it is not to be trusted.
 */
export function wheelContents(source: RandomAccess): ArchiveContents | undefined {
  const directory = findDirectory(source)
  if (!directory || directory.entries > mostFiles || !isPlainEnd(source, directory)) return undefined
  const contents: ArchiveContents = {}
  const places: Place[] = []
  let at = directory.start
  for (let i = 0; i < directory.entries; i++) {
    const entry = readEntry(source, at, directory.end)
    // Installers go by this list or by the names before the files; where they differ, each would see another wheel.
    const place = entry && placeOf(source, entry)
    if (!place) return undefined
    places.push(place)
    at = entry.next
    const name = installedAs(entry.name)
    if (name === undefined) return undefined
    if (isStartupFile(name)) contents.installScript ??= shown(entry.name)
    if (executable.test(name) || isScript(name)) contents.executable ??= shown(entry.name)
  }
  // What is not in the list some installers would still unpack.
  return at === directory.end && isFilled(places, directory.start) ? contents : undefined
}

/**
 * The path that an installer writes to; on Windows without what a colon begins. Undefined for a name that ends within, as Python ends it
 * at a zero byte, and for one that leads back out of a folder.
 */
function installedAs(name: string): string | undefined {
  const parts = name.split(/[\\/]/).filter((part) => part !== '' && part !== '.')
  if (name.includes('\0') || parts.some(leadsBack)) return undefined
  return parts.map((part) => asOnWindows(part.split(':', 1)[0]!)).join('/')
}

/** Python takes the list right before the last record that looks like an end, in the comment too. */
function isPlainEnd(source: RandomAccess, { end, records, last }: ZipDirectory): boolean {
  const comment = Buffer.from(source.read(last + 4, source.size - last - 4))
  return !comment.includes(endSignature) && end === records && [0, largeEndBytes].includes(last - records)
}

type Place = { start: number; end: number; hasDescriptor: boolean }

/** Installers that go by the files alone find those between others. */
function isFilled(places: readonly Place[], end: number): boolean {
  let at = 0
  let left: readonly number[] = [0]
  for (const place of [...places].sort((a, b) => a.start - b.start)) {
    if (!left.includes(place.start - at)) return false
    at = place.end
    left = place.hasDescriptor ? descriptorBytes : [0]
  }
  return left.includes(end - at)
}

/** Undefined where the file goes by another name than in the list, or by two. */
function placeOf(source: RandomAccess, { name, extra, offset, packedSize, flags }: ZipEntry): Place | undefined {
  if (offset + localHeaderBytes > source.size) return undefined
  const header = Buffer.from(source.read(offset, localHeaderBytes))
  if (header.length < localHeaderBytes || header.readUInt32LE(0) !== localSignature) return undefined
  const [length, extraLength] = [header.readUInt16LE(26), header.readUInt16LE(28)]
  if (Buffer.from(source.read(offset + localHeaderBytes, length)).toString('utf8') !== name) return undefined
  const more = Buffer.from(source.read(offset + localHeaderBytes + length, extraLength))
  if (![extra, more].every((each) => namesAlike(each, name))) return undefined
  const end = offset + localHeaderBytes + length + extraLength + packedSize
  return { start: offset, end, hasDescriptor: (flags & descriptorFlag) !== 0 }
}

/** APPNOTE 4.6.9: a name in UTF-8 besides the one in the header, which some installers take in its place. */
function namesAlike(extra: Buffer, name: string): boolean {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    const end = at + 4 + extra.readUInt16LE(at + 2)
    if (extra.readUInt16LE(at) === unicodePath && extra.toString('utf8', at + 9, end) !== name) return false
  }
  return true
}

/**
 * In the folder that packages lie in: the root of the wheel, or what `.data` puts there. `sitecustomize` is imported at every start, and
 * what a `.start` file names is called (PEP 829).
 */
function isStartupFile(name: string): boolean {
  const parts = name.split('/')
  const isData = /\.data$/i.test(parts[0] ?? '')
  if (/\.(pth|start)$/i.test(name)) return parts.length === 1 || isData
  return (isData ? parts.slice(1) : parts.slice(0, 1)).some((part) => /^(site|user)customize(\.|$)/i.test(part))
}

/** `data` is put where the interpreter is. */
function isScript(name: string): boolean {
  return /^[^/]+\.data\/(scripts|data\/(bin|scripts))\/./i.test(name)
}

function shown(name: string): string {
  return storableText(name, longestName)
}
