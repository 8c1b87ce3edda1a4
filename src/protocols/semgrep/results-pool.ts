import type { ReceivedFile } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { threadShare } from '../../kernel/memory/memory-shares.ts'
import { createFairTurns } from '../../kernel/threads/fair-turns.ts'
import { createThreadPool, reasonUnlessBusy } from '../../kernel/threads/thread-pool.ts'
import { partsOf, type ResultsParts } from './results-parts.ts'

const limits = { workers: 1, perKey: 1, waiting: 64, secondsPerJob: 60, memoryMebibytes: 512, idleSeconds: 300 }
/** Up to this size a hand-over to a thread would take longer. */
const inlineBytes = 16 * 1024

export type ResultsPool = ReturnType<typeof createResultsPool>

/** Takes documents of results apart without holding up requests. */
export function createResultsPool(usableBytes: number) {
  const sized = { ...limits, ...threadShare(limits, usableBytes) }
  const turns = createFairTurns<number>()
  const pool = createThreadPool(new URL('./results-worker.ts', import.meta.url), sized)

  async function take(tenant: number, { held, start, bytes }: ReceivedFile): Promise<ResultsParts> {
    const document = { held, start, bytes }
    if (bytes <= inlineBytes) {
      await turns.wait(tenant)
      return checked(partsOf(document))
    }
    let parts: ResultsParts | undefined
    const onPart = (part: unknown) => {
      parts = part as ResultsParts
    }
    try {
      await pool.run({ key: tenant, message: document, onPart, isLast: false })
    } catch (error) {
      // Whichever other reason it is, the sender can do the same about it.
      reasonUnlessBusy(error, 'results')
      throw new Fault('unprocessable', 'The results take too long or too much memory to read.', { cause: error })
    }
    return checked(parts!)
  }

  return { take, close: pool.close }
}

function checked(parts: ResultsParts): ResultsParts {
  if (parts.problem !== '') throw new Fault('unprocessable', `The results cannot be read: ${parts.problem}`)
  return parts
}
