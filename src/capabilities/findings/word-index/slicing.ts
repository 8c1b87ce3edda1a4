import type { Transaction } from '../../../kernel/database/database.ts'
import { createSlices } from './bit-slices.ts'
import * as store from './slice-store.ts'

const blocksAtOnce = 256
const slicesAtOnce = 1_024
/** `bit_send` writes how many bits there are before them. */
const lengthBytes = 4

/** Makes a segment of blocks that are lone, where there are enough of them. Answers how many it made. */
export async function sliceSome(tx: Transaction, size: number): Promise<number> {
  if ((await store.countLone(tx)) < size) return 0
  const slices = createSlices()
  const blocks: number[] = []
  while (blocks.length < size) {
    const some = await store.lockLone(tx, blocks.at(-1) ?? 0, Math.min(blocksAtOnce, size - blocks.length))
    for (const { last, signature } of some) {
      slices.add(blocks.length, signature.subarray(lengthBytes))
      blocks.push(last)
    }
    // Others have no signature yet.
    if (some.length === 0) return 0
  }
  const segment = await store.nextSegment(tx)
  const rows = slices.rows()
  for (let at = 0; at < rows.length; at += slicesAtOnce) {
    await store.insertSlices(tx, segment, rows.slice(at, at + slicesAtOnce))
  }
  await store.joinSegment(tx, segment, blocks)
  await dissolveDeserted(tx, size)
  return 1
}

/** Blocks that changed have joined later segments. Slices that tell of few are read as often as those that tell of many. */
async function dissolveDeserted(tx: Transaction, size: number): Promise<void> {
  const deserted = await store.listDeserted(tx, size / 2)
  if (deserted.length > 0) await store.dissolve(tx, deserted)
}
