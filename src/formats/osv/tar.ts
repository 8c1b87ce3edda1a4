import { readableSize } from '../../kernel/text/readable-size.ts'
import { fatalProblem } from '../problem.ts'
import { type ArchiveItem, type ArchiveLimits, archiveLimits } from './archive.ts'
import { createByteQueue } from './byte-queue.ts'
import { isFeedFile } from './document.ts'
import { isEndBlock, paxPath, readHeader } from './tar-header.ts'

const block = 512
/** Longer ones only serve to fill memory. */
const longestNameBytes = 64 * 1024

/** The feed files of a tar (POSIX ustar and pax, GNU long names), as it streams by. */
export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
  limits: ArchiveLimits = archiveLimits,
): AsyncGenerator<ArchiveItem> {
  const queue = createByteQueue(chunks)
  let longName: string | undefined
  let files = 0
  let total = 0
  while (true) {
    const head = await queue.take(block)
    if (!head) return yield bad('truncated', 'It ends in the middle: the mark of its end is missing.')
    if (isEndBlock(head)) return
    const header = readHeader(head)
    if (!header) return yield bad('corrupt', `Entry ${files + 1} in it has no valid header.`)
    files++
    total += header.size
    if (files > limits.files) return yield bad('too-large', `It has more than ${limits.files} files.`)
    if (total > limits.totalBytes)
      return yield bad('too-large', `Unpacked it is larger than ${readableSize(limits.totalBytes)}.`)
    const padded = Math.ceil(header.size / block) * block
    if (header.kind === 'long-name' || header.kind === 'pax') {
      const content = header.size <= longestNameBytes ? await queue.take(padded) : undefined
      if (!content) return yield bad('corrupt', `The name of entry ${files} in it cannot be read.`)
      const own = content.subarray(0, header.size)
      longName = header.kind === 'pax' ? (paxPath(own) ?? longName) : cString(own)
      continue
    }
    const name = longName ?? header.name
    longName = undefined
    if (header.kind !== 'file' || !isFeedFile(name)) {
      if (!(await queue.skip(padded))) return yield bad('truncated', `It ends within ${name}.`)
      continue
    }
    if (header.size > limits.fileBytes)
      return yield bad('too-large', `${name} is larger than ${readableSize(limits.fileBytes)}.`)
    const content = await queue.take(padded)
    if (!content) return yield bad('truncated', `It ends within ${name}.`)
    yield { name, bytes: content.subarray(0, header.size) }
  }
}

function cString(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return Buffer.from(end === -1 ? bytes : bytes.subarray(0, end)).toString('utf8')
}

function bad(code: string, detail: string): ArchiveItem {
  return { problem: fatalProblem(code, detail) }
}
