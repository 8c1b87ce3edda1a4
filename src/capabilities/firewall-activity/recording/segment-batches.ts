import { createBatch, type EventBatch, type TimedEvent } from './event-batch.ts'
import type { Segment } from './segment.ts'

/** While the database is away segments pile up; beyond this many, what is in them is read from disk when it is back. */
const mostSegments = 8

/**
 * What is in the segments that this process writes, added up as it comes: reading it back to count it took longer than writing
 * it did. A segment is here whole or not at all.
 */
export function createSegmentBatches() {
  const bySegment = new Map<string, Map<number, ReturnType<typeof createBatch>>>()
  /** The latest that there was no room for. */
  let passedOver = ''

  /** All that goes into a segment comes by here. */
  function add({ file }: Segment, events: readonly TimedEvent[]): void {
    if (!bySegment.has(file) && (file === passedOver || bySegment.size >= mostSegments)) {
      passedOver = file
      return
    }
    const batches = bySegment.get(file) ?? new Map<number, ReturnType<typeof createBatch>>()
    bySegment.set(file, batches)
    for (const event of events) {
      const batch = batches.get(event.deploymentId) ?? createBatch()
      batches.set(event.deploymentId, batch)
      batch.add(event)
    }
  }

  /** By deployment; undefined where it has to be read. */
  function of({ file }: Segment): [deploymentId: number, EventBatch][] | undefined {
    const batches = bySegment.get(file)
    return batches && [...batches].map(([deploymentId, { batch }]) => [deploymentId, batch])
  }

  /** When it is counted. */
  function drop({ file }: Segment): void {
    bySegment.delete(file)
  }

  return { add, of, drop }
}
