import { close, ftruncateSync, openSync, writeSync } from 'node:fs'

/** A piece of a journal, named by the journal and its number in it. */
export type Segment = { journal: string; number: number; file: string }

export function segmentName({ journal, number }: Pick<Segment, 'journal' | 'number'>): string {
  return `${journal}.${number}.events`
}

/** Undefined for a file that is none. */
export function readSegmentName(name: string): Pick<Segment, 'journal' | 'number'> | undefined {
  const [, journal, number] = /^([0-9a-f-]{36})\.([0-9]{1,15})\.events$/.exec(name) ?? []
  return journal && number ? { journal, number: Number(number) } : undefined
}

/**
 * Written into as it happens, and at once: what the system has taken survives the process, and takes microseconds. What
 * could only be written in part is taken back.
 */
export function openSegment(file: string) {
  const descriptor = openSync(file, 'wx', 0o600)
  let length = 0

  function append(text: string): void {
    const bytes = Buffer.from(text)
    try {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(descriptor, bytes, done, bytes.length - done, length + done)
      }
    } catch (error) {
      ftruncateSync(descriptor, length)
      throw error
    }
    length += bytes.length
  }

  return { append, length: () => length, close: () => close(descriptor) }
}
