import { Fault } from '../../../kernel/contract/fault.ts'

/** Who waits: everybody in a lane has the same address. `known` are signed in, or come from where the account was used before. */
export type Lane = { key: string; known: boolean }

type QueueLimits = {
  running: number
  /** How many may wait, strangers and known ones each for themselves, and how many of them in one lane. */
  waiting: number
  perLane: number
  /** How many known ones may overtake a stranger. */
  knownInARow: number
  /** After which nobody waits for the answer any more. */
  longestWaitMs: number
}

type Waiting = { begin: () => void; refuse: () => void }
type Class = { lanes: Map<string, Waiting[]>; size: number }

/**
 * A few at a time; the others wait, one from each lane in turn, the known ones first. A flood of strangers fills its own
 * lane, then the room for strangers, and never that of people who come from where they have been before.
 */
export function createDerivationQueue(limits: QueueLimits) {
  const strangers: Class = { lanes: new Map(), size: 0 }
  const known: Class = { lanes: new Map(), size: 0 }
  let running = 0
  let knownInARow = 0

  async function run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (running < limits.running) running++
    else await turn(lane)
    try {
      return await work()
    } finally {
      const next = takeNext()
      if (next) next.begin()
      else running--
    }
  }

  function turn({ key, known: isKnown }: Lane): Promise<void> {
    const group = isKnown ? known : strangers
    const lane = group.lanes.get(key) ?? []
    if (lane.length >= limits.perLane)
      throw tooMany('too_many_requests', 'Too many sign-ins at once from this address.')
    if (group.size >= limits.waiting) makeRoom(group, lane.length)
    return new Promise((resolve, reject) => {
      const tooLong = setTimeout(() => {
        drop(group, key, waiting)
        waiting.refuse()
      }, limits.longestWaitMs)
      const waiting: Waiting = {
        begin: () => {
          clearTimeout(tooLong)
          resolve()
        },
        refuse: () => {
          clearTimeout(tooLong)
          reject(full())
        },
      }
      lane.push(waiting)
      group.lanes.set(key, lane)
      group.size++
    })
  }

  /** The longest lane gives a place to one that is shorter by more than that place. */
  function makeRoom(group: Class, length: number): void {
    let longest: [string, Waiting[]] | undefined
    for (const entry of group.lanes) if (!longest || entry[1].length > longest[1].length) longest = entry
    if (!longest || longest[1].length <= length + 1) throw full()
    const last = longest[1].at(-1)!
    drop(group, longest[0], last)
    last.refuse()
  }

  function takeNext(): Waiting | undefined {
    const strangersTurn = known.size === 0 || (knownInARow >= limits.knownInARow && strangers.size > 0)
    knownInARow = strangersTurn ? 0 : knownInARow + 1
    return takeFrom(strangersTurn ? strangers : known)
  }

  return { run, waiting: () => known.size + strangers.size }
}

/** The first of the first lane, which then goes to the end. */
function takeFrom(group: Class): Waiting | undefined {
  const [first] = group.lanes
  if (!first) return undefined
  const [key, lane] = first
  const [next] = lane
  drop(group, key, next!)
  if (group.lanes.delete(key)) group.lanes.set(key, lane)
  return next
}

function drop(group: Class, key: string, waiting: Waiting): void {
  const lane = group.lanes.get(key)!
  lane.splice(lane.indexOf(waiting), 1)
  if (lane.length === 0) group.lanes.delete(key)
  group.size--
}

function full(): Fault {
  return tooMany('unavailable', 'Too many sign-ins at once.')
}

function tooMany(code: 'unavailable' | 'too_many_requests', message: string): Fault {
  return new Fault(code, message, { retryAfterSeconds: 5 })
}
