import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { Fault } from '../../kernel/contract/fault.ts'
import { deploymentOf } from '../upstream/collect-body.ts'
import { createByteCache } from './byte-cache.ts'
import { type Digest, isModuleAlgorithm, type ModuleAlgorithm } from './digest.ts'
import type { Disk } from './disk.ts'

/** Bytes whose hash was found right: in memory where they are few, otherwise an open file that the taker closes. */
export type Artifact = { bytes: number; content: Buffer } | { bytes: number; file: FileHandle }

/** The bytes of an artifact on their way, and how many they will be, where that is known. */
export type Incoming = { chunks: AsyncIterable<Buffer>; expectedBytes?: number | undefined }

export type Artifacts = ReturnType<typeof createArtifacts>

/** Nothing in the folder is ever changed in place, so this is enough to know a file again. */
type Facts = { ino: number; size: number }

/** What the files in an archive hash to; undefined where it cannot be read. */
export type SumOf = (
  algorithm: ModuleAlgorithm,
  content: Buffer | FileHandle,
  partition: string,
) => Promise<string | undefined>

export class WrongBytes extends Fault {
  constructor(what: string, algorithm: string) {
    super(
      'bad_upstream',
      `The registry sent other bytes for ${what} than the ${algorithm} it publishes. They were thrown away.`,
    )
  }
}

const smallBytes = 512 * 1024
const memoryBytes = 96 * 1024 * 1024

/**
 * Artifacts by what they hash to, apart for each upstream: who knows the hash of a private package of somebody else
 * gets nothing by it. What lies on disk is hashed once by every process before it believes it.
 */
export function createArtifacts(disk: Disk, sumOf: SumOf = async () => undefined) {
  const memory = createByteCache<Buffer>(memoryBytes)
  const trusted = new Map<string, Facts>()
  const writing = new Set<Promise<void>>()

  /** Where it costs nothing to know. */
  function peek(partition: string, digest: Digest): Buffer | undefined {
    return memory.get(artifactName(partition, digest))
  }

  async function find(partition: string, digest: Digest): Promise<Artifact | undefined> {
    const name = artifactName(partition, digest)
    const known = memory.get(name)
    if (known) return { bytes: known.length, content: known }
    const file = await open(disk.path(name), 'r').catch(() => undefined)
    if (!file) return undefined
    try {
      return await fromDisk(partition, digest, file)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async function fromDisk(partition: string, digest: Digest, file: FileHandle): Promise<Artifact | undefined> {
    const name = artifactName(partition, digest)
    const facts = await file.stat()
    if (facts.size <= smallBytes) return fromSmallFile(partition, digest, file)
    if (!isSame(trusted.get(name), facts)) {
      if ((await hexOf(partition, digest, file)) !== digest.hex) return distrust(name, file)
      trust(name, facts)
    }
    disk.used(name)
    return { bytes: facts.size, file }
  }

  async function fromSmallFile(partition: string, digest: Digest, file: FileHandle): Promise<Artifact | undefined> {
    const name = artifactName(partition, digest)
    const content = await file.readFile()
    if ((await hexOf(partition, digest, content)) !== digest.hex) return distrust(name, file)
    await file.close()
    memory.set(name, content, content.length)
    disk.used(name)
    return { bytes: content.length, content }
  }

  async function hexOf(
    partition: string,
    { algorithm }: Digest,
    content: Buffer | FileHandle,
  ): Promise<string | undefined> {
    if (isModuleAlgorithm(algorithm)) return sumOf(algorithm, content, partition)
    if (!Buffer.isBuffer(content)) return hashOf(content, algorithm)
    return createHash(algorithm).update(content).digest('hex')
  }

  async function distrust(name: string, file: FileHandle): Promise<undefined> {
    await file.close()
    await disk.drop(name)
  }

  /** Takes the bytes in, and keeps and hands them out only if they are the promised ones. `what` names them in words. */
  async function receive(partition: string, digest: Digest, source: Incoming, what: string): Promise<Artifact> {
    return (await take(partition, digest, source, what)).artifact
  }

  /** Takes in what nobody publishes a digest of, and answers the one that it has. */
  async function accept(
    partition: string,
    algorithm: ModuleAlgorithm,
    source: Incoming,
    what: string,
  ): Promise<Digest> {
    const { artifact, hex } = await take(partition, { algorithm, hex: undefined }, source, what)
    if ('file' in artifact) await artifact.file.close()
    return { algorithm, hex }
  }

  async function take(
    partition: string,
    promised: { algorithm: Digest['algorithm']; hex: string | undefined },
    { chunks, expectedBytes = 0 }: Incoming,
    what: string,
  ): Promise<{ artifact: Artifact; hex: string }> {
    const { algorithm } = promised
    const hash = isModuleAlgorithm(algorithm) ? undefined : createHash(algorithm)
    const small: Buffer[] = []
    let bytes = 0
    let temporary: { path: string; file: FileHandle } | undefined
    const room = disk.reserve(deploymentOf(partition))
    let taken = 0
    try {
      for await (const chunk of chunks) {
        hash?.update(chunk)
        bytes += chunk.length
        // All of it at once where it is known: of many that come in side by side, some are finished and not each half.
        const wanted = Math.max(bytes, Math.min(expectedBytes, room.mostAhead()))
        if (wanted > smallBytes && wanted > taken) {
          await room.take(wanted - taken)
          taken = wanted
        }
        if (temporary) await temporary.file.writeFile(chunk)
        else small.push(chunk)
        if (!temporary && bytes > smallBytes) {
          const path = await disk.temporary()
          temporary = { path, file: await open(path, 'wx+', 0o600) }
          await temporary.file.writeFile(Buffer.concat(small))
        }
      }
      const content = temporary?.file ?? Buffer.concat(small)
      const hex = hash ? hash.digest('hex') : await hexOf(partition, { algorithm, hex: '' }, content)
      if (hex === undefined || (promised.hex ?? hex) !== hex) throw new WrongBytes(what, algorithm)
      const name = artifactName(partition, { algorithm, hex })
      if (Buffer.isBuffer(content)) {
        room.release()
        return { artifact: keepSmall(name, content), hex }
      }
      await disk.place(temporary!.path, name, bytes, room)
      trust(name, await content.stat())
      return { artifact: { bytes, file: content }, hex }
    } catch (error) {
      await temporary?.file.close()
      if (temporary) await rm(temporary.path, { force: true })
      room.release()
      throw error
    }
  }

  /** Nobody waits for the disk: the bytes are here and right. */
  function keepSmall(name: string, content: Buffer): Artifact {
    memory.set(name, content, content.length)
    const written: Promise<void> = write(name, content)
      .catch(() => {})
      .finally(() => writing.delete(written))
    writing.add(written)
    return { bytes: content.length, content }
  }

  async function write(name: string, content: Buffer): Promise<void> {
    await disk.write(name, [content])
  }

  function trust(name: string, facts: Facts): void {
    if (trusted.size > 100_000) trusted.clear()
    trusted.set(name, { ino: facts.ino, size: facts.size })
  }

  /** Until all that was taken in has reached the disk. */
  async function settle(): Promise<void> {
    await Promise.all(writing)
  }

  return { peek, find, receive, accept, settle }
}

/** Of the file and of the object that it lies in. */
export function artifactName(partition: string, { algorithm, hex }: Digest): string {
  return `artifacts/${partition}/${algorithm}/${hex.slice(0, 2)}/${hex.slice(2)}`
}

function isSame(known: Facts | undefined, { ino, size }: Facts): boolean {
  return known?.ino === ino && known.size === size
}

async function hashOf(file: FileHandle, algorithm: string): Promise<string> {
  const hash = createHash(algorithm)
  const buffer = Buffer.allocUnsafe(1024 * 1024)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
}
