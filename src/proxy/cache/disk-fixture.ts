import { createHash } from 'node:crypto'
import { createArtifacts } from './artifacts.ts'
import { createDisk } from './disk.ts'

/** A process that takes artifacts into a cache for as long as it is let, some small and some by way of a temporary file. */
const [folder = '', maxBytes = '', largest = ''] = process.argv.slice(2)
const disk = createDisk({ folder, maxBytes: Number(maxBytes) })
const artifacts = createArtifacts(disk)
let ended = false
process.stdin.once('data', () => (ended = true))

async function* chunksOf(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536)
}

while (!ended) {
  const content = Buffer.alloc(Math.ceil(Math.random() * Number(largest)), String(Math.random()))
  const digest = { algorithm: 'sha256', hex: createHash('sha256').update(content).digest('hex') } as const
  try {
    const kept = await artifacts.receive('here', digest, { chunks: chunksOf(content) }, 'x')
    if ('file' in kept) await kept.file.close()
    await artifacts.settle()
    process.stdout.write('+')
  } catch (error) {
    if ((error as { code?: string }).code !== 'unavailable') throw error
    process.stdout.write('-')
  }
}
await disk.close()
process.exit(0)
