import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

export type Disk = ReturnType<typeof createDisk>

const abandonedMs = 60 * 60 * 1000
const noteUseMs = 10 * 60 * 1000
/** After an eviction there is room for a while, so that not every new file causes the next. */
const keptShare = 0.9

/**
 * Files in a folder up to a number of bytes; what was not used for longest goes first. A file comes into being under
 * a temporary name and gets its own in one step, so whatever has its own name was written to its end.
 */
export function createDisk({ folder, maxBytes }: { folder: string; maxBytes: number }) {
  /** In the order of use. */
  const files = new Map<string, { bytes: number; notedAt: number }>()
  const temporaries = join(folder, 'incoming')
  let total = 0
  let found: Promise<void> | undefined

  function path(name: string): string {
    return join(folder, name)
  }

  async function temporary(): Promise<string> {
    await mkdir(temporaries, { recursive: true, mode: 0o700 })
    return join(temporaries, randomBytes(12).toString('hex'))
  }

  /** Gives a finished file its name. */
  async function place(from: string, name: string, bytes: number): Promise<void> {
    await mkdir(dirname(path(name)), { recursive: true, mode: 0o700 })
    await rename(from, path(name))
    note(name, bytes, Date.now())
    await open()
    if (total > maxBytes) await makeRoom()
  }

  function used(name: string): void {
    const file = files.get(name)
    if (!file) return
    const isDue = Date.now() - file.notedAt > noteUseMs
    note(name, file.bytes, isDue ? Date.now() : file.notedAt)
    // So that the order outlives the process.
    if (isDue) utimes(path(name), new Date(), new Date()).catch(() => {})
  }

  async function drop(name: string): Promise<void> {
    total -= files.get(name)?.bytes ?? 0
    files.delete(name)
    await rm(path(name), { force: true })
  }

  function note(name: string, bytes: number, notedAt: number): void {
    total += bytes - (files.get(name)?.bytes ?? 0)
    files.delete(name)
    files.set(name, { bytes, notedAt })
  }

  async function makeRoom(): Promise<void> {
    for (const name of files.keys()) {
      if (total <= maxBytes * keptShare) return
      await drop(name)
    }
  }

  /** What earlier processes left: their files are ours, what they had not finished is nobody's. */
  async function findAll(): Promise<void> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const known: { name: string; bytes: number; usedAt: number }[] = []
    for (const entry of entries) {
      if (!entry.isFile()) continue
      const file = join(entry.parentPath, entry.name)
      const facts = await stat(file).catch(() => undefined)
      if (!facts) continue
      if (entry.parentPath !== temporaries) {
        known.push({ name: relative(folder, file), bytes: facts.size, usedAt: facts.mtimeMs })
      } else if (Date.now() - facts.mtimeMs > abandonedMs) {
        await rm(file, { force: true })
      }
    }
    const fresh = [...files]
    files.clear()
    total = 0
    for (const { name, bytes, usedAt } of known.sort((a, b) => a.usedAt - b.usedAt)) note(name, bytes, usedAt)
    for (const [name, { bytes, notedAt }] of fresh) note(name, bytes, notedAt)
  }

  /** Looks at what is there, once; before that the limit is not known to be kept. */
  function open(): Promise<void> {
    found ??= findAll()
    return found
  }

  return { path, temporary, place, used, drop, open, bytes: () => total }
}
