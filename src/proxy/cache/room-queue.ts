import { Fault } from '../../kernel/contract/fault.ts'

/** Room that is used up by what is being fetched; nothing is wrong with the registry or the store that it comes from. */
export class NoRoom extends Fault {
  constructor() {
    const message = 'There is no room for this package: others that are being fetched take all of it.'
    super('unavailable', message, { retryAfterSeconds: 5 })
  }
}

/** It had taken that much, and made way for others that wait for each other's room. There may be room for it after them. */
export class MadeWay extends NoRoom {
  readonly bytes: number

  constructor(bytes: number) {
    super()
    this.bytes = bytes
  }
}

/** A file that is being written. */
export type Writer = {
  /** Whose own registry it comes from, where it does. */
  deployment: string | undefined
  bytes: number
  isWaiting: boolean
}

/** Why there is no room: what the deployment may have is used up, or all that there is. */
export type Refusal = { usedUp: 'share' | 'room'; fault: Fault }

type Waiter = {
  writer: Writer
  attempt: () => Promise<Refusal | undefined>
  until: number
  refusal: Refusal | undefined
  settle: (error?: unknown) => void
}

/** Other processes on the folder make room without telling. */
const lookAgainMs = 250

/**
 * Who finds no room waits for those before to be done, up to a time. Files that have begun go first, then the others in the
 * order in which they came, except that whoever waits for the share of a deployment holds up nobody else.
 */
export function createRoomQueue() {
  const writers = new Set<Writer>()
  const waiting = new Set<Waiter>()
  let isServing = false
  let isCalled = false
  let lookingAgain: NodeJS.Timeout | undefined

  async function take(writer: Writer, attempt: Waiter['attempt'], waitMs: number): Promise<void> {
    writers.add(writer)
    if (waitMs === 0 || writer.bytes > 0 || waiting.size === 0) {
      const refusal = await attempt()
      if (!refusal) return
      if (waitMs === 0) throw refusal.fault
    }
    await new Promise<void>((resolve, reject) => {
      const until = performance.now() + waitMs
      const waiter: Waiter = { writer, attempt, until, refusal: undefined, settle }
      function settle(error?: unknown): void {
        waiting.delete(waiter)
        writer.isWaiting = false
        if (error === undefined) resolve()
        else reject(error)
      }
      writer.isWaiting = true
      waiting.add(waiter)
      void serve()
    })
  }

  /** When its file is written, or given up. */
  function leave(writer: Writer): void {
    writers.delete(writer)
    // Later: whoever leaves may be in the middle of a change of the index.
    if (waiting.size > 0) setImmediate(() => void serve())
  }

  /** One attempt at a time, so that two do not find the room taken that each of them only asks for. */
  async function serve(): Promise<void> {
    isCalled = true
    if (isServing) return
    isServing = true
    while (isCalled) {
      isCalled = false
      await attemptAll()
      giveUp()
    }
    isServing = false
    clearTimeout(lookingAgain)
    if (waiting.size > 0) lookingAgain = setTimeout(() => void serve(), lookAgainMs).unref()
  }

  async function attemptAll(): Promise<void> {
    let isFull = false
    for (const waiter of [...waiting].sort((a, b) => Number(b.writer.bytes > 0) - Number(a.writer.bytes > 0))) {
      if (isFull && waiter.writer.bytes === 0) continue
      try {
        waiter.refusal = await waiter.attempt()
      } catch (error) {
        waiter.settle(error)
        continue
      }
      if (!waiter.refusal) waiter.settle()
      else if (waiter.refusal.usedUp === 'room') isFull = true
    }
  }

  /** Whoever has waited long enough; and where all have begun and wait for each other, the one that began last. */
  function giveUp(): void {
    for (const waiter of waiting) {
      if (performance.now() >= waiter.until) waiter.settle(waiter.refusal?.fault ?? new NoRoom())
    }
    for (const waiter of waiting) {
      const { writer, refusal } = waiter
      if (writer.bytes === 0 || !refusal) continue
      const others = [...writers].filter(
        (other) => other.bytes > 0 && (refusal.usedUp === 'room' || other.deployment === writer.deployment),
      )
      if (!others.every(({ isWaiting }) => isWaiting) || others.at(-1) !== writer) continue
      waiter.settle(refusal.fault instanceof NoRoom ? new MadeWay(writer.bytes) : refusal.fault)
    }
  }

  return { take, leave }
}
