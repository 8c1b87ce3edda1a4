import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../../kernel/database/database.ts'
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
  async function run(): Promise<void> {
    for (const { id } of await store.listDeployments({ query: db.workerQuery })) await signAll(id)
  }

  async function signAll(deploymentId: number): Promise<void> {
    const actor = systemActor(deploymentId, 'findings-signing')
    const again = async (work: (tx: Transaction) => Promise<boolean>) => {
      while (await db.transaction(actor, work));
    }
    await again(cover)
    await again(async (tx) => (await store.dropSignatures(tx, changesAtOnce)) === changesAtOnce)
    await again(signSome)
    await again((tx) => sliceSome(tx, segmentSize))
  }

  return { name: 'findings.signing', everySeconds, run }
}

/** Whole blocks only: the last few findings are soon read. */
async function cover(tx: Transaction): Promise<boolean> {
  const covered = await store.lastCovered(tx)
  const ids = await store.listUncovered(tx, covered, uncoveredAtOnce)
  const ranges: Range[] = []
  for (let at = blockSize; at <= ids.length; at += blockSize) {
    ranges.push({ first: (ranges.at(-1)?.last ?? covered) + 1, last: ids[at - 1]! })
  }
  if (ranges.length > 0) await store.insertBlocks(tx, ranges)
  return ids.length === uncoveredAtOnce
}

async function signSome(tx: Transaction): Promise<boolean> {
  const blocks = await store.listUnsigned(tx, blocksAtOnce)
  if (blocks.length === 0) return false
  const signatures: Signatures[] = []
  for (const block of blocks) signatures.push(signaturesOf(block, await store.listWords(tx, block)))
  await store.sign(tx, blocks, signatures)
  return blocks.length === blocksAtOnce
}
