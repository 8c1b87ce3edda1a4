import { Fault } from '../../kernel/contract/fault.ts'
import { readableSize } from '../../kernel/text/readable-size.ts'
import { atMinimumSpeed } from './minimum-speed.ts'

export const uploadLimits = {
  receivedBytes: 256 * 1024 * 1024,
  unpackedBytes: 1024 * 1024 * 1024,
  files: 10_000,
  bodyPartBytes: 64 * 1024,
  /** Real documents pack to a twentieth, hardly ever to a hundredth; a bomb to a thousandth. */
  ratio: 200,
  ratioAppliesFromBytes: 16 * 1024 * 1024,
  /** Shared fairly between deployments. */
  atOnce: 128,
  /** Of those with more than this many bytes, unpacked. What was read of them is held in memory until it is recorded. */
  largeAtOnce: 8,
  largeBytes: 4 * 1024 * 1024,
  largeWaitMs: 300_000,
  /** Bytes a second that a body has to arrive with, on the whole, once its sender was waited for this long. */
  leastSpeed: 8 * 1024,
  graceMs: 10_000,
}
export type UploadLimits = typeof uploadLimits

type Count = (chunks: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>

/** Counts what arrives and what it unpacks to, and stops either where it goes too far. */
export function createMeter(limits: UploadLimits) {
  let received = 0

  const arriving: Count = async function* (chunks) {
    for await (const chunk of atMinimumSpeed(chunks, limits)) {
      received += chunk.length
      if (received > limits.receivedBytes) throw tooLarge(limits)
      yield chunk
    }
  }

  /** A counter for one stage of unpacking: the body as a whole, or all the files in it together. */
  function stage(): Count {
    let unpacked = 0
    return async function* (chunks) {
      for await (const chunk of chunks) {
        unpacked += chunk.length
        if (unpacked > limits.unpackedBytes) {
          throw new Fault(
            'payload_too_large',
            `An upload may be at most ${readableSize(limits.unpackedBytes)} when decompressed.`,
          )
        }
        if (unpacked > limits.ratioAppliesFromBytes && unpacked > received * limits.ratio) {
          throw new Fault('payload_too_large', `An upload may unpack to at most ${limits.ratio} times its size.`)
        }
        yield chunk
      }
    }
  }

  return { arriving, stage }
}

export function tooLarge(limits: UploadLimits): Fault {
  return new Fault('payload_too_large', `An upload may be at most ${readableSize(limits.receivedBytes)}.`)
}
