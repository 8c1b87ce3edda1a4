import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type FileLock, tryFileLock } from '../../../kernel/threads/file-lock.ts'
import { openSegment, readSegmentName, type Segment, segmentName } from './segment.ts'

export type Journal = ReturnType<typeof createJournal>

/** Whether it is done with. */
type Take = (segment: Segment) => Promise<boolean>
type Open = { segment: Segment; to: ReturnType<typeof openSegment> }

const defaultLimits = { segmentBytes: 1024 ** 2, segments: 256 }

/**
 * Files of this process in which it notes what it does before it says so, cut into segments that are done with one after
 * the other. Who holds the lock of a journal is alive; the journals of the dead are for whoever comes first.
 */
export function createJournal(folder: string, limits = defaultLimits) {
  const sealed: Segment[] = []
  let own: { journal: string; lock: FileLock } | undefined
  let open: Open | undefined
  let number = 0

  /** Answers with the segment that it is in. Throws where nothing can be written. */
  function append(text: string): Segment {
    own ??= begin()
    open ??= next(own.journal)
    const { segment, to } = open
    to.append(text)
    if (to.length() >= limits.segmentBytes) seal()
    return segment
  }

  function begin() {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (;;) {
      const journal = randomUUID()
      const lock = tryFileLock(lockFile(journal))
      // Somebody who looked for journals of the dead may have been quicker to lock it, and has removed it then.
      if (lock && existsSync(lockFile(journal))) return { journal, lock }
      lock?.release()
    }
  }

  function next(journal: string): Open {
    const name = { journal, number: number + 1 }
    const file = join(folder, segmentName(name))
    const to = openSegment(file)
    number++
    return { segment: { ...name, file }, to }
  }

  /** What comes now goes into another segment. */
  function seal(): void {
    if (!open) return
    open.to.close()
    sealed.push(open.segment)
    open = undefined
  }

  /** Its segments are handed over in their order, until one is not done with. */
  async function settle(take: Take): Promise<void> {
    await drain(sealed, take)
    if (sealed.length > 0) return
    seal()
    await drain(sealed, take)
  }

  /** The same for what others have left behind. */
  async function settleLeft(take: Take): Promise<void> {
    for (const journal of found(folder).keys()) {
      const lock = journal === own?.journal ? undefined : tryFileLock(lockFile(journal))
      if (!lock) continue
      try {
        // Only now: until the lock was ours, another one may have been at it.
        const left = found(folder).get(journal) ?? []
        await drain(left, take)
        if (left.length === 0) rmSync(lockFile(journal), { force: true })
      } finally {
        lock.release()
      }
    }
  }

  /** What is not done with stays for the next start. */
  function close(): void {
    seal()
    if (own && sealed.length === 0) rmSync(lockFile(own.journal), { force: true })
    own?.lock.release()
    own = undefined
    sealed.length = 0
  }

  const isFull = () => sealed.length >= limits.segments
  const lockFile = (journal: string) => join(folder, `${journal}.lock`)
  return { append, settle, settleLeft, isFull, close }
}

async function drain(segments: Segment[], take: Take): Promise<void> {
  while (segments[0] && (await take(segments[0]))) rmSync(segments.shift()!.file, { force: true })
}

/** All journals in the folder, each with its segments in their order. */
function found(folder: string): Map<string, Segment[]> {
  const journals = new Map<string, Segment[]>()
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, locked] = /^([0-9a-f-]{36})\.lock$/.exec(name) ?? []
    const segment = readSegmentName(name)
    const journal = locked ?? segment?.journal
    if (journal === undefined) continue
    const segments = journals.get(journal) ?? []
    journals.set(journal, segments)
    if (segment) segments.push({ ...segment, file: join(folder, name) })
  }
  for (const segments of journals.values()) segments.sort((a, b) => a.number - b.number)
  return journals
}
