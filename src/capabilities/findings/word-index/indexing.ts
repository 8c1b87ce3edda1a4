import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
import { inEachDeployment } from '../../../kernel/jobs/each-deployment.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import { segmentBlocks } from './bit-slices.ts'
import * as store from './block-store.ts'
import { type Range, type Signatures, signaturesOf } from './signature.ts'
import { sliceSome } from './slicing.ts'

const everySeconds = 10
const blockSize = 64
const blocksAtOnce = 16
const uncoveredAtOnce = blockSize * 256
const changesAtOnce = 1_000

/** Keeps what searches by words go by up to date, some findings at a time. */
export function createWordIndexing(db: Database, segmentSize = segmentBlocks): Periodic {
  async function indexAll(deploymentId: number): Promise<boolean> {
    const actor = systemActor(deploymentId, 'findings-signing')
    let found = false
    const inBatches = async (size: number, work: (tx: Transaction) => Promise<number>) => {
      for (let done = size; done === size; ) {
        done = await db.transaction(actor, work)
        if (done > 0) found = true
      }
    }
    await inBatches(uncoveredAtOnce, cover)
    await inBatches(changesAtOnce, (tx) => store.dropSignatures(tx, changesAtOnce))
    await inBatches(blocksAtOnce, signSome)
    await inBatches(1, (tx) => sliceSome(tx, segmentSize))
    return found
  }

  // The database has the lease of this task under this name, and the release before asks for it by the same.
  return { name: 'findings.signing', everySeconds, run: inEachDeployment(db, indexAll) }
}

/** Whole blocks only: the last few findings are soon read. */
async function cover(tx: Transaction): Promise<number> {
  const covered = await store.lastCovered(tx)
  const ids = await store.listUncovered(tx, covered, uncoveredAtOnce)
  const ranges: Range[] = []
  for (let at = blockSize; at <= ids.length; at += blockSize) {
    ranges.push({ first: (ranges.at(-1)?.last ?? covered) + 1, last: ids[at - 1]! })
  }
  if (ranges.length > 0) await store.insertBlocks(tx, ranges)
  return ranges.length * blockSize
}

async function signSome(tx: Transaction): Promise<number> {
  const blocks = await store.listUnsigned(tx, blocksAtOnce)
  if (blocks.length === 0) return 0
  const signatures: Signatures[] = []
  for (const block of blocks) signatures.push(signaturesOf(block, await store.listWords(tx, block)))
  await store.sign(tx, blocks, signatures)
  return blocks.length
}
