import { inflateRawSync } from 'node:zlib'

/** The files of a zip archive, by its directory, ZIP64 or not. */
export function readZip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06'))
  let count = archive.readUInt16LE(end + 10)
  let at = archive.readUInt32LE(end + 16)
  if (count === 0xffff || at === 0xffff_ffff) {
    const wide = archive.lastIndexOf(Buffer.from('PK\x06\x06'))
    count = Number(archive.readBigUInt64LE(wide + 32))
    at = Number(archive.readBigUInt64LE(wide + 48))
  }
  const files = new Map<string, Buffer>()
  for (let n = 0; n < count; n++) {
    const packed = archive.readUInt32LE(at + 20)
    const [name, extra, comment] = [28, 30, 32].map((place) => archive.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ]
    const local = archive.readUInt32LE(at + 42)
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const path = archive.subarray(at + 46, at + 46 + name).toString()
    const chunkSize = Math.max(64, archive.readUInt32LE(at + 24))
    files.set(path, inflateRawSync(archive.subarray(start, start + packed), { chunkSize }))
    at += 46 + name + extra + comment
  }
  return files
}
