import { stat, statfs } from 'node:fs/promises'
import { Fault } from '../contract/fault.ts'

/** One that holds a cache is watched for its sake alone: nobody is refused anything because it is full. */
export type WatchedFolder = { what: string; folder: string; isCache?: true }
export type FolderSpace = WatchedFolder & Reading & { state: 'ok' | 'warning' | 'problem' }
type Reading = { freeBytes: number; device: number }
export type CacheRoom = { spare: number; least: number }
export type DiskSpace = ReturnType<typeof createDiskSpace>

export type DiskSpaceOptions = {
  folders: readonly WatchedFolder[]
  /** Below it writes are refused; below twice as much it is said, and caches give way. */
  reserveBytes: number
  /** When one of them becomes better or worse. */
  onChange?: (space: FolderSpace) => void
  /** How much is free where a folder is; undefined where it cannot be told. */
  read?: (folder: string) => Promise<Reading | undefined>
  lookMs?: number
}

const usualLookMs = 2_000

/** Feels how much room the file systems of our folders have. */
export function createDiskSpace({ folders, reserveBytes, onChange, read = readSpace, lookMs }: DiskSpaceOptions) {
  let spaces: FolderSpace[] = []
  const looked: (() => void)[] = []
  let looking: Promise<void> = Promise.resolve()
  const timer = setInterval(() => void look(), lookMs ?? usualLookMs).unref()
  void look()

  function look(): Promise<void> {
    looking = looking.then(async () => {
      const before = spaces
      const found = await Promise.all(folders.map(readOne))
      spaces = found.filter((space) => space !== undefined)
      for (const space of listed()) {
        const was = before.find(({ folder }) => folder === space.folder)?.state ?? 'ok'
        if (space.state !== was) onChange?.(space)
      }
      for (const tell of looked) tell()
    })
    return looking
  }

  async function readOne(watched: WatchedFolder): Promise<FolderSpace | undefined> {
    const reading = await read(watched.folder)
    return reading && { ...watched, ...reading, state: stateOf(reading.freeBytes, reserveBytes) }
  }

  /** Without those on the disk of one before them. */
  function listed(): FolderSpace[] {
    return spaces.filter((space, at) => spaces.findIndex(({ device }) => device === space.device) === at)
  }

  /** Throws where one of them has less than the reserve. */
  function check(): void {
    const full = spaces.find(({ state, isCache }) => state === 'problem' && !isCache)
    // Without its folder, which is not everybody's to know.
    if (full) {
      const message = `Nothing more is written: the disk of ${full.what} has ${mebibytes(full.freeBytes)} MiB left, and GATEHOUSE_DISK_RESERVE_BYTES keeps ${mebibytes(reserveBytes)} MiB free. Whoever runs Gatehouse has to make room.`
      throw new Fault('insufficient_storage', message)
    }
  }

  /**
   * What a cache in the folder may grow by (negative: what it should give back), and what it may take in any case: what passes
   * through it needs room too.
   */
  function cacheRoom(folder: string): CacheRoom {
    const free = spaces.find((one) => one.folder === folder)?.freeBytes ?? Number.POSITIVE_INFINITY
    return { spare: free - 2 * reserveBytes, least: Math.max(0, (free - reserveBytes) / 2) }
  }

  return {
    look,
    check,
    cacheRoom,
    spaces: listed,
    onLook: (tell: () => void) => void looked.push(tell),
    async close() {
      clearInterval(timer)
      await looking
    },
  }
}

function stateOf(freeBytes: number, reserveBytes: number): FolderSpace['state'] {
  if (freeBytes < reserveBytes) return 'problem'
  return freeBytes < 2 * reserveBytes ? 'warning' : 'ok'
}

export function said({ what, folder, freeBytes }: FolderSpace): string {
  return `the disk of ${what} (${folder}) has ${mebibytes(freeBytes)} MiB left`
}

export function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 ** 2)
}

/** What somebody who is not root may still write. A folder that is not there yet has no room to speak of. */
export async function readSpace(folder: string): Promise<Reading | undefined> {
  try {
    const [{ bavail, bsize }, { dev }] = await Promise.all([statfs(folder), stat(folder)])
    return { freeBytes: bavail * bsize, device: dev }
  } catch {
    return undefined
  }
}
