import { crc32 } from 'node:zlib'

/** A zip archive (APPNOTE.TXT) of a few small files, not compressed. */
export function zip(files: Record<string, string>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [path, text] of Object.entries(files)) {
    const [name, content] = [Buffer.from(path), Buffer.from(text)]
    const facts = Buffer.alloc(22)
    // Time and date stay zero but for the first of January 1980, so that the same files give the same bytes.
    facts.writeUInt16LE(0x21, 8)
    facts.writeUInt32LE(crc32(content), 10)
    facts.writeUInt32LE(content.length, 14)
    facts.writeUInt32LE(content.length, 18)
    facts.writeUInt16LE(20, 0)
    const lengths = Buffer.alloc(4)
    lengths.writeUInt16LE(name.length, 0)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, lengths, name, content])
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), facts, lengths, tail(at), name]))
    parts.push(local)
    at += local.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, index, end])
}

/** Comment length, disk, attributes, and where the file begins. */
function tail(at: number): Buffer {
  const fields = Buffer.alloc(14)
  fields.writeUInt32LE(0o100644 * 0x10000, 6)
  fields.writeUInt32LE(at, 10)
  return fields
}
