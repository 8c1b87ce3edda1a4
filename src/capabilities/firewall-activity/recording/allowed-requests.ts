import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { Fault } from '../../../kernel/contract/fault.ts'
import { batchOf, type EventBatch, type TimedEvent } from './event-batch.ts'
import type { Journal } from './journal.ts'
import { eventsIn, lineOf } from './journal-line.ts'
import type { Segment } from './segment.ts'
import { createSegmentBatches } from './segment-batches.ts'

export type AllowedRequestOptions = {
  journal: Journal
  /** Counts the events of one deployment; those of a segment only if that was not done before. */
  write: (deploymentId: number, batch: EventBatch, segment?: Segment) => Promise<void>
  log: Logger
}

/** Where nothing can be written into the journal they wait in memory, up to here. */
const mostLoose = 200_000

/**
 * What was let through is noted in the journal before it is answered, all of one turn of the event loop at a time, and
 * counted now and then. The journal being full or the disk broken costs counts, never an answer.
 */
export function createAllowedRequests({ journal, write, log }: AllowedRequestOptions) {
  const batches = createSegmentBatches()
  let noted: TimedEvent[] = []
  let turn: Promise<void> | undefined
  let loose: TimedEvent[] = []
  let forgotten = 0
  let trouble: unknown

  /** Resolves once it outlives the process. */
  function record(event: TimedEvent): Promise<void> {
    noted.push(event)
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        note()
        resolve()
      })
    })
    return turn
  }

  function note(): void {
    const events = noted
    noted = []
    turn = undefined
    if (events.length === 0) return
    if (journal.isFull()) {
      forgotten += events.length
      return
    }
    try {
      batches.add(journal.append(events.map(lineOf).join('')), events)
    } catch (error) {
      trouble = error
      const room = mostLoose - loose.length
      loose.push(...events.slice(0, room))
      forgotten += Math.max(0, events.length - room)
    }
  }

  async function flush(): Promise<void> {
    note()
    complain()
    const events = loose
    loose = []
    const left = await countEach(events)
    loose = [...left, ...loose]
    try {
      await journal.settle(count)
      await journal.settleLeft(count)
    } catch (error) {
      log.error({ err: error }, 'the journal cannot be read, so requests in it are not counted yet')
    }
  }

  async function count(segment: Segment): Promise<boolean> {
    let isCounted = true
    for (const [deploymentId, batch] of batches.of(segment) ?? (await read(segment))) {
      if (!(await counted(deploymentId, batch, segment))) isCounted = false
    }
    if (isCounted) batches.drop(segment)
    return isCounted
  }

  async function read({ file }: Segment): Promise<[number, EventBatch][]> {
    const found: [number, EventBatch][] = []
    for (const [deploymentId, own] of byDeployment(await eventsIn(await readFile(file))))
      found.push([deploymentId, await batchOf(own)])
    return found
  }

  /** Answers with those that could not be counted yet. */
  async function countEach(events: TimedEvent[]): Promise<TimedEvent[]> {
    const left: TimedEvent[] = []
    for (const [deploymentId, own] of byDeployment(events)) {
      if (!(await counted(deploymentId, await batchOf(own)))) left.push(...own)
    }
    return left
  }

  /** Whether there is no more to be done about it. */
  async function counted(deploymentId: number, batch: EventBatch, segment?: Segment): Promise<boolean> {
    try {
      await write(deploymentId, batch, segment)
      return true
    } catch (error) {
      const isPassing = passes(error)
      const text = `requests could not be counted${isPassing ? ' yet' : ''}`
      log.warn({ err: error, deploymentId, events: sizeOf(batch) }, text)
      return !isPassing
    }
  }

  function complain(): void {
    if (trouble) log.error({ err: trouble }, 'requests are noted in memory only, because the journal cannot be written')
    if (forgotten > 0) log.error({ forgotten }, 'requests were let through and could not be counted')
    trouble = undefined
    forgotten = 0
  }

  return { record, flush }
}

function byDeployment(events: TimedEvent[]): Map<number, TimedEvent[]> {
  return Map.groupBy(events, ({ deploymentId }) => deploymentId)
}

function sizeOf({ seconds }: EventBatch): number {
  return seconds.reduce((sum, { allowed }) => sum + allowed.length, 0)
}

// Conflicts with others, too few resources, somebody intervened, the system's own troubles, a server that only reads.
const passing = /^(40|53|57|58)...$|^25006$/

/** What the database refuses for what it is, it would refuse again. */
function passes(error: unknown): boolean {
  return error instanceof Fault || passing.test((error as { code?: string }).code ?? '')
}
